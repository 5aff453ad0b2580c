"""Whether something said is answered: silence in doubt, because asking again is cheaper than an unasked answer."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from bot.commands import is_command, normalised
from bot.conversing.addressees import speaks_to_somebody
from bot.conversing.phrases import has_subject, phrases
from bot.conversing.references import Reference, known_as, references, without_references
from bot.ports import Incoming

Listen = Literal["thread", "mention"]

_LONGEST = 240  # characters; what is longer was written for people
_BETWEEN = re.compile(r"[\s,.!?~;:、。…\-+*_()\[\]]+")
_EMOJI = re.compile(r":[a-z0-9_+-]+:|[^\w\s#@/.,:;?!()\[\]<>=+*'\"`~、。·&%$|\\^{}-]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]")


class Manner(Enum):
    """What is due to something said."""

    ANSWER = auto()
    GREET = auto()
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Setting:
    """Where something was said, and what can be asked there.

    `in_digest`: in the thread of a digest; `listen` is its subscription's. `categories` are the names of the risk
    categories and `repositories` those of the repositories that may be asked about.
    """

    in_digest: bool
    listen: Listen = "thread"
    command: str = "/digest"
    categories: Collection[str] = ()
    repositories: Collection[str] = ()


def manner(incoming: Incoming, setting: Setting) -> Manner:
    """What is due to something said there."""
    if incoming.addressed:
        return _to_the_bot(incoming)
    listens = setting.in_digest and setting.listen == "thread" and not incoming.to_others
    return Manner.ANSWER if listens and _asks_the_digest(incoming.text, setting) else Manner.SILENCE


def asks(text: str, setting: Setting) -> bool:
    """Whether a text, Chinese or English, asks what a digest may know, and asks it of no person; in doubt not."""
    line, names_one = _rest(text, setting), bool(references(text, setting.repositories))
    return not _is_among_people(line, names_one=names_one) and _is_question(line, setting, names_one=names_one)


def sounds_like_a_question(text: str) -> bool:
    """Whether a text that was said to the bot is a question or a request, rather than a mistyped command."""
    line, known = without_references(text[:_LONGEST]), phrases()
    return "?" in line or any(sign.search(line) for sign in (known.interrogative, known.tell))


def _to_the_bot(incoming: Incoming) -> Manner:
    if incoming.private or incoming.message is None:  # a slash command or a button is never a mere word of thanks
        return Manner.ANSWER
    line = normalised(incoming.text)
    if len(line) > _LONGEST:
        return Manner.ANSWER
    if not _WORD.search(line) and not _EMOJI.search(line):
        return Manner.GREET
    known, words = phrases(), [word for word in _BETWEEN.split(_EMOJI.sub(" ", line)) if word]
    rest = [word for word in words if not known.greeting.fullmatch(word)]
    if any(not known.acknowledgement.fullmatch(word) for word in rest):
        return Manner.ANSWER
    return Manner.SILENCE if len(rest) == len(words) else Manner.GREET


def _asks_the_digest(text: str, setting: Setting) -> bool:
    if not text.strip() or len(text) > _LONGEST or speaks_to_somebody(text):
        return False
    if is_command(text, setting.command, categories=setting.categories):
        return True
    named = references(text, setting.repositories)
    if any(_is_foreign(one, setting) for one in named):
        return False
    return asks(text, setting) or (bool(named) and _only_names(_rest(text, setting), named))


def _is_question(line: str, setting: Setting, *, names_one: bool) -> bool:
    if not names_one and not has_subject(line, setting.categories):
        return False
    known = phrases()
    if known.interrogative.search(line) or known.tell.search(line):
        return True
    return "?" in line and len(_WORD.findall(line)) > 1 and not known.wonder.search(line)


def _is_among_people(line: str, *, names_one: bool) -> bool:
    known = phrases()
    others = known.for_oneself.sub(" ", line)
    signs = (known.second_person, known.first_person, known.logistics)
    return any(sign.search(others) for sign in (signs if names_one else (*signs, known.vague)))


def _only_names(line: str, named: tuple[Reference, ...]) -> bool:
    """Whether a text names pull requests, not by mere links, and beside them (`line`) but what one wants to know."""
    return not all(one.by_link for one in named) and phrases().detail.fullmatch(line) is not None


def _rest(text: str, setting: Setting) -> str:
    return without_references(text, setting.repositories)


def _is_foreign(one: Reference, setting: Setting) -> bool:
    return one.repository is not None and known_as(one.repository, setting.repositories) is None
