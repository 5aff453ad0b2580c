"""The kinds of phrases that people write, read from `phrases.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML

from bot.text import terms

_CHINESE = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z]{3,}(?![A-Za-z0-9_])")
_PARTICLES = "[了啦哈呀吧呢啊哦噢嘞滴哒]*+"


@dataclass(frozen=True, slots=True)
class Phrases:
    """One expression a kind; what each kind is says the comment beside it in `phrases.yaml`."""

    greeting: re.Pattern[str]
    acknowledgement: re.Pattern[str]
    detail: re.Pattern[str]
    second_person: re.Pattern[str]
    first_person: re.Pattern[str]
    for_oneself: re.Pattern[str]
    logistics: re.Pattern[str]
    vague: re.Pattern[str]
    wonder: re.Pattern[str]
    interrogative: re.Pattern[str]
    tell: re.Pattern[str]
    subject: re.Pattern[str]
    identifier: re.Pattern[str]
    small_talk: re.Pattern[str]
    chinese_name: re.Pattern[str]
    connectives: frozenset[str]


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """Every kind, compiled once."""
    read: Mapping[str, Any] = YAML(typ="safe").load(
        files("bot.conversing").joinpath("phrases.yaml").read_text(encoding="utf-8")
    )
    kinds = {name: _pattern(kind) for name, kind in read.items() if isinstance(kind, dict)}
    kinds |= {name: _one_after_another(read[name]["text"]) for name in ("greeting", "acknowledgement", "detail")}
    kinds["identifier"] = re.compile(kinds["identifier"].pattern)
    return Phrases(**kinds, chinese_name=_chinese_name(read), connectives=frozenset(read["connectives"]))


def has_subject(text: str, categories: Iterable[str]) -> bool:
    """Whether a text speaks of what a digest knows: changes, files, tags, risks, or a name out of the code."""
    known = phrases()
    if known.subject.search(text) or known.identifier.search(text):
        return True
    folded, names = text.casefold(), (*terms()["tag"].values(), *categories)
    if any(name.casefold() in folded for name in names if _CHINESE.search(name)):
        return True
    # A Latin word inside Chinese is nearly always a name out of the code.
    return bool(_CHINESE.search(text)) and bool(_LATIN.search(known.small_talk.sub(" ", text)))


def _pattern(kind: Mapping[str, Iterable[str]]) -> re.Pattern[str]:
    parts = list(kind.get("text", ()))
    if "words" in kind:
        parts.append(rf"(?<![A-Za-z0-9_])(?:{'|'.join(kind['words'])})(?![A-Za-z0-9_])")
    return re.compile("|".join(parts), re.IGNORECASE)


def _one_after_another(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, also written on without a space between; nothing is tried twice, however long the text."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?>(?:{'|'.join(longest_first)}){_PARTICLES})*+", re.IGNORECASE)


def _chinese_name(read: Mapping[str, Any]) -> re.Pattern[str]:
    """A name or a title at the beginning: before a colon or comma, or before what people are asked to do."""
    named = rf"(?!{'|'.join(read['no_names'])})[{read['family_names']}][\u4e00-\u9fff]{{1,2}}"
    asked = r"\s+(?=看|帮|来|麻烦|确认|跟|处理|负责|修|合|#)|(?=看[看下一]|帮[忙看我]|来看|确认[下一])"
    return re.compile(rf"(?:{'|'.join([*read['titles'], named])})(?:[：:,，、]|{asked})")
