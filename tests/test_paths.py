"""What kind of file a path is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import rules
from bot.analysis.paths import directory, kind_of

RULES = rules.load()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("engine/core.py", "source"),
        ("src/main.rs", "source"),
        ("csrc/attn/kernel.cuh", "source"),
        ("web/app.tsx", "source"),
        ("engine/testing.py", "source"),
        ("engine/latest/contest.py", "source"),
        ("tests/test_core.py", "test"),
        ("engine/core_test.go", "test"),
        ("src/app.spec.ts", "test"),
        ("conftest.py", "test"),
        ("src/test/java/FooTest.java", "test"),
        ("docs/guide/start.md", "docs"),
        ("README.md", "docs"),
        ("engine/notes.rst", "docs"),
        (".github/workflows/ci.yml", "ci"),
        (".buildkite/pipeline.yaml", "ci"),
        (".pre-commit-config.yaml", "ci"),
        ("pyproject.toml", "manifest"),
        ("requirements/cuda.txt", "manifest"),
        ("go.mod", "manifest"),
        ("docker/Dockerfile.cpu", "manifest"),
        ("poetry.lock", "lock"),
        ("go.sum", "lock"),
        ("web/package-lock.json", "lock"),
        ("third_party/zlib/inflate.c", "vendored"),
        ("vendor/github.com/x/y.go", "vendored"),
        ("engine/api_pb2.py", "generated"),
        ("web/app.min.js", "generated"),
        ("tests/__snapshots__/page.html", "generated"),
        ("app/locale/de/LC_MESSAGES/messages.po", "translation"),
        ("examples/chat.py", "example"),
        ("benchmarks/throughput.py", "example"),
        ("engine/tuned/h100.json", "data"),
        ("logo.png", "data"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert kind_of(path, RULES) == kind


@given(st.text())
def test_every_path_has_a_kind(path: str) -> None:
    assert kind_of(path, RULES) == kind_of(path, RULES)


def test_directories_end_in_a_slash() -> None:
    assert [directory("a/b/c.py"), directory("a/b/c.py", 1), directory("c.py")] == ["a/b/", "a/", ""]
