from datetime import timedelta

from bot.analysis.findings import disputed
from bot.models import Comment, PullRequest, Review, ReviewThread
from tests.factories import WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence

EARLIER = WEDNESDAY - timedelta(hours=5)


def review(author: str, state: str, body: str = "", hours: int = 0) -> Review:
    return Review(author, state, EARLIER + timedelta(hours=hours), body)


def thread(*said: tuple[str, str], resolved: bool = True) -> ReviewThread:
    comments = tuple(Comment(who, EARLIER + timedelta(minutes=n), body) for n, (who, body) in enumerate(said))
    return ReviewThread("engine/core.py", resolved, comments)


def reviewed(*reviews: Review, threads: tuple[ReviewThread, ...] = (), **changes: object) -> PullRequest:
    return make_pr(1, "Rework the engine loop", author="ann", reviews=reviews, threads=threads, **changes)


LONG = thread(
    ("ben", "Why not reuse the pool that we have?"),
    ("ann", "I don't think the pool can be reused here."),
    ("ben", "It is used this way by the loader."),
    ("ann", "The loader has one caller."),
    ("cyd", "Both would work for me."),
    ("ben", "Fine, but please add a note."),
)


def test_changes_requested_and_merged_all_the_same() -> None:
    evidence = make_evidence(reviewed(review("ben", "CHANGES_REQUESTED", "This breaks every caller of the old loop.")))
    [finding] = disputed.detect(evidence)
    assert sentence(finding, evidence.week) == (
        "#1「Rework the engine loop」合入时有评审者最后的意见仍是要求修改"
        "；评审意见：「This breaks every caller of the old loop.」"
    )


def test_approved_by_another_is_said() -> None:
    evidence = make_evidence(reviewed(review("ben", "CHANGES_REQUESTED"), review("cyd", "APPROVED", hours=1)))
    [finding] = disputed.detect(evidence)
    assert sentence(finding, evidence.week).endswith("合入时有评审者最后的意见仍是要求修改，另有人批准")


def test_changes_requested_and_then_approved_is_how_review_works() -> None:
    for after in ("APPROVED", "DISMISSED"):
        done = reviewed(review("ben", "CHANGES_REQUESTED"), review("ben", after, hours=1))
        assert not list(disputed.detect(make_evidence(done)))


def test_what_was_taken_back_is_not_quoted() -> None:
    said = reviewed(
        review("ben", "CHANGES_REQUESTED", "The old name must stay for callers."),
        review("ben", "APPROVED", hours=1),
        review("cyd", "CHANGES_REQUESTED", "This needs a migration first.", hours=1),
    )
    evidence = make_evidence(said)
    [finding] = disputed.detect(evidence)
    assert sentence(finding, evidence.week).endswith("，另有人批准；评审意见：「This needs a migration first.」")


def test_a_comment_takes_nothing_back() -> None:
    said = reviewed(review("ben", "CHANGES_REQUESTED"), review("ben", "COMMENTED", hours=1))
    assert len(list(disputed.detect(make_evidence(said)))) == 1


def test_what_is_said_after_the_merge_was_not_overruled() -> None:
    assert not list(disputed.detect(make_evidence(reviewed(review("ben", "CHANGES_REQUESTED", hours=48)))))


def test_bots_and_the_author_do_not_dispute() -> None:
    own = reviewed(review("ann", "CHANGES_REQUESTED"), review("tidy[bot]", "CHANGES_REQUESTED"))
    assert not list(disputed.detect(make_evidence(own)))


def test_a_long_exchange_in_which_the_author_said_no() -> None:
    evidence = make_evidence(reviewed(review("ben", "APPROVED"), threads=(LONG,), comments=()))
    [finding] = disputed.detect(evidence)
    assert sentence(finding, evidence.week) == (
        "#1「Rework the engine loop」有一处评审讨论往来多轮（全部讨论 6 条）"
        "；作者回应：「I don't think the pool can be reused here.」"
    )


def test_a_long_exchange_in_agreement_is_no_dispute() -> None:
    friendly = thread(*(("ben" if n % 2 else "ann", "Good point, done.") for n in range(8)))
    assert not list(disputed.detect(make_evidence(reviewed(threads=(friendly,)))))


def test_a_short_no_is_no_dispute() -> None:
    short = thread(("ben", "Rename it?"), ("ann", "I don't think so."))
    assert not list(disputed.detect(make_evidence(reviewed(threads=(short,)))))


def left_open(count: int) -> tuple[ReviewThread, ...]:
    return tuple(thread(("ben", "Is this needed?"), ("ann", "Later."), resolved=False) for _ in range(count))


def closed(count: int) -> PullRequest:
    settled = tuple(thread(("ben", "Is this needed?"), ("dan", "Yes.")) for _ in range(count))
    return make_pr(50, author="dan", threads=settled, merged_at=WEDNESDAY - timedelta(weeks=1))


def test_threads_left_unresolved_where_others_are_resolved() -> None:
    evidence = make_evidence(reviewed(threads=left_open(2)), history=[closed(5)])
    [finding] = disputed.detect(evidence)
    assert sentence(finding, evidence.week).endswith("还有 2 处评审讨论没有标记为已解决")


def test_a_repository_that_never_resolves_threads_says_nothing() -> None:
    assert not list(disputed.detect(make_evidence(reviewed(threads=left_open(4)), history=[closed(3)])))


def test_one_thread_left_open_is_nothing() -> None:
    assert not list(disputed.detect(make_evidence(reviewed(threads=left_open(1)), history=[closed(5)])))


def test_remarks_of_bots_are_no_threads_between_people() -> None:
    remarks = tuple(thread(("lint[bot]", "Line too long"), resolved=False) for _ in range(4))
    assert not list(disputed.detect(make_evidence(reviewed(threads=remarks), history=[closed(5)])))


def test_a_clone_has_no_reviews_and_nothing_is_said() -> None:
    assert not list(disputed.detect(make_evidence(make_pr(1), make_pr(2))))


def test_at_most_five_are_told_the_refused_first() -> None:
    refused = [
        make_pr(n, f"Change {n}", author="ann", reviews=(review("ben", "CHANGES_REQUESTED"),)) for n in range(2, 8)
    ]
    argued = reviewed(threads=(LONG,))
    found = list(disputed.detect(make_evidence(argued, *refused)))
    assert [finding.pull_requests[0] for finding in found] == [2, 3, 4, 5, 6]
