"""Who runs the bot and what it may report on, as the configuration says: what commands for admins need to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bot.config import Config

Visibility = Literal["public", "private"]


@dataclass(frozen=True)
class Team:
    """`timezone` is the configuration's own, `repositories` all that it lists, with their visibility (None: not said).

    `admins` are written `platform:user`; `admin_channels` are the channels that hear of mistakes, by platform.
    """

    timezone: str
    repositories: Mapping[str, Visibility | None]
    admins: tuple[str, ...] = ()
    admin_channels: Mapping[str, str] | None = None

    @classmethod
    def of(cls, config: Config) -> Team:
        """The team of a configuration."""
        channels = {
            name: section.admin_channel
            for name, section in (("slack", config.slack), ("lark", config.lark))
            if section is not None and section.admin_channel is not None
        }
        return cls(
            config.timezone,
            {one.name: one.visibility for one in config.repositories},
            tuple(f"{one.platform}:{one.id}" for one in config.admins),
            channels,
        )

    def admins_on(self, platform: str) -> tuple[str, ...]:
        """The ids of the admins on one platform."""
        return tuple(user for kind, _, user in (one.partition(":") for one in self.admins) if kind == platform)

    def admin_channel(self, platform: str) -> str | None:
        """The channel that hears of mistakes on one platform; None: each admin hears of them directly."""
        return (self.admin_channels or {}).get(platform)


def may_show(visibility: Visibility | None, *, external: bool | None) -> bool:
    """Whether a repository may be shown where another organisation reads along, does not, or may (None).

    Where one does, only what is said to be public; where that is not known, all but what is said to be private.
    """
    match external:
        case True:
            return visibility == "public"
        case False:
            return True
    return visibility != "private"
