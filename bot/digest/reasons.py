"""The reasons of an importance score and the evidence of a risk, in words."""

from __future__ import annotations

from bot.figures import Scalar
from bot.message import Spans
from bot.models import Assessment, Reason, Risk
from bot.text import Wording


def reason_lines(assessment: Assessment, wording: Wording) -> list[tuple[Reason, Spans]]:
    """Each reason with its sentence, weightiest first."""
    return [
        (
            one,
            wording.line("replies/reason", kind=one.kind, **{name: shown(value) for name, value in one.values.items()}),
        )
        for one in assessment.reasons
    ]


def reason_texts(assessment: Assessment, wording: Wording) -> list[str]:
    """The sentences alone, as plain text with their points."""
    return [
        f"{''.join(span.text for span in line)} {reason.points:+.1f}"
        for reason, line in reason_lines(assessment, wording)
    ]


def risk_line(risk: Risk, wording: Wording) -> Spans:
    """What raised a risk, in words; a rule that a team added has the general words."""
    values = {name: shown(value) for name, value in risk.values.items()}
    return wording.line("replies/evidence", rule=risk.rule, values=values)


def shown(value: Scalar) -> object:
    """A value as templates show it: whole numbers without decimals, several as a list."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value
