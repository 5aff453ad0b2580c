"""An answer that takes too long becomes one that says so."""

import logging
from threading import Event

import pytest

from bot.deadline import within
from bot.message import Message
from bot.ports import Incoming, Reply
from bot.rendering.plain import to_plain

ASKED = Incoming("local", "general", "local", "risks")


def test_an_answer_in_time_passes_and_so_does_silence() -> None:
    reply = Reply(Message(()))
    assert within(lambda _: reply, 5)(ASKED) is reply
    assert within(lambda _: None, 5)(ASKED) is None


def test_what_goes_wrong_in_time_passes_on() -> None:
    def broken(_: Incoming) -> Reply:
        raise KeyError("planted")

    with pytest.raises(KeyError, match="planted"):
        within(broken, 5)(ASKED)


def test_a_late_answer_is_given_up_and_said_to_be(caplog: pytest.LogCaptureFixture) -> None:
    release = Event()

    def slow(_: Incoming) -> Reply:
        release.wait(10)
        return Reply(Message(()))

    with caplog.at_level(logging.WARNING):
        late = within(slow, 0.1)(ASKED)
    release.set()
    assert late is not None
    assert "没有算完" in to_plain(late.message)
    assert "no answer within 0.1 s in local channel general" in caplog.text
