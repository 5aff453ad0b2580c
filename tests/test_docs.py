"""What the documents say exists, and what exists is in them. Keys of the configuration: test_config_example.py."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bot.__main__ import app
from bot.commands import COMMANDS, OPTIONS
from handlers import HANDLERS

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/slack.md")
OURS = {"bot", "handlers", "templates"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def typed(group: Any, *before: str) -> Iterator[tuple[str, Any]]:
    """Every command of the command line as it is typed, with what typer knows of it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from typed(command, *before, name)
        else:
            yield " ".join((*before, name)), command


LINES = dict(typed(get_command(app)))


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_the_command_line_is_in_the_readme(line: str) -> None:
    assert re.search(rf"digest-bot {line}\b", read("README.md")), f"README.md shows no `digest-bot {line}`"


@pytest.mark.parametrize("line", LINES)
def test_a_command_and_its_options_say_what_they_are(line: str) -> None:
    assert LINES[line].help
    assert [one.name for one in LINES[line].params if not getattr(one, "help", None)] == []


@pytest.mark.parametrize(
    "line", sorted(set(re.findall(r"digest-bot +((?:db |manifest )?[a-z]+)\b", read("README.md"))))
)
def test_the_readme_shows_no_command_that_is_not_there(line: str) -> None:
    assert line in LINES


@pytest.mark.parametrize("row", [row for row in COMMANDS if row.name in HANDLERS], ids=lambda row: row.name)
def test_a_command_in_chat_is_in_the_readme(row: Any) -> None:
    described = [line for line in read("README.md").splitlines() if re.match(rf"\| `{row.name}\b", line)]
    assert len(described) == 1
    chinese = next((word for word in row.synonyms if not word.isascii()), "")
    assert chinese in described[0] or row.name == "pr"


def test_the_readme_lists_no_command_in_chat_that_is_not_there() -> None:
    listed = re.findall(r"^\| `([a-z]+)", read("README.md"), re.MULTILINE)
    assert set(listed) - {option.name for option in OPTIONS} <= set(HANDLERS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_that_is_named_is_there(document: str) -> None:
    named = {
        word for words in re.findall(r"\bmake ((?:[a-z]+ ?)+)(?=[`#\n ])", read(document)) for word in words.split()
    }
    shown = {word for word in named if re.search(rf"(?:^|`)make (?:[a-z]+ )*{word}\b", read(document), re.MULTILINE)}
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    assert shown
    assert shown <= targets


def test_every_make_target_is_phony_and_the_other_way_round() -> None:
    phony = re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)
    assert sorted(" ".join(phony).split()) == sorted(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_paths_lead_somewhere(document: str) -> None:
    text = read(document)
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link and not link.startswith("#")]
    folder = (ROOT / document).parent
    paths = re.findall(r"`((?:bot|handlers|templates|tests|docs)/[\w./-]*)`", text)
    paths += re.findall(r"^((?:bot|handlers|templates)/[\w./-]*)  ", text, re.MULTILINE)
    missing = [str(path) for path in (*map(folder.joinpath, links), *map(ROOT.joinpath, paths)) if not path.exists()]
    assert missing == []


def test_the_changelog_has_what_is_not_released() -> None:
    unreleased = read("CHANGELOG.md").partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    assert re.search(r"^- .", unreleased, re.MULTILINE)


def test_whatever_is_imported_is_in_the_lock() -> None:
    """An import that only a development tool happens to bring would fail where the product is installed."""
    locked = {name.lower() for name in re.findall(r"^([A-Za-z0-9._-]+)==", read("requirements.lock"), re.MULTILINE)}
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"].values()
    locked |= {_normal(re.split(r"[\[><=~ ]", line)[0]) for lines in extras for line in lines}
    known = packages_distributions()
    files = [path for folder in ("bot", "handlers") for path in (ROOT / folder).rglob("*.py")]
    imported = {name for path in files for name in _imported(path)} - OURS - sys.stdlib_module_names
    assert imported
    assert {name for name in imported if not _locked(known.get(name, [name]), locked)} == set()


def test_every_dependency_is_imported_or_loaded_by_name() -> None:
    declared = {
        _normal(re.split(r"[\[><=~ ]", line)[0])
        for line in tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    }
    known = packages_distributions()
    files = [path for folder in ("bot", "handlers") for path in (ROOT / folder).rglob("*.py")]
    imported = {name for path in files for name in _imported(path)}
    used = {_normal(found) for name in imported for found in known.get(name, [])}
    assert declared - used <= {"tzdata"}  # zoneinfo finds it by itself


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.partition(".")[0]


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _locked(distributions: list[str], locked: set[str]) -> bool:
    return any(_normal(name) in locked for name in distributions)
