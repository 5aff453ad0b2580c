"""Answers are computed one after another where that is asked for, also after one that failed."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.message import Message
from bot.ports import Incoming, Reply
from bot.turns import in_turn

ASKED = Incoming("local", "general", "local", "risks")


def test_no_more_than_so_many_are_computed_at_once() -> None:
    running, most = [0], [0]

    def respond(_: Incoming) -> Reply:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.02)
        running[0] -= 1
        return Reply(Message(()))

    answer = in_turn(respond, 1)
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(answer, [ASKED] * 8))) == 8
    assert most == [1]


def test_a_failure_gives_up_its_turn() -> None:
    def broken(_: Incoming) -> Reply:
        raise KeyError("planted")

    answer = in_turn(broken, 1)
    for _ in range(3):
        with pytest.raises(KeyError, match="planted"):
            answer(ASKED)
