"""Nothing outside the history changes a figure, and nothing in a hostile clone is executed."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.sources.clone import CloneSource
from tests.repositories import MAINTAINER, Files, Repository, git

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
MANY = "".join(f"line {number}\n" for number in range(50))


def everything(path: Path) -> tuple[object, ...]:
    source = CloneSource(path)
    return (
        source.begins_at(),
        tuple(source.history(*EVER)),
        source.releases(),
        tuple(source.patches(*EVER) or ()),
    )


MOVED = {"old one.py": MANY, "old two.py": MANY.upper()}
BEFORE = {"order": "c\ne\ne\nd\ne\nb\nc\na\nc\n", "slide": "  y\n  x\n  y\n  y\nf:\n"}
AFTER = {"order": "e\nb\nc\ne\ne\ne\na\nb\ne\n", "slide": "  y\n  x\n  y\n  x\nf:\n  y\n  y\nf:\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A history in which every setting of `user_settings` would show."""
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a b.py": MANY, "c.py": "x\n", "é.py": "1\n", ".gitattributes": "c.py -diff\n"} | BEFORE)
    other: Files = {"lib": ("160000", "1" * 40), "logo.png": b"\0\1"}
    repo.commit("Add a submodule and a picture", {**other, **MOVED})
    change = {"c.py": "y\n\n\nz  \n", "é.py": "2\n", "a b.py": MANY.replace("line 7", "Line 7")}
    repo.pull(2, "Ändern", change | AFTER)
    repo.pull(3, "Move", {"lib": ("160000", "2" * 40)}, renames={"a b.py": "moved.py"})
    moved = {path.replace("old", "new"): text + "more\n" for path, text in MOVED.items()}
    repo.pull(6, "Move and change", dict.fromkeys(MOVED) | moved)
    repo.pull(4, "Rename people", {".mailmap": "Dr. Ada <ada@users.example>\n"})
    repo.merge_commit(5, "Merge", {"d.py": "1\n"}, owner="bob")
    repo.tag("v1.0")
    repo.forge("Signed (#7)", headers="gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n")
    return repo


def user_settings(script: Path) -> dict[str, str]:
    """What may stand in anybody's configuration, or in that of a clone somebody else made."""
    return {
        "alias.log": f"!{script}",
        "color.ui": "always",
        "color.diff": "always",
        "core.abbrev": "4",
        "core.fsmonitor": str(script),
        "core.pager": str(script),
        "core.quotePath": "true",
        "core.sshCommand": str(script),
        "core.bigFileThreshold": "1",
        "core.whitespace": "trailing-space",
        "diff.algorithm": "patience",
        "diff.colorMoved": "zebra",
        "diff.context": "12",
        "diff.dirstat": "lines",
        "diff.evil.binary": "true",
        "diff.evil.command": str(script),
        "diff.evil.textconv": str(script),
        "diff.external": str(script),
        "diff.ignoreSubmodules": "all",
        "diff.indentHeuristic": "false",
        "diff.interHunkContext": "9",
        "diff.mnemonicPrefix": "true",
        "diff.noprefix": "true",
        "diff.orderFile": str(script.parent / "order"),
        "diff.relative": "true",
        "diff.renameLimit": "1",
        "diff.renames": "false",
        "diff.submodule": "log",
        "diff.suppressBlankEmpty": "true",
        "diff.wordRegex": ".",
        "diff.wsErrorHighlight": "all",
        "format.pretty": "fuller",
        "gpg.program": str(script),
        "i18n.logOutputEncoding": "ISO-8859-1",
        "log.abbrevCommit": "true",
        "log.date": "relative",
        "log.decorate": "full",
        "log.diffMerges": "combined",
        "log.follow": "true",
        "log.mailmap": "false",
        "log.showRoot": "false",
        "log.showSignature": "true",
        "mailmap.file": str(script.parent / "mailmap"),
        "pager.log": str(script),
        "submodule.lib.ignore": "all",
    }


def write_settings(file: Path, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        subprocess.run(["git", "config", "--file", str(file), name, value], check=True)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program that leaves a trace when it is run."""
    (folder := tmp_path / "evil").mkdir()
    (folder / "order").write_text("moved.py\nlogo.png\n")
    (folder / "mailmap").write_text("Wrong Name <ada@users.example>\n")
    (folder / "run").write_text(f"#!/bin/sh\ntouch {folder}/ran\necho changed\n")
    (folder / "run").chmod(0o755)
    return folder / "run"


def test_the_users_settings_change_nothing(
    repo: Repository, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = everything(repo.path)
    write_settings(
        tmp_path / ".gitconfig", user_settings(script) | {"core.attributesFile": str(tmp_path / "attributes")}
    )
    (tmp_path / "attributes").write_text("* diff=evil\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert everything(repo.path) == expected
    assert not (script.parent / "ran").exists()


def test_the_settings_of_a_hostile_clone_change_and_run_nothing(repo: Repository, script: Path) -> None:
    expected = everything(repo.path)
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).write_text(script.read_text())
        (hooks / hook).chmod(0o755)
    write_settings(repo.path / ".git" / "config", user_settings(script))
    assert everything(repo.path) == expected
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "attributes").write_text("*.py diff=evil\n")
    marked = CloneSource(repo.path).history(*EVER)  # the clone's own attributes may say what is binary, but run nothing
    assert [item.commit for item in marked] == [item.commit for item in CloneSource(repo.path).history(*EVER)]
    assert list(CloneSource(repo.path).patches(*EVER) or ())
    assert not (script.parent / "ran").exists()
    git(repo.path, "log", "-p", "--ext-diff")
    assert (script.parent / "ran").exists()  # the trap works


def test_attributes_in_the_history_hide_no_lines(repo: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    for path in (repo.path, bare):
        files = [file for item in CloneSource(path).history(*EVER) for file in getattr(item, "files", ())]
        assert {file.path for file in files if file.binary} == set()
        assert [file.churn for file in files if file.path == "c.py"] == [5, 1]


def test_what_is_checked_out_changes_nothing(repo: Repository, tmp_path: Path) -> None:
    expected = everything(repo.path)
    repo.git("checkout", "-q", "main")
    (repo.path / ".gitattributes").write_text("*.py -diff\n")
    (repo.path / ".mailmap").write_text("Wrong Name <ada@users.example>\n")
    repo.git("add", ".gitattributes")
    repo.git("checkout", "-q", "-b", "topic")
    assert everything(repo.path) == expected
    bare = tmp_path / "bare"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    assert everything(bare) == expected


def test_the_environment_changes_nothing(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = everything(repo.path)
    other = Repository(tmp_path / "other")
    other.commit("Elsewhere", {"x": "1"})
    for name, value in {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": str(tmp_path / "no-index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path),
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_DIFF_OPTS": "-U9",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.renames",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CEILING_DIRECTORIES": "/",
        "GIT_PAGER": "false",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
        "TZ": "Pacific/Apia",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(other.path)
    assert everything(repo.path) == expected
    assert not (tmp_path / "trace").exists()


def test_replacements_and_grafts_change_nothing(repo: Repository) -> None:
    expected = everything(repo.path)
    commit, parent = (repo.git("rev-parse", name).strip() for name in ("main~1", "main~4"))
    repo.git("-c", "user.name=x", "-c", "user.email=x@users.example", "replace", "--graft", "main", "main~3")
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{commit} {parent}\n")
    assert everything(repo.path) == expected


def test_nothing_is_written(repo: Repository) -> None:
    def state() -> list[tuple[str, int, int]]:
        files = [path for path in sorted(repo.path.rglob("*")) if path.is_file()]
        return [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files]

    before = state()
    everything(repo.path)
    assert state() == before
    assert os.access(repo.path, os.W_OK)


def test_names_come_from_the_mailmap_of_the_branch(repo: Repository) -> None:
    authors = {getattr(item, "author", "") for item in CloneSource(repo.path).history(*EVER)}
    assert authors == {"Dr. Ada"}
    assert MAINTAINER not in authors
