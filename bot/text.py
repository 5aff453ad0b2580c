"""Templates to spans: the only place where wording becomes text.

A template is a small Markdown (headings, lists, tables, `> ` small print, `**bold**`, backticks). Markup comes from
the template alone: an inserted value is replaced by a private-use token before Markdown is read and put back after,
so nothing that a value holds can turn into markup.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Undefined, pass_context
from jinja2.runtime import Context as TemplateContext
from markdown_it import MarkdownIt
from markupsafe import Markup
from ruamel.yaml import YAML

from bot.figures import Claim, Count, Measure, Word
from bot.message import (
    Block,
    Code,
    Context,
    Heading,
    Link,
    ListBlock,
    Plain,
    PullRequestRef,
    Span,
    Spans,
    Table,
    Text,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

_TOKEN = re.compile("\ue000([0-9]+)\ue001")
_VALUES, _URL = "_values", "_pull_request_url"  # what a template's context carries for the filters
_LONGEST = 240  # GitHub's own titles end at 256 characters
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_SPACES = re.compile(r"\s+")
_KEPT_FILTERS = ("length", "first", "last")  # `join` and `safe` would let a value's markup through


def clean(text: str) -> str:
    """One line without control, bidirectional, zero-width or private-use characters; a letter's own marks stay."""
    visible = "".join(char for char in text if char.isspace() or unicodedata.category(char) not in _INVISIBLE)
    return _SPACES.sub(" ", visible).strip()


def packaged(name: str) -> str:
    """The source of a template that comes with the project: `templates/NAME.md.j2`, or NAME when it has an ending."""
    return files("templates").joinpath(name if "." in name else f"{name}.md.j2").read_text(encoding="utf-8")


def shown(value: str) -> str:
    """A value as it is shown: clean, and cut with an ellipsis where it is longer than anybody reads."""
    cleaned = clean(value)
    return cleaned if len(cleaned) <= _LONGEST else f"{cleaned[: _LONGEST - 1]}…"


class Wording:
    """Renders templates.

    `pull_request_url` gives the address of a pull request by number, `source` the source of a template by name.
    """

    def __init__(self, pull_request_url: Callable[[int], str], source: Callable[[str], str] = packaged) -> None:
        self.url = pull_request_url
        self._source = source

    def blocks(self, template: str, /, **facts: object) -> tuple[Block, ...]:
        """Render `templates/TEMPLATE.md.j2` as blocks. Raises jinja2.UndefinedError where a fact is missing."""
        values: list[Spans] = []
        text = environment(self._source).get_template(template).render(**facts, **{_VALUES: values, _URL: self.url})
        return tuple(_blocks(markdown().parse(text), values))

    def line(self, template: str, /, **facts: object) -> Spans:
        """Render a template that is one paragraph. Raises ValueError when it is more."""
        match self.blocks(template, **facts):
            case ():
                return ()
            case (Text(spans=spans),):
                return spans
            case blocks:
                raise ValueError(f"template {template} gave {len(blocks)} blocks where one paragraph was asked for")

    def sentence(self, template: str, /, **facts: object) -> str:
        """Render a one-paragraph template as plain text."""
        return "".join(span.text for span in self.line(template, **facts))


def term(word: str, kind: str = "tag") -> str:
    """The one Chinese term for a word of the code's vocabulary (`templates/terms.yaml`); the word itself if none."""
    return str(terms().get(kind, {}).get(word, word))


@lru_cache(maxsize=1)
def terms() -> Mapping[str, Mapping[str, Any]]:
    """The glossary: kind of term -> word -> Chinese."""
    loaded: Mapping[str, Mapping[str, Any]] = YAML(typ="safe").load(packaged("terms.yaml"))
    return loaded


@pass_context
def _token(context: TemplateContext, value: object) -> Markup:
    if isinstance(value, Markup):  # the output of a macro of our own, already tokens
        return value
    if isinstance(value, Undefined):
        return _nothing(value)
    values: list[Spans] = context[_VALUES]
    values.append(_spans(value))
    return Markup(f"\ue000{len(values) - 1}\ue001")  # noqa: S704 - two private-use characters and an index


def _nothing(value: Undefined) -> Markup:
    """An inline `if` without `else` that did not hold; a missing fact raises UndefinedError instead."""
    return Markup() if value._undefined_name is None else Markup(str(value))  # noqa: S704, SLF001 - str() raises


@pass_context
def _ref(context: TemplateContext, number: int) -> PullRequestRef:
    return PullRequestRef(int(number), context[_URL](int(number)))


@pass_context
def _refs(context: TemplateContext, numbers: Iterable[int], between: str = "、") -> Spans:
    return _interspersed([(_ref(context, number),) for number in numbers], between)


def _link(url: str, words: str) -> Link:
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"no address that a reader could open: {url!r}")
    return Link(shown(words), url)


@lru_cache(maxsize=4)
def environment(source: Callable[[str], str]) -> Environment:
    """The template language over one source of templates."""
    language = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        finalize=_token,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    kept = {name: language.filters[name] for name in _KEPT_FILTERS}
    language.filters = kept | {"ref": _ref, "refs": _refs, "words": _joined, "term": term, "link": _link}
    return language


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """The Markdown that templates may use."""
    return MarkdownIt("zero").enable(["newline", "emphasis", "backticks", "heading", "list", "table", "blockquote"])


def _spans(value: object) -> Spans:
    match value:
        case Plain() | Code() | Link() | PullRequestRef():
            return (value,)
        case Count() | Measure():
            return (Plain(str(value) if isinstance(value, Measure) else f"{int(value):,}", claim=value.claim),)
        case Word():
            return (Plain(shown(value), claim=value.claim),)
        case date():
            return (Plain(f"{value:%m-%d}", claim=Claim.about("date", day=value.strftime("%Y-%m-%d"))),)
        case str():
            return (Plain(shown(value)),)
        case bool() | None:
            raise TypeError(f"a template shows {value!r}")
        case int() | float():
            return (Plain(str(value)),)
        case Sequence():
            return tuple(span for part in value for span in _spans(part))
    raise TypeError(f"a template shows a {type(value).__name__}")


def _joined(parts: Iterable[object], between: str = "、") -> Spans:
    return _interspersed([_spans(part) for part in parts], between)


def _interspersed(parts: Sequence[Spans], between: str) -> Spans:
    spans: list[Span] = []
    for part in parts:
        if spans:
            spans.append(Plain(between))
        spans.extend(part)
    return tuple(spans)


def _blocks(tokens: Sequence[Token], values: Sequence[Spans]) -> Iterable[Block]:
    """Markdown tokens to blocks; only what templates use is understood, anything else raises ValueError."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = _closing(tokens, position)
        inner = [_inline(part, values) for part in tokens[position:end] if part.type == "inline"]
        match token.type:
            case "paragraph_open":
                yield from (Text(spans) for spans in inner if spans)
            case "heading_open":
                yield Heading(inner[0], level=int(token.tag[1:]))
            case "blockquote_open":
                yield Context(tuple(span for spans in inner for span in spans))
            case "bullet_list_open" | "ordered_list_open":
                yield ListBlock(tuple(inner), ordered=token.type == "ordered_list_open")
            case "table_open":
                width = sum(part.type == "th_open" for part in tokens[position:end])
                rows = [tuple(inner[start : start + width]) for start in range(0, len(inner), width)]
                yield Table(rows[0], tuple(rows[1:]))
            case _:
                raise ValueError(f"a template used {token.type}, which a message does not know")
        position = end + 1


def _closing(tokens: Sequence[Token], position: int) -> int:
    depth = 0
    for index in range(position, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    raise ValueError("unbalanced Markdown")


def _inline(token: Token, values: Sequence[Spans]) -> Spans:
    spans: list[Span] = []
    bold = False
    for child in token.children or ():
        match child.type:
            case "text":
                spans.extend(_filled(child.content, values, bold=bold))
            case "code_inline":
                spans.extend(_as_code(span) for span in _filled(child.content, values, bold=False))
            case "strong_open" | "strong_close":
                bold = child.type == "strong_open"
            case "softbreak":  # a template's line ends are for its reader; Chinese has no space there
                continue
            case _:
                raise ValueError(f"a template used {child.type}, which a message does not know")
    return tuple(spans)


def _filled(content: str, values: Sequence[Spans], *, bold: bool) -> Iterable[Span]:
    for index, piece in enumerate(_TOKEN.split(content)):
        if index % 2:
            yield from (_with_bold(span) if bold else span for span in values[int(piece)])
        elif piece:
            yield Plain(piece, bold=bold)


def _with_bold(span: Span) -> Span:
    match span:
        case Plain(text=text, claim=claim):
            return Plain(text, bold=True, claim=claim)
        case PullRequestRef(number=number, url=url):
            return PullRequestRef(number, url, bold=True)
        case Link(text=text, url=url):
            return Link(text, url, bold=True)
    return span


def _as_code(span: Span) -> Code:
    return Code(span.text, claim=span.claim if isinstance(span, Plain) else None)
