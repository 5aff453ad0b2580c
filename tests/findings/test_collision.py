from datetime import timedelta

from bot.analysis.findings import collision
from bot.models import PullRequest
from tests.factories import WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence

RUNNER = "engine/runner.py"


def changed_by(count: int, lines: tuple[int, int] = (20, 5), path: str = RUNNER) -> list[PullRequest]:
    return [make_pr(number, author=f"dev-{number}", files={path: lines}) for number in range(1, count + 1)]


def earlier(count: int, lines: tuple[int, int], path: str = RUNNER) -> list[PullRequest]:
    return [
        make_pr(100 + number, files={path: lines}, merged_at=WEDNESDAY - timedelta(days=7 + number))
        for number in range(count)
    ]


def test_a_file_of_many_pull_requests_and_authors_is_a_collision_point() -> None:
    evidence = make_evidence(*changed_by(4), history=earlier(2, (9, 9)))
    [finding] = collision.detect(evidence)
    assert finding.files == (RUNNER,)
    assert set(finding.pull_requests) == {1, 2, 3, 4}
    assert sentence(finding, evidence.week) == (
        "engine/runner.py 本周被 4 个 PR、4 位作者修改（上周 2 个 PR）：#1、#2、#3、#4"
    )


def test_three_pull_requests_are_not_many() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(3))))


def test_one_person_does_not_collide_with_themselves() -> None:
    alone = [make_pr(number, author="dev-1", files={RUNNER: (20, 5)}) for number in range(1, 6)]
    assert not list(collision.detect(make_evidence(*alone)))


def test_an_import_here_and_a_log_line_there_get_in_nobodys_way() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(6, lines=(1, 1)))))
    swept = make_pr(9, author="dev-9", files={RUNNER: (1, 1)})
    assert not list(collision.detect(make_evidence(*changed_by(3), swept)))


def test_small_changes_count_once_there_is_a_collision() -> None:
    swept = make_pr(9, author="dev-9", files={RUNNER: (1, 1)})
    [finding] = collision.detect(make_evidence(*changed_by(4), swept))
    assert finding.values["count"] == 5


def test_a_list_that_everyone_adds_to_is_not_a_collision_point() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(6, lines=(6, 0)), history=earlier(12, (6, 0)))))
    assert list(collision.detect(make_evidence(*changed_by(6, lines=(6, 0)), history=earlier(12, (6, 4)))))


def test_tests_and_generated_files_do_not_count() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(6, path="tests/test_runner.py"))))
    assert not list(collision.detect(make_evidence(*changed_by(6, path="engine/api_pb2.py"))))


def test_a_revert_and_its_target_do_not_count() -> None:
    rest = changed_by(3)
    target = make_pr(10, "Add a shortcut to the runner", author="dev-10", files={RUNNER: (20, 5)})
    undone = make_pr(11, 'Revert "Add a shortcut to the runner"', author="dev-11", files={RUNNER: (5, 20)})
    assert not list(collision.detect(make_evidence(*rest, target, undone)))


def test_bots_do_not_count() -> None:
    bot = make_pr(10, author="tidy[bot]", author_kind="bot", files={RUNNER: (20, 5)})
    assert not list(collision.detect(make_evidence(*changed_by(3), bot)))


def test_two_files_of_nearly_the_same_pull_requests_are_told_once() -> None:
    both = [make_pr(n, author=f"dev-{n}", files={RUNNER: (20, 5), "engine/worker.py": (9, 9)}) for n in range(1, 5)]
    one_more = make_pr(9, author="dev-9", files={RUNNER: (20, 5)})
    evidence = make_evidence(*both, one_more, covered_since=None)
    [finding] = collision.detect(evidence)
    assert finding.files == (RUNNER, "engine/worker.py")
    assert sentence(finding, evidence.week).endswith("；其中部分 PR 还同时改了 engine/worker.py")


def test_at_most_five_are_told_the_busiest_first() -> None:
    many = [
        make_pr(10 * file + n, author=f"dev-{n}", files={f"engine/{file}.py": (20, 5)})
        for file in range(1, 8)
        for n in range(1, 4 + file)
    ]
    found = list(collision.detect(make_evidence(*many)))
    assert [finding.files[0] for finding in found] == [f"engine/{file}.py" for file in (7, 6, 5, 4, 3)]
