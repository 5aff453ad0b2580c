"""The table of detectors is complete, their findings are in order, and nothing makes a detector fail."""

import random
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bot.analysis.findings.evidence import Evidence
from bot.analysis.findings.find import DETECTORS, find
from bot.models import (
    ChangedFile,
    Comment,
    DiffFact,
    Finding,
    FindingKind,
    PullRequest,
    Release,
    Review,
    ReviewThread,
    Urgency,
)
from tests.factories import WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence

FOLDER = files("bot.analysis.findings")
TITLES = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["[Bugfix]", "[2/N]", "[3/3]", "Fix", "Revert", '"', "(#12)", "#7", "Remove", "Add", "support", "default",
             "**x**", "ROCm", "XPU", "Gemma 4", "[Loader Refactor]", "crash", "hang", "bump torch to 2.11",
             "<!channel>", "`", "|", "\ue0000\ue001", "{{ x }}", "{% if %}", "\u202e", "修复", "默认", "part 2 of 4",
             "\x00"]
        ),
        max_size=8,
    ).map(" ".join),
)  # fmt: skip
PATHS = st.sampled_from(
    ["app/core/run.py", "app/core/plan.py", "app/web/page.ts", "app/web/{{x}}.py", "tests/test_run.py", "docs/a.md",
     "requirements/base.txt", "pyproject.toml", ".github/workflows/ci.yml", "top.py", "app//odd.py", "a b/`c`.py",
     "app/rocm/step.cu", "uv.lock"]
)  # fmt: skip


def test_every_kind_has_one_detector_module_and_one_template() -> None:
    names = sorted(entry.name.removesuffix(".py") for entry in FOLDER.iterdir() if entry.name.endswith(".py"))
    modules = (import_module(f"bot.analysis.findings.{name}") for name in names)
    detectors = {module.__name__.rpartition(".")[2]: module.detect for module in modules if hasattr(module, "detect")}
    assert {name.replace("_", "-"): detect for name, detect in detectors.items()} == {
        str(kind): detect for kind, detect in DETECTORS.items()
    }
    assert tuple(DETECTORS) == tuple(FindingKind)
    templates = {entry.name.removesuffix(".md.j2") for entry in files("templates").joinpath("findings").iterdir()}
    assert templates == set(FindingKind)


def test_what_asks_most_of_the_reader_comes_first() -> None:
    evidence = busy_week(random.Random(4), 60)
    found = find(evidence)
    assert len({finding.kind for finding in found}) > 5
    places = [
        (list(Urgency).index(one.urgency), list(FindingKind).index(one.kind), -one.weight, one.pull_requests[:1])
        for one in found
    ]
    assert places == sorted(places)


def test_one_kind_says_nothing_twice_of_the_same_pull_requests() -> None:
    found = find(busy_week(random.Random(5), 60))
    told = [(finding.kind, frozenset(finding.pull_requests)) for finding in found]
    assert len(told) == len(set(told))


def test_an_empty_week_has_no_findings() -> None:
    assert find(make_evidence()) == ()
    assert find(make_evidence(covered_since=None)) == ()


def test_every_finding_of_a_busy_week_can_be_told_and_counted_again() -> None:
    evidence = busy_week(random.Random(6), 80)
    found = find(evidence)
    assert found
    for finding in found:
        assert sentence(finding, evidence.week)


@pytest.mark.parametrize("kind", FindingKind)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=TITLES, paths=st.lists(PATHS, max_size=4, unique=True))
def test_one_pull_request_makes_no_detector_fail(kind: FindingKind, title: str, paths: list[str]) -> None:
    evidence = make_evidence(make_pr(1, title, files=dict.fromkeys(paths, (40, 2))))
    assert all(finding.kind is kind for finding in DETECTORS[kind](evidence))


@settings(max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(titles=st.lists(TITLES, min_size=500, max_size=500), seed=st.integers())
def test_five_hundred_hostile_pull_requests_make_no_detector_fail(titles: list[str], seed: int) -> None:
    evidence = week_of(random.Random(seed), titles)
    for finding in find(evidence):
        assert sentence(finding, evidence.week)


def test_no_detector_takes_much_longer_than_reading_the_titles() -> None:
    """Each takes less time than measuring the 1,000 pull requests before did."""
    evidence = busy_week(random.Random(7), 200, before=1000)
    allowed = took(lambda: (evidence.measured, evidence.fixes, evidence.touches, evidence.reversals, evidence.by_path))
    seconds = {kind: took(partial(_all, detect, evidence)) for kind, detect in DETECTORS.items()}
    assert {kind: some for kind, some in seconds.items() if some > allowed} == {}


def _all(detect: Callable[[Evidence], Iterator[Finding]], evidence: Evidence) -> list[Finding]:
    return list(detect(evidence))


def took(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


_WORDS = [
    "Fix",
    "Add",
    "Remove",
    "Move",
    "Refactor",
    "the",
    "planner",
    "cache",
    "crash",
    "hang",
    "kernel",
    "by default",
]
_AREAS = ["", "[Bugfix]", "[ROCm]", "[XPU][Bugfix]", "[Planner][2/N]", "[Gemma4]", "[Loader Refactor]", "[CI]"]


def busy_week(chance: random.Random, count: int, before: int = 300) -> Evidence:
    titles = [f"{chance.choice(_AREAS)} {' '.join(chance.choices(_WORDS, k=5))}" for _ in range(count)]
    return week_of(chance, titles, before)


def week_of(chance: random.Random, titles: list[str], before: int = 100) -> Evidence:
    """A period with these titles and a past; some reviewed, with changed lines and releases."""
    now = [pull_request(chance, number, title, back=0) for number, title in enumerate(titles, 1001)]
    earlier = [
        pull_request(
            chance, number, f"{chance.choice(_AREAS)} {' '.join(chance.choices(_WORDS, k=4))}", back=number % 13 + 1
        )
        for number in range(1, before + 1)
    ]
    facts = tuple(
        DiffFact(one.number, chance.choice(["default", "flag", "environment", "version", "vanished", "undone"]),
                 one.files[0].path, "name_of_it", "1", "2", lines=9, other=chance.choice(earlier).number)
        for one in chance.sample(now, min(5, len(now))) if one.files
    )  # fmt: skip
    releases = (Release("v1.0", WEDNESDAY, WEDNESDAY),)
    return make_evidence(*now, history=earlier, diff_facts=facts, releases=releases, diffs_read=True)


def pull_request(chance: random.Random, number: int, title: str, back: int) -> PullRequest:
    merged_at = WEDNESDAY - timedelta(weeks=back, minutes=number)
    author = f"dev-{chance.randrange(9)}"
    names = chance.sample(["core/run", "core/plan", "web/page", "kernels/linear/a", "kernels/linear/b", "rocm/x"], 2)
    paths = [*(f"app/{name}.py" for name in names), *chance.sample(["tests/test_a.py", "pyproject.toml"], 1)]
    said = [Comment(chance.choice([author, "ann"]), merged_at, "I don't think this is needed here.") for _ in range(7)]
    return make_pr(
        number,
        title,
        author=author,
        author_kind=chance.choice(["human", "human", "human", "bot"]),
        merged_at=merged_at,
        created_at=merged_at - timedelta(days=chance.choice([1, 2, 3, 90])),
        files=tuple(ChangedFile(path, chance.randrange(300), chance.randrange(200)) for path in paths),
        reviews=(
            Review("ann", chance.choice(["APPROVED", "CHANGES_REQUESTED"]), merged_at, "Please keep the old name."),
        ),
        threads=(ReviewThread(paths[0], chance.random() < 0.8, tuple(said)),),
        comments=(),
    )


def test_findings_carry_their_kind() -> None:
    evidence = busy_week(random.Random(8), 60)
    found: list[tuple[FindingKind, Finding]] = [
        (kind, one) for kind, detect in DETECTORS.items() for one in detect(evidence)
    ]
    assert all(one.kind is kind for kind, one in found)
