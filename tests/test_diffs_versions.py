"""Dependency pins that moved, came or went, and what only looks like it."""

from __future__ import annotations

import pytest

from bot.models import FilePatch, Patch
from tests.changed_lines import MONDAY, facts, patch, told


@pytest.mark.parametrize(
    ("path", "removed", "added", "expected"),
    [
        ("requirements.txt", "torch==2.10.0", "torch==2.11.0", ("torch", "2.10.0", "2.11.0")),
        ("requirements/gpu.txt", "torch>=2,<3  # gpu", "torch>=2.1,<3", ("torch", ">=2,<3", ">=2.1,<3")),
        (
            "requirements/main.txt",
            "attrs==25.1 \\\n    --hash=sha256:aa",
            "attrs==25.2 \\\n    --hash=sha256:bb",
            ("attrs", "25.1", "25.2"),
        ),
        ("pyproject.toml", '    "attrs>=25",', '    "attrs[ext]>=26",', ("attrs", ">=25", ">=26")),
        (
            "pyproject.toml",
            'requires-python = ">=3.9"',
            'requires-python = ">=3.10"',
            ("requires-python", ">=3.9", ">=3.10"),
        ),
        (
            "setup.py",
            "    install_requires=['attrs==25.1'],",
            "    install_requires=['attrs==25.2'],",
            ("attrs", "25.1", "25.2"),
        ),
        ("web/package.json", '    "vue": "^3.4.0",', '    "vue": "^3.5.0",', ("vue", "^3.4.0", "^3.5.0")),
        ("Cargo.toml", 'serde = { version = "1.0", features = ["derive"] }', 'serde = "1.1"', ("serde", "1.0", "1.1")),
        (
            "go.mod",
            "\texample.com/lib/v2 v2.1.0",
            "\texample.com/lib/v2 v2.2.0",
            ("example.com/lib/v2", "v2.1.0", "v2.2.0"),
        ),
        ("pom.xml", "<lib.version>1.2</lib.version>", "<lib.version>1.3</lib.version>", ("lib.version", "1.2", "1.3")),
        (
            "build.gradle",
            "  implementation 'org.acme:lib:1.2'",
            "  implementation 'org.acme:lib:1.3'",
            ("org.acme:lib", "1.2", "1.3"),
        ),
        (
            "Dockerfile",
            "FROM acme.example/base:1.2 AS build",
            "FROM acme.example/base:1.3 AS build",
            ("acme.example/base", "1.2", "1.3"),
        ),
        (
            "docker/Dockerfile.gpu",
            "ARG CUDA_VERSION=12.8.1",
            "ARG CUDA_VERSION=12.9.0",
            ("CUDA_VERSION", "12.8.1", "12.9.0"),
        ),
        (
            ".github/workflows/ci.yml",
            "      - uses: acme/checkout@v4",
            "      - uses: acme/checkout@v5",
            ("acme/checkout", "v4", "v5"),
        ),
        (
            ".github/workflows/ci.yml",
            f"      - uses: acme/checkout@{'a' * 40} # v4.1.0",
            f"      - uses: acme/checkout@{'b' * 40} # v4.2.0",
            ("acme/checkout", "v4.1.0", "v4.2.0"),
        ),
        ("CMakeLists.txt", "set(FMT_VERSION 11.0)", "set(FMT_VERSION 11.1)", ("FMT_VERSION", "11.0", "11.1")),
        (
            "CMakeLists.txt",
            "FetchContent_Declare(fmt GIT_TAG v1)",
            "FetchContent_Declare(fmt\n  GIT_TAG v2)",
            ("fmt", "v1", "v2"),
        ),
        ("tools/setup.sh", 'export TOOL_VERSION="1.2"', 'export TOOL_VERSION="1.3"', ("TOOL_VERSION", "1.2", "1.3")),
        ("requirements.txt", "", "attrs==25.1", ("attrs", "", "25.1")),
        ("web/package.json", '    "vue": "^3.4.0",', "", ("vue", "^3.4.0", "")),
    ],
)
def test_a_pin_that_moved_came_or_went(path: str, removed: str, added: str, expected: tuple[str, str, str]) -> None:
    assert told("version", path, removed, added) == [expected]


@pytest.mark.parametrize(
    ("path", "removed", "added"),
    [
        ("requirements.txt", "attrs==25.1", "attrs ==25.1  # why"),  # the same
        ("requirements.txt", "attrs", "attrs==25.1"),  # pinned now, not new
        ("requirements.txt", 'a==1; python_version < "3.12"\na==2; python_version > "3.11"', "a==3"),  # several
        ("requirements/main.txt", "", "attrs==25.2 \\\n    --hash=sha256:bb"),  # compiled: somebody else's dependency
        ("pyproject.toml", 'version = "1.2.3"', 'version = "1.2.4"'),  # the project's own
        ("web/package.json", '  "version": "1.2.3",', '  "version": "1.2.4",'),
        ("Cargo.toml", 'version = "1.2.3"', 'version = "1.2.4"'),
        ("Cargo.lock", 'name = "serde"\nversion = "1.0"', 'name = "serde"\nversion = "1.1"'),
        ("poetry.lock", 'attrs = "^1.0"', 'attrs = "^1.1"'),
        ("go.sum", "example.com/lib v2.1.0 h1:a", "example.com/lib v2.2.0 h1:b"),
        ("tests/fixtures/requirements.txt", "a==1", "a==2"),
        ("third_party/x/Cargo.toml", 'serde = "1.0"', 'serde = "1.1"'),
        ("Dockerfile", "", "FROM acme.example/base:1.2"),  # an image is used, not listed
        ("Dockerfile", "FROM a:1 AS one\nFROM a:2 AS two", "FROM a:3 AS one\nFROM a:4 AS two"),
        ("Dockerfile", "FROM a:1-${X}", "FROM a:2-${X}"),  # only half of a version
        (".github/workflows/ci.yml", "      # uses: acme/checkout@v4", "      # uses: acme/checkout@v5"),
        ("notes.md", "torch==2.10", "torch==2.11"),
        ("CMakeLists.txt", "  GIT_TAG v1", "  GIT_TAG v2"),  # of what, nobody can tell
    ],
)
def test_what_is_no_moved_pin(path: str, removed: str, added: str) -> None:
    assert told("version", path, removed, added) == []


def test_a_dependency_that_moved_to_another_file_is_neither_new_nor_dropped() -> None:
    files = {"requirements/a.txt": ("attrs==25.1", ""), "requirements/b.txt": ("", "attrs==25.1")}
    assert facts("version", patch(7, files)) == []


def test_commits_that_landed_together_count_by_their_net_change() -> None:
    parts = (FilePatch("requirements.txt", ("a==2",), ("a==1",)), FilePatch("requirements.txt", ("a==3",), ("a==2",)))
    found = facts("version", Patch(7, MONDAY, parts))
    assert [(fact.name, fact.old, fact.new) for fact in found] == [("a", "1", "3")]
