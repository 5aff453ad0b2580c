"""What every section of config.yaml has in common: its keys are known, and its secrets may come from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from bot.config.values import Place, expected, holds_secret, nearest, read_secret, refused

Problem = tuple[tuple[str | int, ...], PydanticCustomError]


class Section(BaseModel):
    """Keys and values that do not change; `NAME_file` beside a secret NAME reads it from that file."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="wrap")
    @classmethod
    def _check_keys(cls, data: object, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if not isinstance(data, dict):
            return validate(data)
        keys = _Keys(cls, data, info.context)
        try:
            section = validate(keys.values)
        except ValidationError as error:
            if not keys.problems:
                raise
            refuse([*keys.problems, *keys.others(error.errors())])
        refuse(keys.problems)
        return section

    @classmethod
    def secret_names(cls) -> tuple[str, ...]:
        """The keys that hold secrets."""
        return tuple(name for name, field in cls.model_fields.items() if holds_secret(field.annotation))

    def secrets(self) -> Iterator[str]:
        """Every secret in this section and those below it."""
        for name in type(self).model_fields:
            yield from _secrets(getattr(self, name))


def _secrets(value: object) -> Iterator[str]:
    match value:
        case SecretStr():
            yield value.get_secret_value()
        case Section():
            yield from value.secrets()
        case tuple():
            for one in value:
                yield from _secrets(one)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise a ValidationError that holds all `problems`, each at its path; pydantic adds those it finds itself."""
    details = [InitErrorDetails(type=error, loc=path, input=None) for path, error in problems]
    if details:
        raise ValidationError.from_exception_data("configuration", details)


class _Keys:
    """The keys of one section looked over: `values` can be validated, `problems` says what is wrong with the rest.

    A key that a problem speaks of is settled: that it is then missing is not told as well.
    """

    def __init__(self, section: type[Section], data: Mapping[str, Any], place: Place | None) -> None:
        self.values: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self._settled: set[str] = set()
        self._known = section.model_fields
        self._files = {f"{name}_file": name for name in section.secret_names()}
        for key, value in data.items():
            self._take(key, value, data, place)
        for name, field in self._known.items():
            if field.is_required() and name not in self.values and name not in self._settled:
                self._refuse(name, name, refused(f"missing: expected {field.description}"))

    def others(self, details: Iterable[ErrorDetails]) -> Iterator[Problem]:
        """What pydantic found at keys that are not settled."""
        for detail in details:
            if detail["loc"] and detail["loc"][0] in self._settled:
                continue
            context = {**detail.get("ctx", {}), "words": detail["msg"]}
            yield detail["loc"], PydanticCustomError(detail["type"], "{words}", context)

    def _take(self, key: str, value: object, data: Mapping[str, Any], place: Place | None) -> None:
        if key in self._files:
            self._take_file(key, value, data, place)
        elif key not in self._known:
            near = nearest(key, [*self._known.keys() - data.keys(), *self._files])
            known = f"did you mean {near}?" if near else f"known are {', '.join(self._known)}"
            self._refuse(key, (near or "").removesuffix("_file"), refused(f"unknown key; {known}"))
        elif value is None:
            self._refuse(key, key, refused("expected a value, got nothing: remove the line to leave it out"))
        else:
            self.values[key] = value

    def _take_file(self, key: str, file: object, data: Mapping[str, Any], place: Place | None) -> None:
        name = self._files[key]
        try:
            if name in data:
                raise refused(f"given beside {name}: keep one of the two")
            if not isinstance(file, str):
                raise expected("the path of a file")
            self.values[name] = read_secret(file, place)
        except PydanticCustomError as error:
            self._refuse(key, name, error)

    def _refuse(self, key: str, settles: str, error: PydanticCustomError) -> None:
        self.problems.append(((key,), error))
        self._settled.add(settles)
