"""What a finding says, with everything it claims counted again."""

from bot.analysis import rules
from bot.digest.recount import Recount
from bot.digest.telling import tell
from bot.digest.verify import check
from bot.message import PullRequestRef
from bot.models import Finding, Week
from bot.text import Wording


def sentence(finding: Finding, week: Week) -> str:
    """The sentence of a finding; fails when a figure or name in it does not hold, or names an unlisted number."""
    [told] = tell([finding], Wording(lambda number: f"https://git.example.com/pull/{number}"), week.period)
    assert not check(told.text, Recount(week, rules.load())).failures
    named = {span.number for span in told.text if isinstance(span, PullRequestRef)}
    assert named <= set(finding.pull_requests)
    return "".join(span.text for span in told.text)
