"""config.example.yaml loads as it stands and shows every key there is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from bot.config import Config, Weekday, load
from bot.config.base import Section
from bot.yamlfile import Value, parse

EXAMPLE = Path(__file__).parent.parent / "config.example.yaml"
VARIABLES = ("GITHUB_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "LARK_APP_SECRET", "LLM_API_KEY")
ENVIRON = {name: f"value-of-{name}" for name in VARIABLES}


def test_the_example_loads_as_it_stands() -> None:
    config = load(EXAMPLE, ENVIRON)
    assert [repository.name for repository in config.repositories] == ["acme/engine", "acme/console"]
    assert config.repositories[0].baseline == "v1.10.0"
    assert config.slack is not None
    assert config.slack.bot_token.get_secret_value() == "value-of-SLACK_BOT_TOKEN"
    assert config.channels[1].exclude.authors == ("bots",)
    assert config.channels[0].day is Weekday.MONDAY
    assert config.local is None


def test_the_example_shows_every_key_of_every_section_and_nothing_else() -> None:
    shown = set(_shown_keys(parse(_with_alternatives()).value, Config))
    assert shown - {"GitHubApp.private_key_file"} == set(_keys(Config))


def test_the_values_called_default_are_the_defaults(tmp_path: Path) -> None:
    small = tmp_path / "config.yaml"
    small.write_text("repositories: [{name: acme/engine}]\nlocal: {}\n", encoding="utf-8")
    config, example = load(small, {}), load(EXAMPLE, ENVIRON)
    assert (config.timezone, config.web_url) == (example.timezone, example.web_url)
    assert config.github.api_url == example.github.api_url
    assert config.server == example.server
    assert config.local is not None
    assert f"#port: {config.local.port} " in EXAMPLE.read_text(encoding="utf-8")


def _with_alternatives() -> str:
    """The example with its commented-out keys put in: `#key:` is one, `# words` is prose."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return "\n".join(re.sub(r"^( *)#(?=[a-z_]+:)", r"\1", line) for line in lines)


def _shown_keys(value: Value, section: type[Section]) -> Iterator[str]:
    match value:
        case list():
            for item in value:
                yield from _shown_keys(item, section)
        case dict():
            for key, inner in value.items():
                yield f"{section.__name__}.{key}"
                inside = _section_in(section.model_fields[key].annotation) if key in section.model_fields else None
                if inside is not None:
                    yield from _shown_keys(inner, inside)


def _keys(section: type[Section]) -> Iterator[str]:
    fields: Mapping[str, Any] = section.model_fields
    for key, field in fields.items():
        yield f"{section.__name__}.{key}"
        inside = _section_in(field.annotation)
        if inside is not None and key != "admins":  # written as one word, platform:id
            yield from _keys(inside)


def _section_in(annotation: Any) -> type[Section] | None:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    found = (_section_in(part) for part in get_args(annotation))
    return next((section for section in found if section is not None), None)
