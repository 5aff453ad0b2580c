from datetime import timedelta

from bot.analysis.findings import campaign
from bot.models import Finding, PullRequest
from tests.factories import WEDNESDAY, make_evidence, make_file, make_pr
from tests.findings.sentences import sentence

KERNELS = "app/kernels/linear"
MONTH_AGO = WEDNESDAY - timedelta(weeks=4)


def rework(number: int, title: str, lines: int = 300, folder: str = KERNELS, **changes: object) -> PullRequest:
    files = {f"{folder}/part{number}.py": (lines, lines // 3)}
    return make_pr(number, title, files=files, **({"author": "ann"} | changes))


def past(count: int = 40) -> list[PullRequest]:
    """Ordinary changes of forty lines all over the repository."""
    return [
        make_pr(1000 + n, f"Change {n}", merged_at=MONTH_AGO, files={f"app/area{n}/main.py": (30, 10)})
        for n in range(count)
    ]


THREE = [
    rework(1, "[Refactor] Move 8-bit kernels"),
    rework(2, "[Refactor] Move 4-bit kernels"),
    rework(3, "Split the kernel registry", lines=60),
]


def areas(*pull_requests: PullRequest, **changes: object) -> list[Finding]:
    found = campaign.detect(make_evidence(*pull_requests, **({"history": past()} | changes)))
    return [finding for finding in found if "direction" in finding.values]


def test_a_directory_that_several_large_pull_requests_rework() -> None:
    tested = make_pr(
        4,
        "Refactor the base kernel",
        files={f"{KERNELS}/base.py": (300, 90), "tests/test_base.py": (50, 0)},
    )
    before = rework(900, "Tune a kernel", merged_at=WEDNESDAY - timedelta(weeks=1))
    evidence = make_evidence(*THREE, tested, history=[*past(), before])
    [finding] = campaign.detect(evidence)
    assert finding.pull_requests == (4, 1, 2, 3)
    assert sentence(finding, evidence.week) == (
        "app/kernels/linear/ 有 4 个重构类 PR：#4、#1、#2、#3，源码合计 1,270 行，其中 #4 改了测试文件"
        "；触及该目录源码的 PR 共 4 个（上周 1）"
    )


def test_two_pull_requests_are_no_campaign() -> None:
    assert areas(*THREE)
    assert not areas(*THREE[:2])


def test_small_pull_requests_are_no_campaign() -> None:
    assert not areas(*(rework(number, "[Refactor] Rename a kernel", lines=9) for number in range(1, 5)))


def test_what_goes_another_way_is_no_member_but_is_named_beside() -> None:
    other = rework(9, "Add a kernel for small batches", lines=400)
    evidence = make_evidence(*THREE, other, history=past())
    [finding] = campaign.detect(evidence)
    assert finding.values["count"] == 3
    assert sentence(finding, evidence.week).endswith("；同目录的大改动还有 #9")
    assert not areas(*THREE[:2], other)


def test_a_change_that_sweeps_over_the_directory_is_no_member() -> None:
    sweeping = make_pr(
        9,
        "[Refactor] Clean up logging",
        files={f"{KERNELS}/part1.py": (1, 1)} | {f"app/area{n}/main.py": (20, 20) for n in range(20)},
    )
    assert not areas(*THREE[:2], sweeping)


def test_a_rework_taken_back_and_bots_are_no_members() -> None:
    revert = make_pr(9, 'Revert "Split the kernel registry"', files={f"{KERNELS}/part3.py": (20, 60)})
    assert not areas(*THREE, revert)
    assert not areas(*THREE[:2], rework(9, "Split the registry", author="tidy[bot]", author_kind="bot"))


def test_the_narrowest_telling_directory_is_told_once() -> None:
    elsewhere = rework(9, "[Refactor] Move the schedule", folder="app/kernels/loop")
    worked_on = [rework(900 + n, "Tune it", folder="app/kernels/loop", merged_at=MONTH_AGO) for n in range(2)]
    found = areas(*THREE, elsewhere, history=[*past(), *worked_on])
    assert [finding.values["folder"] for finding in found] == [f"{KERNELS}/"]


def test_a_directory_that_all_the_work_goes_through_is_no_area() -> None:
    busy = [
        make_pr(1000 + n, f"Change {n}", merged_at=MONTH_AGO, files={f"{KERNELS}/a.py": (30, 9)}) for n in range(40)
    ]
    assert not areas(*THREE, history=busy)


def test_removals_are_a_direction_of_their_own() -> None:
    removals = [
        make_pr(number, f"Remove the {name} backend", files={f"{KERNELS}/{name}.py": (0, 400)})
        for number, name in enumerate(("petite", "marble", "sparse"), 1)
    ]
    [finding] = areas(*removals)
    assert finding.values["direction"] == "removal"


def test_a_topic_that_says_it_itself() -> None:
    spread = [
        make_pr(n, f"[Loader Refactor] Step {n}", files={f"app/{name}/loader.py": (400, 100)})
        for n, name in enumerate(("one", "two", "three"), 1)
    ]
    before = make_pr(900, "[Loader Refactor] Begin", merged_at=WEDNESDAY - timedelta(weeks=1))
    evidence = make_evidence(*spread, history=[*past(), before])
    [finding] = campaign.detect(evidence)
    assert sentence(finding, evidence.week) == (
        "标题点名 Loader Refactor 的 PR 有 3 个：#1、#2、#3，源码合计 1,500 行，都未改测试文件；上周有 1 个"
    )


def test_a_numbered_part_of_the_area_says_whether_the_end_is_announced() -> None:
    first = rework(901, "[Kernel Move][1/N] Prepare", merged_at=MONTH_AGO)
    second = rework(3, "[Kernel Move][2/N] Split the registry")
    evidence = make_evidence(*THREE[:2], second, history=[*past(), first])
    [finding] = campaign.detect(evidence)
    assert finding.pull_requests[-1] == 901
    assert "；其中 #3 属系列「Kernel Move」（2/N，总数未定）" in sentence(finding, evidence.week)


def test_a_series_with_several_new_parts() -> None:
    first = rework(901, "[Planner][1/3] Prepare", merged_at=MONTH_AGO)
    parts = [rework(1, "[Planner][2/3] Move statistics"), rework(2, "[Planner][3/3] Drop the old planner")]
    evidence = make_evidence(*parts, history=[*past(), first])
    [finding] = campaign.detect(evidence)
    assert sentence(finding, evidence.week) == (
        "系列「Planner」合入 2 个：#1（2/3）、#2（3/3），已到标注的最后一篇；源码合计 800 行，都未改测试文件"
        "；此前有 #901"
    )


def test_series_that_took_one_step_are_told_together() -> None:
    history = [
        rework(901, "[Planner][1/N] Prepare", merged_at=MONTH_AGO),
        rework(902, "[1/n] Improve pooling routes | one", merged_at=MONTH_AGO, author="ben"),
    ]
    steps = [
        rework(1, "[Planner][2/N] Move statistics", folder="app/one"),
        rework(2, "[2/n] Improve pooling routes | two", folder="app/two", author="ben"),
    ]
    evidence = make_evidence(*steps, history=[*past(), *history])
    [finding] = campaign.detect(evidence)
    assert sentence(finding, evidence.week) == (
        "编号系列各进一步：「Planner」#1（2/N，总数未定，此前 #901）"
        "；「Improve pooling routes」#2（2/n，总数未定，此前 #902）"
    )


def test_a_first_part_alone_is_no_series() -> None:
    assert not list(campaign.detect(make_evidence(rework(1, "[Planner][1/N] Prepare"), history=past())))


def test_a_series_of_documents_is_not_told() -> None:
    first = make_pr(901, "[Guide][1/N] Start", merged_at=MONTH_AGO, files={"docs/a.md": (90, 0)})
    second = make_pr(1, "[Guide][2/N] Go on", files={"docs/b.md": (90, 0)})
    assert not list(campaign.detect(make_evidence(second, history=[*past(), first])))


def test_a_part_that_was_taken_back_is_not_told() -> None:
    first = rework(901, "[Planner][1/N] Prepare", merged_at=MONTH_AGO)
    second = rework(1, "[Planner][2/N] Move statistics")
    revert = make_pr(2, 'Revert "[Planner][2/N] Move statistics"', files=(make_file(),))
    assert not list(campaign.detect(make_evidence(second, revert, history=[*past(), first])))
