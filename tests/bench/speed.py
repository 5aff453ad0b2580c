"""The figures that are measured inside this process: the clone source, the digest, a stored command."""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from statistics import median

from bot.analysis import rules
from bot.digest.build import build
from bot.dispatch import Context, Subject, answer
from bot.models import Period, Reading
from bot.sources.clone import CloneSource
from bot.text import Wording
from handlers import HANDLERS
from tests.bench.figures import Figure, compared, seconds
from tests.bench.gitlog import recorded
from tests.bench.inputs import REPOSITORY, Input, Inputs

_SPAN = timedelta(weeks=13)
_ROUNDS = 7
_ANSWERS = 31


def iterator(name: str, one: Input, period: Period) -> Figure:
    """The clone source's iterator over 13 weeks, from an unread clone on, against the `git log --numstat` it runs."""

    def ours() -> None:
        deque(CloneSource(one.clone).history(period.until - _SPAN, period.until), maxlen=0)

    commands = [command for command in recorded(ours) if "--numstat" in command.arguments]
    if not commands:
        raise RuntimeError("the clone source ran no git log --numstat: nothing to compare it with")

    def bare() -> None:
        for command in commands:
            command.run()

    ratio, note = compared(ours, bare, _ROUNDS)
    return Figure(f"clone iterator, 13 weeks, {name}", ratio, 1.3, "×", note)


def digest(inputs: Inputs) -> Figure:
    """The week's digest from the larger store against the same from the smaller one."""
    judged, wording = rules.load(), _wording()

    def built(one: Input) -> None:
        build(one.store.load_week(REPOSITORY, inputs.period), judged, wording)

    ratio, note = compared(lambda: built(inputs.large), lambda: built(inputs.small), _ROUNDS)
    sizes = f"{inputs.large.pull_requests} against {inputs.small.pull_requests} pull requests"
    return Figure("digest from the store", ratio, 1.5, "×", f"{note}, {sizes}")


def command(inputs: Inputs, text: str = "/digest risks") -> Figure:
    """A command answered from the larger store, in milliseconds: the median of many, the first one left out."""
    subject = Subject(REPOSITORY, Reading(), rules.load(), _wording())
    context = Context(inputs.large.store, {REPOSITORY: subject}, inputs.period, inputs.period.until)

    def asked() -> None:
        if not answer(context, text, HANDLERS).answered:
            raise RuntimeError(f"{text} was not answered")

    asked()
    took = [seconds(asked) for _ in range(_ANSWERS)]
    return Figure(
        f"command {text}", median(took) * 1000, 50, " ms", f"the slowest of {_ANSWERS}: {max(took) * 1000:.0f} ms"
    )


def _wording() -> Wording:
    return Wording(lambda number: f"https://github.example/{REPOSITORY}/pull/{number}")
