"""YAML 1.2 text to plain values with their lines: no type is guessed, so 10:00 stays 10:00 and 1.10 stays 1.10."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

Value = str | list["Value"] | dict[str, "Value"] | None
KeyPath = tuple[str | int, ...]

_DEEPEST = 20  # levels; the parser's cost grows with the square of the depth
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]{1,40}|[0-9]{1,40}(\.[0-9]{0,40})?)([eE][-+]?[0-9]{1,3})?")
_HINTS = {
    "'\\t'": "; indent with spaces",
    "cannot start any token": "; put the text in quotes",
    "mapping values are not allowed": '; check the indentation, and put text that holds ": " in quotes',
}


class YamlFileError(Exception):
    """The text is not YAML, or more than a settings file needs: one English line. `line` counts from 1."""

    def __init__(self, problem: str, line: int | None, path: KeyPath = ()) -> None:
        super().__init__(problem)
        self.line = line
        self.path = path


class Bare(str):
    """A scalar that was written without quotes, and so may stand for a number, true or false."""

    __slots__ = ()

    def typed(self) -> str | int | float | bool:
        """The value by YAML 1.2's core schema (decimal numbers only); the text itself where it is none."""
        if self in _BOOLEANS:
            return _BOOLEANS[self]
        if _INTEGER.fullmatch(self):
            return int(self)
        if _FLOAT.fullmatch(self) and math.isfinite(number := float(self)):
            return number
        return str(self)


@dataclass(frozen=True)
class Document:
    """One YAML document: scalars are text (None where empty or null), `lines` gives the line (from 1) of each path."""

    value: Value
    lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int | None:
        """The line of `path`, or of the nearest place above it that is in the text."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def at(self, path: KeyPath) -> Value:
        """The value at `path`; None when there is none."""
        value = self.value
        for key in path:
            match value:
                case dict() if isinstance(key, str):
                    value = value.get(key)
                case list() if isinstance(key, int) and key < len(value):
                    value = value[key]
                case _:
                    return None
        return value


def parse(text: str) -> Document:
    """Read one YAML document.

    Anchors, aliases, tags, duplicate keys and a second document are refused: settings need none of them, and an alias
    can blow up a small file. An empty text gives the value None. Raises YamlFileError.
    """
    reader = _Reader(text)
    return Document(reader.document(), reader.lines)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._line = 1
        self._text = text
        self._events = self._guarded(YAML(typ="safe", pure=True).parse(text))

    def document(self) -> Value:
        value: Value = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlFileError("a second document begins here (---): expected one", self._line)
                value = self._value(next(self._events), ())
        return value

    def _guarded(self, events: Iterable[Event]) -> Iterator[Event]:
        try:
            for event in events:
                self._line = event.start_mark.line + 1
                yield event
        except ReaderError as error:
            line = self._text.count("\n", 0, error.position) + 1
            raise YamlFileError(f"unexpected character U+{ord(self._text[error.position]):04X}", line) from None
        except MarkedYAMLError as error:
            raise _syntax_error(error, self._line) from None
        except (YAMLError, ValueError, OverflowError):  # the last two: "\UFFFFFFFF"
            raise YamlFileError("cannot be read as YAML", self._line) from None

    def _value(self, event: Event, path: KeyPath) -> Value:
        self._refuse_extras(event, path)
        self.lines.setdefault(path, event.start_mark.line + 1)
        match event:
            case ScalarEvent():
                return _scalar(event)
            case SequenceStartEvent():
                return [self._value(item, (*path, index)) for index, item in enumerate(self._items())]
            case MappingStartEvent():
                return self._mapping(path)
        raise AssertionError(f"unexpected {event!r}")

    def _mapping(self, path: KeyPath) -> Value:
        mapping: dict[str, Value] = {}
        for event in self._items():
            self._refuse_extras(event, path)
            line = event.start_mark.line + 1
            if not isinstance(event, ScalarEvent):
                raise YamlFileError("expected a word as the key", line, path)
            key = str(event.value)
            if key in mapping:
                raise YamlFileError(f"given twice, first on line {self.lines[*path, key]}", line, (*path, key))
            self.lines[*path, key] = line
            mapping[key] = self._value(next(self._events), (*path, key))
        return mapping

    def _items(self) -> Iterator[Event]:
        for event in self._events:
            if isinstance(event, CollectionEndEvent):
                return
            yield event

    def _refuse_extras(self, event: Event, path: KeyPath) -> None:
        if len(path) > _DEEPEST:
            raise YamlFileError(f"nested more than {_DEEPEST} levels deep", self._line)
        if not isinstance(event, NodeEvent):
            return
        if isinstance(event, AliasEvent) or event.anchor is not None:
            problem = "anchors and aliases (&name, *name) are not used here: put text that begins with & or * in quotes"
            raise YamlFileError(problem, self._line, path)
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag is not None:
            raise YamlFileError(
                "tags (!name) are not used here: put text that begins with ! in quotes", self._line, path
            )


def _scalar(event: ScalarEvent) -> Value:
    if event.style is not None:  # quoted, or a block of text
        return str(event.value)
    return None if event.value in _NULLS else Bare(event.value)


def _syntax_error(error: MarkedYAMLError, line: int) -> YamlFileError:
    """YAML's own words; the place is where the construct began when the text ends too early."""
    problem = str(error.problem)
    mark = error.context_mark if "<stream end>" in problem and error.context_mark else error.problem_mark
    context = f"{error.context}: " if error.context else ""
    hint = next((hint for words, hint in _HINTS.items() if words in problem), "")
    return YamlFileError(f"not valid YAML: {context}{problem}{hint}", mark.line + 1 if mark else line)
