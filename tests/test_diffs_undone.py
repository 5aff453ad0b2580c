"""Lines that one pull request added and another removed within days, and ordinary follow-up work."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.diffs import UNDONE_WITHIN, read
from bot.analysis.diffs.changes import Changes
from bot.analysis.diffs.window import LONGEST_MEMORY, Window
from bot.models import DiffFact
from tests.changed_lines import MONDAY, facts, is_source, patch

BRANCH = """
    if settings.batch_invariant:
        backend = Backend.EMULATED
        workspace = reserve_workspace(rows)
        note_choice(backend)
        return backend, workspace
"""
OTHER = "    kernel = pick_kernel(device)\n    kernel.check_alignment(block)\n    table.append(kernel)"


def test_a_branch_added_one_day_and_deleted_the_next() -> None:
    added = patch(1, {"engine/linear.py": ("", BRANCH)})
    removed = patch(2, {"engine/linear.py": (BRANCH + OTHER, "    kernels = find_all(device)")}, day=1)
    (fact,) = facts("undone", added, removed)
    assert (fact.number, fact.other, fact.path, fact.lines) == (2, 1, "engine/linear.py", 5)
    assert fact.old == "if settings.batch_invariant:"


def test_a_branch_lost_in_a_large_rewrite() -> None:
    added = patch(1, {"engine/linear.py": ("", BRANCH)})
    before = "\n".join(f"    step_{n} = Backend.choose(settings, rows, {n})" for n in range(60))
    after = "\n".join(f"class Kernel{n}(Backend):\n    rows = settings.rows_{n}" for n in range(60))
    rewrite = patch(2, {"engine/linear.py": (before + BRANCH, ""), "engine/kernels.py": ("", after)}, day=1)
    (fact,) = facts("undone", added, rewrite)
    assert (fact.other, fact.lines) == (1, 5)


def test_a_branch_lost_where_other_work_comes_in() -> None:
    other = "\n".join(f"    table_{n} = collect_table({n}, depth)" for n in range(40))
    (fact,) = facts("undone", patch(1, {"a.py": ("", BRANCH)}), patch(2, {"a.py": (BRANCH, other)}, day=1))
    assert (fact.other, fact.lines) == (1, 5)


def test_a_branch_lost_of_which_a_word_is_used_elsewhere() -> None:
    later = patch(2, {"a.py": (BRANCH, "    if not rows:"), "b.py": ("", "    settings = read_all()")}, day=1)
    (fact,) = facts("undone", patch(1, {"a.py": ("", BRANCH)}), later)
    assert (fact.other, fact.lines) == (1, 5)


def test_a_long_line_is_quoted_in_part() -> None:
    lines = "\n".join(
        f"result_{n} = compute_{n}({', '.join(f'argument_{n}_{m}' for m in range(12))})" for n in range(3)
    )
    (fact,) = facts("undone", patch(1, {"a.py": ("", lines)}), patch(2, {"a.py": (lines, "")}, day=1))
    assert fact.old == lines.split("\n")[0][:120]


@pytest.mark.parametrize(
    ("removed", "added", "day"),
    [
        (BRANCH, BRANCH.replace("rows", "rows, device"), 1.0),  # edited
        (BRANCH, BRANCH.replace("    ", "        "), 1.0),  # indented
        (
            BRANCH,
            "    if settings.batch_invariant:\n     return run(Backend.EMULATED, reserve_workspace(rows), note_choice)",
            1.0,
        ),
        ("\n".join(BRANCH.split("\n")[:3]), "", 1.0),  # two lines
        (BRANCH, "", UNDONE_WITHIN + 1.0),  # too long ago
        (OTHER, "", 1.0),  # nobody's of these days
        (BRANCH.replace("\n", f"\n{OTHER}\n", 3), BRANCH, 1.0),  # moved
    ],
)
def test_follow_up_work_undoes_nothing(removed: str, added: str, day: float) -> None:
    later = patch(2, {"engine/linear.py": (removed, added)}, day=day)
    assert facts("undone", patch(1, {"engine/linear.py": ("", BRANCH)}), later) == []


NAMES = ("alpha", "beta", "gamma", "delta", "omega", "sigma", "theta", "kappa")


EDITS = {
    "the same": lambda name: f"    {name} = compute_{name}(rows_{name})",
    "a word more": lambda name: f"    {name} = compute_{name}(all_rows_{name})",
    "the same words": lambda name: f"    store(rows_{name}).take(compute_{name}, as_name={name}, into=table)",
}


@pytest.mark.parametrize("edit", EDITS)
def test_lines_that_came_back_in_another_form_do_not_count(edit: str) -> None:
    def told(edited: int) -> list[DiffFact]:
        old = "\n".join(EDITS["the same"](name) for name in NAMES[:edited])
        new = "\n".join(EDITS[edit](name) for name in NAMES[:edited])
        first = patch(1, {"a.py": ("", f"{old}\n{BRANCH}")})
        return facts("undone", first, patch(2, {"a.py": (f"{old}\n{BRANCH}", new)}, day=1))

    assert [fact.lines for fact in told(2)] == [5]
    assert told(4) == []  # most of the removed lines were edited


def test_a_replacement_in_other_words_undoes_nothing() -> None:
    old = "\n".join(f"    registry.add_tool({name.upper()}_TOOL)" for name in NAMES)
    new = "\n".join(f"    registry.add_tool(manager.builtin({name.title()}Class))" for name in NAMES)
    beside = "    registry.add_tool(OLD)\n    registry.add_tool(OLDER)"
    later = patch(2, {"a.py": (f"{old}\n{beside}", new)}, day=1)
    assert facts("undone", patch(1, {"a.py": ("", old)}), later) == []


def test_three_lines_whose_words_live_on_are_not_undone() -> None:
    old = "    wide = settings.reshape and not settings.frozen\n    if wide and rows:\n    block = wide or rows"
    beside = "\n".join(f"    {name} = settings.reshape(rows, block)" for name in NAMES)
    later = patch(2, {"a.py": (f"{old}\n{beside}", "    if settings.reshape(rows, block):")}, day=1)
    assert facts("undone", patch(1, {"a.py": ("", old)}), later) == []


def test_a_pull_request_that_landed_in_two_parts_does_not_undo_itself() -> None:
    assert facts("undone", patch(1, {"a.py": ("", BRANCH)}), patch(1, {"a.py": (BRANCH, "")}, day=1)) == []


def test_lines_moved_to_another_file_are_not_undone() -> None:
    later = patch(2, {"engine/linear.py": (BRANCH, ""), "engine/other.py": ("", BRANCH)}, day=1)
    assert facts("undone", patch(1, {"engine/linear.py": ("", BRANCH)}), later) == []


def test_lines_that_the_earlier_pull_request_only_moved_are_not_its_work() -> None:
    first = patch(1, {"engine/old.py": (BRANCH, ""), "engine/linear.py": ("", BRANCH)})
    assert facts("undone", first, patch(2, {"engine/linear.py": (BRANCH, "")}, day=1)) == []


def test_what_a_formatter_did_is_not_its_work() -> None:
    before = "\n".join(f"    {name} = compute(rows, {name}_mode, table_of_{name})" for name in NAMES)
    after = before.replace("compute(rows, ", "compute(\n        rows,\n        ")
    formatted = patch(1, {"a.py": (before, after)})
    assert facts("undone", formatted, patch(2, {"a.py": (after, "")}, day=1)) == []


@pytest.mark.parametrize("path", ["tests/test_linear.py", "docs/linear.py", "linear.md"])
def test_only_source_is_undone(path: str) -> None:
    assert facts("undone", patch(1, {path: ("", BRANCH)}), patch(2, {path: (BRANCH, "")}, day=1)) == []


def test_plain_lines_are_nobodys_work() -> None:
    plain = "\n".join(
        [
            "import engine.linear",
            "# why this is so and not otherwise",
            "logger.info(f'started {engine}')",
            "    return None",
        ]
        + ["    This is what the function does for its callers.", "@dataclass", '    "a word or two",', ")" * 20] * 2
    )
    assert facts("undone", patch(1, {"a.py": ("", plain)}), patch(2, {"a.py": (plain, "")}, day=1)) == []


def test_the_last_who_added_a_line_is_the_one_undone() -> None:
    steps = [patch(1, {"a.py": ("", BRANCH)}), patch(2, {"a.py": (BRANCH, "")}, day=1)]
    again = [patch(3, {"a.py": ("", BRANCH)}, day=2), patch(4, {"a.py": (BRANCH, "")}, day=3)]
    assert [(fact.number, fact.other) for fact in facts("undone", *steps, *again)] == [(2, 1), (4, 3)]


def test_who_added_a_line_again_keeps_it_when_the_first_is_forgotten() -> None:
    steps = [
        patch(1, {"a.py": ("", BRANCH)}),
        patch(2, {"a.py": (BRANCH, "")}, day=1),
        patch(3, {"a.py": ("", BRANCH)}, day=8),
    ]
    assert [fact.other for fact in facts("undone", *steps, patch(4, {"a.py": (BRANCH, "")}, day=12))] == [1, 3]


def test_the_memory_is_bounded() -> None:
    window = Window(timedelta(days=UNDONE_WITHIN))
    for number in range(1, 31):
        lines = "\n".join(f"value_{number}_{line} = compute({line})" for line in range(10_000))
        window.remember(Changes(patch(number, {"a.py": ("", lines)}, day=number / 100), is_source))
        assert len(window) <= LONGEST_MEMORY
        assert len(window.owners("a.py")) == len(window)
    assert set(window.owners("a.py").values()) == set(range(11, 31))
    window.forget(MONDAY + timedelta(days=UNDONE_WITHIN + 1))
    assert len(window) == 0
    assert not window.owners("a.py")


@given(st.lists(st.sampled_from(BRANCH.split("\n") + OTHER.split("\n")), max_size=12), st.integers(1, 3))
def test_putting_everything_back_tells_nothing(lines: list[str], days: int) -> None:
    text = "\n".join(lines)
    found = read([patch(1, {"a.py": ("", text)}), patch(2, {"a.py": (text, text)}, day=days)], is_source)
    assert [fact for fact in found if fact.number == 2] == []
