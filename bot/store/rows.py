"""Facts to rows and back; what goes in comes out equal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.figures import Scalar
from bot.models import (
    Assessment,
    ChangedFile,
    Comment,
    DiffFact,
    DirectCommit,
    PullRequest,
    Reason,
    Release,
    Review,
    ReviewThread,
    Risk,
)
from bot.store import schema

Row = dict[str, Any]

_pr = schema.pull_requests.c
PULL_REQUEST = (
    *(_pr.number, _pr.title, _pr.author, _pr.merged_at, _pr.body, _pr.author_kind, _pr.created_at, _pr.base),
    *(_pr.commit, _pr.counted, _pr.truncated, _pr.labels, _pr.reviews, _pr.threads, _pr.comments),
)
_file = schema.changed_files.c
CHANGED_FILE = (
    _file.number,
    _file.path,
    _file.additions,
    _file.deletions,
    _file.status,
    _file.previous_path,
    _file.binary,
)
_assessed = schema.assessments.c
ASSESSMENT = (_assessed.number, _assessed.importance, _assessed.reasons, _assessed.tags, _assessed.risks)
_fact = schema.diff_facts.c
DIFF_FACT = (
    *(_fact.number, _fact.kind, _fact.path, _fact.name),
    *(_fact.old, _fact.new, _fact.lines, _fact.other),
)
_commit = schema.direct_commits.c
DIRECT_COMMIT = (_commit.commit, _commit.subject, _commit.author, _commit.committed_at)
_release = schema.releases.c
RELEASE = (_release.name, _release.tagged_at, _release.cut_at, _release.picks, _release.prerelease)


def from_pull_request(repository_id: int, pr: PullRequest) -> Row:
    return {
        "repository_id": repository_id,
        "number": pr.number,
        "merged_at": pr.merged_at,
        "base": pr.base,
        "counted": pr.counted,
        "truncated": pr.truncated,
        "author_kind": pr.author_kind,
        "created_at": pr.created_at,
        "commit": pr.commit,
        "author": pr.author,
        "title": pr.title,
        "labels": pr.labels,
        "body": pr.body,
        "reviews": None if pr.reviews is None else [_from_review(review) for review in pr.reviews],
        "threads": None if pr.threads is None else [_from_thread(thread) for thread in pr.threads],
        "comments": None if pr.comments is None else [_from_comment(comment) for comment in pr.comments],
    }


def from_files(repository_id: int, pr: PullRequest) -> Iterator[Row]:
    for position, file in enumerate(pr.files):
        yield {
            "repository_id": repository_id,
            "number": pr.number,
            "position": position,
            "path": file.path,
            "additions": file.additions,
            "deletions": file.deletions,
            "status": file.status,
            "previous_path": file.previous_path,
            "binary": file.binary,
        }


def to_pull_request(row: Sequence[Any], files: tuple[ChangedFile, ...] = ()) -> PullRequest:
    """A row of PULL_REQUEST; arguments by position, in the order of the model, for speed."""
    number, title, author, merged_at, body, author_kind, created_at, base, commit, *rest = row
    counted, truncated, labels, reviews, threads, comments = rest
    return PullRequest(
        number,
        title,
        author,
        merged_at,
        body,
        author_kind,
        created_at,
        base,
        commit,
        files,
        counted,
        truncated,
        tuple(labels),
        None if reviews is None else tuple(_to_review(review) for review in reviews),
        None if threads is None else tuple(_to_thread(thread) for thread in threads),
        None if comments is None else tuple(_to_comment(comment) for comment in comments),
    )


def to_files(rows: Iterable[Sequence[Any]]) -> dict[int, tuple[ChangedFile, ...]]:
    """Rows of CHANGED_FILE, those of one pull request in order, by its number."""
    files: dict[int, list[ChangedFile]] = {}
    for number, path, additions, deletions, status, previous_path, binary in rows:
        files.setdefault(number, []).append(ChangedFile(path, additions, deletions, status, previous_path, binary))
    return {number: tuple(changed) for number, changed in files.items()}


def _from_review(review: Review) -> Row:
    return {
        "author": review.author,
        "state": review.state,
        "submitted_at": _from_instant(review.submitted_at),
        "body": review.body,
    }


def _to_review(row: Row) -> Review:
    return Review(row["author"], row["state"], datetime.fromisoformat(row["submitted_at"]), row["body"])


def _from_comment(comment: Comment) -> Row:
    return {
        "author": comment.author,
        "created_at": _from_instant(comment.created_at),
        "body": comment.body,
        "url": comment.url,
    }


def _to_comment(row: Row) -> Comment:
    return Comment(row["author"], datetime.fromisoformat(row["created_at"]), row["body"], row["url"])


def _from_thread(thread: ReviewThread) -> Row:
    comments = [_from_comment(comment) for comment in thread.comments]
    return {"path": thread.path, "resolved": thread.resolved, "comments": comments}


def _to_thread(row: Row) -> ReviewThread:
    return ReviewThread(row["path"], row["resolved"], tuple(_to_comment(comment) for comment in row["comments"]))


def _from_instant(instant: datetime) -> str:
    if instant.tzinfo is None:
        raise ValueError(f"an instant needs a time zone to be stored: {instant!r}")
    return instant.astimezone(UTC).isoformat()


def from_assessment(repository_id: int, assessment: Assessment) -> Row:
    return {
        "repository_id": repository_id,
        "number": assessment.number,
        "importance": assessment.importance,
        "reasons": [{"kind": r.kind, "points": r.points, "values": dict(r.values)} for r in assessment.reasons],
        "tags": assessment.tags,
        "risks": [{"category": r.category, "rule": r.rule, "values": dict(r.values)} for r in assessment.risks],
    }


def to_assessment(row: Sequence[Any]) -> Assessment:
    number, importance, reasons, tags, risks = row
    return Assessment(
        number,
        importance,
        tuple(Reason(r["kind"], r["points"], _to_values(r["values"])) for r in reasons),
        tuple(tags),
        tuple(Risk(r["category"], r["rule"], _to_values(r["values"])) for r in risks),
    )


def _to_values(values: Mapping[str, Any]) -> dict[str, Scalar]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def from_diff_fact(repository_id: int, position: int, fact: DiffFact) -> Row:
    return {
        "repository_id": repository_id,
        "number": fact.number,
        "position": position,
        "kind": fact.kind,
        "path": fact.path,
        "name": fact.name,
        "old": fact.old,
        "new": fact.new,
        "lines": fact.lines,
        "other": fact.other,
    }


def to_diff_fact(row: Sequence[Any]) -> DiffFact:
    return DiffFact(*row)


def from_direct_commit(repository_id: int, commit: DirectCommit) -> Row:
    return {
        "repository_id": repository_id,
        "commit": commit.commit,
        "committed_at": commit.committed_at,
        "author": commit.author,
        "subject": commit.subject,
    }


def to_direct_commit(row: Sequence[Any]) -> DirectCommit:
    return DirectCommit(*row)


def from_release(repository_id: int, position: int, release: Release) -> Row:
    return {
        "repository_id": repository_id,
        "position": position,
        "name": release.name,
        "tagged_at": release.tagged_at,
        "cut_at": release.cut_at,
        "prerelease": release.prerelease,
        "picks": sorted(release.picks),
    }


def to_release(row: Sequence[Any]) -> Release:
    name, tagged_at, cut_at, picks, prerelease = row
    return Release(name, tagged_at, cut_at, frozenset(picks), prerelease)
