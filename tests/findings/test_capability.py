import pytest

from bot.analysis.findings import capability
from bot.models import Finding, PullRequest, Urgency
from tests.factories import make_evidence, make_file, make_pr
from tests.findings.sentences import sentence


def adds(number: int, title: str, lines: int = 400, path: str = "engine/connector.py") -> PullRequest:
    return make_pr(number, title, files=(make_file(path, lines, 0, status="added"), make_file("engine/core.py", 4, 1)))


def found(*pull_requests: PullRequest) -> list[tuple[Finding, str]]:
    evidence = make_evidence(*pull_requests)
    findings = sorted(capability.detect(evidence), key=lambda finding: -finding.weight)
    return [(finding, sentence(finding, evidence.week)) for finding in findings]


def test_much_new_source_is_told_by_itself() -> None:
    [(finding, text)] = found(adds(1, "[Connector] Support disk connectors", 3353))
    assert (finding.pull_requests, finding.urgency) == ((1,), Urgency.KNOW)
    assert finding.files == ("engine/connector.py",)
    assert text == "#1「[Connector] Support disk connectors」新增源码 3,353 行（1 个新文件）"


def test_several_models_are_one_finding() -> None:
    models = [adds(number, f"[Model] Add Model-{number}", 600, f"engine/models/m{number}.py") for number in (1, 2, 3)]
    [(finding, text)] = found(*models)
    assert set(finding.pull_requests) == {1, 2, 3}
    assert text.startswith("新增模型 3 个：")


def test_smaller_additions_are_one_finding() -> None:
    much = make_pr(2, "Support narrow weights for experts", files={"engine/experts.py": (329, 0)})
    api = make_pr(3, "Add a seed API to platforms", files={f"engine/platform_{i}.py": (6, 2) for i in range(6)})
    [(finding, text)] = found(adds(1, "feat: add request replay", 150), much, api)
    assert set(finding.pull_requests) == {1, 2, 3}
    assert text.startswith("新增能力 3 个：")


def test_beside_large_ones_the_smaller_are_the_others() -> None:
    [_, (_, text)] = found(adds(1, "Add replay", 900), adds(2, "Support disk queues", 150, "engine/queue.py"))
    assert text.startswith("其他新增能力 1 个：#2「")


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Add a missing check", 400),
        ("Add tests for connectors", 400),
        ("[Docs] Add a guide with examples", 400),
        ("[Bugfix] Add a fallback for connectors", 400),
        ("[Refactor] Introduce a connector base", 400),
        ("Rework the connectors", 400),
        ("Support disk connectors", 20),
        ("Support disk connectors and remove the old ones", 400),
    ],
)
def test_near_misses(title: str, lines: int) -> None:
    assert not found(adds(1, title, lines))


def test_new_tests_and_data_are_no_source() -> None:
    assert not found(adds(1, "Support disk connectors", 900, "tests/test_connector.py"))
    assert not found(adds(1, "Support disk connectors", 900, "engine/configs/disk.json"))


def test_what_was_taken_back_is_never_announced() -> None:
    assert not found(adds(1, "Support disk connectors"), make_pr(2, 'Revert "Support disk connectors"'))


def test_bots_are_left_out() -> None:
    bot = make_pr(1, "Add generated clients", author_kind="bot", files=(make_file("engine/a.py", 900, status="added"),))
    assert not found(bot)
