from bot.analysis.findings import collision
from bot.models import PullRequest
from tests.factories import make_evidence, make_pr


def changed_by(count: int, lines: tuple[int, int] = (20, 5), path: str = "engine/runner.py") -> list[PullRequest]:
    return [make_pr(number, author=f"dev-{number}", files={path: lines}) for number in range(1, count + 1)]


def test_a_file_of_many_pull_requests_and_authors_is_a_collision_point() -> None:
    [finding] = collision.detect(make_evidence(*changed_by(4)))
    assert finding.files == ("engine/runner.py",)
    assert set(finding.pull_requests) == {1, 2, 3, 4}
    assert (finding.values["count"], finding.values["authors"]) == (4, 4)


def test_three_pull_requests_are_not_many() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(3))))


def test_one_person_does_not_collide_with_themselves() -> None:
    alone = [make_pr(number, author="dev-1", files={"engine/runner.py": (20, 5)}) for number in range(1, 6)]
    assert not list(collision.detect(make_evidence(*alone)))


def test_a_list_that_everyone_adds_a_line_to_is_not_a_collision_point() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(6, lines=(1, 0)))))


def test_tests_and_generated_files_do_not_count() -> None:
    assert not list(collision.detect(make_evidence(*changed_by(6, path="tests/test_runner.py"))))
    assert not list(collision.detect(make_evidence(*changed_by(6, path="engine/api_pb2.py"))))


def test_a_revert_and_its_target_do_not_count() -> None:
    rest = changed_by(3)
    target = make_pr(10, "Add a shortcut to the runner", author="dev-10", files={"engine/runner.py": (20, 5)})
    undone = make_pr(11, 'Revert "Add a shortcut to the runner"', author="dev-11", files={"engine/runner.py": (5, 20)})
    assert not list(collision.detect(make_evidence(*rest, target, undone)))
