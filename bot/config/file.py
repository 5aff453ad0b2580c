"""A configuration file's text to values with ${NAME} filled in, and every mistake in it to one line with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bot.yamlfile import Bare, Document, KeyPath, Value, YamlFileError, parse

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_LARGEST = 300_000  # bytes
_LONGEST_SHOWN = 60
_VARIABLE = re.compile(r"\$\{([^{}\s\"']*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# In `{token: ${NAME}}` YAML would take the inner brace for its own, so variables stand in private-use signs meanwhile.
_HIDDEN = re.compile("\ue000([^\ue001]*)\ue001")
_SECRET_LOOKING = re.compile(
    r"\b(?:xox[a-z]-|xapp-|gh[a-z]_|github_pat_|sk-)[\w-]+|(?<=://)[^/\s@]*:[^/\s@]*(?=@)|-----BEGIN.*", re.DOTALL
)

_EXPECTED = {
    "model_type": "keys and values",
    "dict_type": "keys and values",
    "mapping_type": "keys and values",
    "tuple_type": "a list such as [a, b]",
    "string_type": "text",
    "string_too_short": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "literal_error": "{expected}",
    "expected": "{what}",
}
# These say what kind of thing was found, not the thing: text in the place of a section may well be a secret.
_KIND_ONLY = frozenset({"model_type", "dict_type", "mapping_type", "tuple_type"})


class ConfigError(Exception):
    """The configuration cannot be used: `lines` has an English line for each thing to mend, none showing a secret."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(_one_line(line) for line in lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True)
class ConfigFile:
    """What a file says. `values` has the variables filled in, `document` still holds their names."""

    path: Path
    document: Document
    values: Value = field(repr=False)

    @classmethod
    def read(cls, path: Path, environ: Mapping[str, str]) -> Self:
        """Read and fill in. Raises ConfigError when the file cannot be read or a variable is not set."""
        try:
            document = parse(_VARIABLE.sub("\ue000\\1\ue001", _text(path)))
        except YamlFileError as error:
            raise ConfigError([_line(path, error.line, error.path, str(error))]) from None
        missing: dict[KeyPath, str] = {}
        values = _filled(document.value, environ, (), missing)
        if missing:
            raise ConfigError(_line(path, document.line(at), at, problem) for at, problem in missing.items())
        if values is None:
            raise ConfigError([f"{path}: empty: expected keys and values such as those of config.example.yaml"])
        return cls(path, document, values)

    def error(self, details: Sequence[ErrorDetails]) -> ConfigError:
        """The ConfigError of what pydantic found, in the order of the file."""
        found = [(self.document.line(detail["loc"]) or 1, detail) for detail in details]
        found.sort(key=lambda pair: pair[0])
        return ConfigError(_line(self.path, line, detail["loc"], self._problem(detail)) for line, detail in found)

    def _problem(self, detail: ErrorDetails) -> str:
        expectation = _EXPECTED.get(detail["type"])
        if expectation is None:
            return detail["msg"]
        what = expectation.format(**detail.get("ctx", {}))
        if detail["type"] == "literal_error":
            what = what.replace("'", "")
        value = self.document.at(detail["loc"])
        return f"expected {what}, got {_shown(value, kind_only=detail['type'] in _KIND_ONLY)}"


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigError([f"{path}: cannot read the configuration: {error.strerror}"]) from None
    except ValueError:  # a NUL in the name
        raise ConfigError([f"{path}: not a file name"]) from None
    if len(content) > _LARGEST:
        raise ConfigError([f"{path}: larger than {_LARGEST:,} bytes: is it a configuration?"])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{path}:{line}: not UTF-8 text: save the file as UTF-8"]) from None


def _filled(value: Value, environ: Mapping[str, str], path: KeyPath, missing: dict[KeyPath, str]) -> Value:
    match value:
        case dict():
            return {key: _filled(item, environ, (*path, key), missing) for key, item in value.items()}
        case list():
            return [_filled(item, environ, (*path, index), missing) for index, item in enumerate(value)]
        case str():
            names = _HIDDEN.findall(value)
            if problem := next((_variable_problem(name) for name in names if name not in environ), None):
                missing[path] = problem
                return value
            filled = _HIDDEN.sub(lambda found: environ[found[1]], value)
            return Bare(filled) if isinstance(value, Bare) else filled
    return value


def _variable_problem(name: str) -> str:
    if not _NAME.fullmatch(name):
        return f"expected a variable such as ${{NAME}}, got ${{{name}}}"
    return f"the environment variable {name} is not set"


def _line(path: Path, line: int | None, at: KeyPath, problem: str) -> str:
    place = f"{path}:{line}" if line else f"{path}"
    return f"{place}: {_key(at)}: {problem}" if at else f"{place}: {problem}"


def _key(path: KeyPath) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def _shown(value: Value, *, kind_only: bool) -> str:
    match value:
        case None:
            return "nothing"
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "keys and values"
        case "":
            return "an empty text"
    if kind_only:
        return "text"
    short = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…"
    return short if re.fullmatch(r"\S+", short) else json.dumps(short, ensure_ascii=False)


def _one_line(text: str) -> str:
    """Variables by their names again, nothing that looks like a secret, nothing that could break the line."""
    named = _HIDDEN.sub(lambda found: f"${{{found[1]}}}", text)
    open_text = _SECRET_LOOKING.sub("[secret]", named)
    return "".join(char if char.isprintable() else "?" for char in open_text)
