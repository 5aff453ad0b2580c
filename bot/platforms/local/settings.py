"""What the page shows besides the conversation: its channels and what can be typed."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel by its id, the name that is shown, and the repositories it is about."""

    id: str
    name: str
    repositories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to type. `text` goes into the composer; it is `complete` when it can be sent as it is.

    It is proposed for whatever one of `keys` begins with; `name` (Chinese), `word`, `usage` and `note` are shown. A
    `deep` one is proposed only after something was typed.
    """

    text: str
    keys: tuple[str, ...]
    name: str
    word: str
    usage: str
    note: str
    complete: bool = True
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """The page's channels (the first is shown unless another is asked for), and the zone of the times it shows.

    `suggestions` complete what is typed; `examples` are questions that have an answer.
    """

    channels: tuple[Channel, ...]
    zone: ZoneInfo
    suggestions: tuple[Suggestion, ...] = ()
    examples: tuple[str, ...] = ()

    def channel(self, wanted: str | None) -> Channel | None:
        """The channel with this id; the first one for None; None if there is none."""
        if wanted is None:
            return self.channels[0]
        return next((one for one in self.channels if one.id == wanted), None)
