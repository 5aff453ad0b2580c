"""The kinds of value that config.yaml holds, each saying what it expected when it is something else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import time
from difflib import get_close_matches
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError

from bot.periods import PeriodError, zone

_CLOCK_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_REPOSITORY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*)/[A-Za-z0-9._-]+")
_LARGEST_SECRET = 100_000  # bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where the file lies: `folder` is what relative paths count from, `home` what `~` stands for."""

    folder: Path
    home: str | None


class Weekday(IntEnum):
    """A day of the week, numbered as by `date.weekday()`."""

    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


_DAYS: Mapping[str, Weekday] = {
    name: day
    for day, chinese in zip(Weekday, "一二三四五六日", strict=True)
    for name in (day.name.lower(), day.name[:3].lower(), *(f"{prefix}{chinese}" for prefix in ("周", "星期", "礼拜")))
} | dict.fromkeys(("周天", "星期天", "礼拜天"), Weekday.SUNDAY)


def expected(what: str) -> PydanticCustomError:
    """The error of a value that is not `what`; the report adds what it was, unless that is secret."""
    return PydanticCustomError("expected", "expected {what}", {"what": what})


def refused(problem: str) -> PydanticCustomError:
    """An error whose words are whole; the report adds nothing of the value."""
    return PydanticCustomError("refused", "{problem}", {"problem": problem})


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that a typing mistake may have turned into `word`."""
    by_folded = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def hint(word: str, known: Iterable[str]) -> str:
    """` (did you mean X?)`, or nothing when no known word comes near."""
    near = nearest(word, known)
    return f" (did you mean {near}?)" if near else ""


def resolved(text: str, place: Place | None) -> Path:
    """`text` as a path: `~/` is the home folder, a relative path counts from the configuration's folder."""
    if "\0" in text or not text:
        raise expected("a path")
    if place is None:
        return Path(text)
    if text == "~" or text.startswith("~/"):
        if not place.home:
            raise refused("~ stands for the home folder, but HOME is not set: write the whole path")
        return Path(place.home, text[2:])
    return place.folder / text


def read_secret(text: str, place: Place | None) -> str:
    """The secret in the file that `text` names, without the line end. Raises PydanticCustomError when there is none."""
    path = resolved(text, place)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_SECRET + 1)
        if len(content) > _LARGEST_SECRET:
            raise refused(f"the file {path} is too large for a secret")
        text = content.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        raise refused(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise refused(f"the file {path} is not UTF-8 text") from None
    if not text:
        raise refused(f"the file {path} is empty")
    return text


def _secret(value: object) -> object:
    if isinstance(value, str):
        if not value.strip():  # the variable or file exists but holds nothing, as Compose files often have it
            raise refused("expected a secret, got an empty text")
        return SecretStr(value.strip())
    if not isinstance(value, SecretStr):
        raise refused("expected a secret as text")
    return value


def _clock_time(value: object) -> object:
    if not isinstance(value, str):
        return value
    found = _CLOCK_TIME.fullmatch(unicodedata.normalize("NFKC", value).strip())
    hour, minute = (int(found[1]), int(found[2])) if found else (24, 0)
    if hour > time.max.hour or minute > time.max.minute:
        raise expected('a time such as "09:00"')
    return time(hour, minute)


def _weekday(value: object) -> object:
    if not isinstance(value, str):
        return value
    name = unicodedata.normalize("NFKC", value).strip().casefold()
    if name not in _DAYS:
        raise expected(f"a day such as monday or 周一{hint(name, (day.name.lower() for day in Weekday))}")
    return _DAYS[name]


def _zone_name(value: str) -> str:
    try:
        return zone(value).key
    except PeriodError as error:
        near = error.values["nearest"]
        raise expected(f"an IANA time zone {f'(did you mean {near}?)' if near else 'such as Asia/Shanghai'}") from None


def _http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        valid = False
    if not valid or not value.isprintable() or " " in value:
        raise expected("an address such as https://example.com")
    if parts.username or parts.password:
        raise refused("expected an address without user name and password")
    return value.rstrip("/")


def _repository_name(value: str) -> str:
    if not _REPOSITORY.fullmatch(value):
        raise expected("OWNER/NAME such as acme/engine")
    return value


def _path(value: object, info: ValidationInfo) -> object:
    return resolved(value, info.context) if isinstance(value, str) else value


def _database_url(value: object, info: ValidationInfo) -> object:
    """A relative SQLite file becomes absolute; the address stays secret because PostgreSQL's carries a password."""
    if not isinstance(value, str):
        return value
    if value.startswith(("postgresql://", "postgresql+psycopg://")):
        return SecretStr(value)
    prefix, _, rest = value.partition(":///")
    file, mark, query = rest.partition("?")
    if prefix != "sqlite" or file in {"", ":memory:"}:
        raise expected("sqlite:///FILE or postgresql://HOST/NAME")
    path = resolved(file, info.context)
    if "?" in str(path):  # SQLAlchemy would read the rest as options
        raise refused("the database's folder may not have a ? in its name")
    return SecretStr(f"sqlite:///{path}{mark}{query}")


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Secret = Annotated[SecretStr, BeforeValidator(_secret)]
ClockTime = Annotated[time, BeforeValidator(_clock_time)]
Day = Annotated[Weekday, BeforeValidator(_weekday)]
ZoneName = Annotated[Text, AfterValidator(_zone_name)]
Url = Annotated[Text, AfterValidator(_http_url)]
SlashedUrl = Annotated[Url, AfterValidator(lambda url: f"{url}/")]  # slack_sdk appends the method's name to it
RepositoryName = Annotated[Text, AfterValidator(_repository_name)]
FilePath = Annotated[Path, BeforeValidator(_path)]
DatabaseUrl = Annotated[SecretStr, BeforeValidator(_database_url)]
Port = Annotated[int, Field(ge=0, le=65535)]


def holds_secret(annotation: Any) -> bool:  # noqa: ANN401 - any annotation
    """Whether a field of this type is a secret, and so may be read from a file by `NAME_file`."""
    parts = getattr(annotation, "__args__", ())
    return annotation is SecretStr or any(holds_secret(part) for part in parts)
