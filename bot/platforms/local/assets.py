"""The stylesheet, the script and the icon, each under an address that changes with its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

_TYPES = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    name: str
    media_type: str
    body: bytes

    @property
    def url(self) -> str:
        """Its address; browsers may keep what they got from it for ever."""
        return f"/static/{self.name}?v={sha256(self.body).hexdigest()[:12]}"


@lru_cache(maxsize=1)
def assets() -> Mapping[str, Asset]:
    """The files by name."""
    folder = files("bot.platforms.local") / "static"
    return {name: Asset(name, media_type, (folder / name).read_bytes()) for name, media_type in _TYPES.items()}
