"""The context of a span and a claim, for those that do not say enough alone.

A table cell means little without its headers, a paragraph without its heading or the sentence
before it ("It is due in May"), an answer like "Yes, four days" without its question. All of it is
taken from the same document and the same answer, and none of it may carry the claim by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.blocks import Blocks
from spanproof.verifier.claims.claims import split_sentences
from spanproof.verifier.claims.statements import states_something
from spanproof.verifier.support.page_tables import lay_out_cells
from spanproof.verifier.support.premise import Premise, Slice, cut_words, slice_of
from spanproof.verifier.support.tables import find_table, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block, BlockKind, Place
    from spanproof.core.span import Span
    from spanproof.core.verdicts.status import SupportContext

#: Context in all, one heading of it, and how many levels of headings. More is another passage.
MAX_CONTEXT_CHARACTERS, MAX_HEADING_CHARACTERS, MAX_HEADINGS = 600, 200, 3
#: A claim of so few words without a verb of being or having is a fragment.
_MAX_FRAGMENT_WORDS = 6
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|may|might|must|shall|should"
    r"|will|would)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"(?:yes|no|yeah|correct|true|false|indeed|it|its|they|their|he|his|she|her|this|that|these"
    r"|those|both|neither|one|none)\b",
    re.IGNORECASE,
)
_PROSE: tuple[BlockKind, ...] = (
    "paragraph",
    "list_item",
    "footnote",
    "notes",
    "caption",
    "code",
    "other",
)
_STOP = re.compile(r"[.!?:;][\"'”’)\]]*\s*$")
_WORD = re.compile(r"\w+")
#: A stop, a colon or a number: more than a name. And the end of a paragraph that another follows.
_SAYS = re.compile(r"[.!:;]|\d")
_NEXT_PARAGRAPH = re.compile(r"\r?\n[ \t]*\r?\n\s*\S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A premise and words that complete the claim; ``alone`` is the premise without the span."""

    name: SupportContext
    premise: Premise
    alone: Premise | None
    question: str | None


def find_contexts(
    extraction: Extraction, span: Span, hypothesis: str, question: str | None, *, citation: int
) -> tuple[Context, ...]:
    """In the order in which they are tried: the premise's, the claim's, both."""
    bare = Premise.of_span(extraction, span, citation=citation)
    headers = _put_headers(extraction, span, citation)
    asked = complete_with(question, hypothesis)
    contexts = [] if headers is None else [headers]
    if asked is not None:
        contexts.append(Context(name="question", premise=bare, alone=None, question=asked))
    if asked is not None and headers is not None:
        contexts.append(replace(headers, name="question", question=asked))
    return tuple(contexts)


def complete_with(question: str | None, hypothesis: str) -> str | None:
    """The question, if the claim is a fragment or begins with a word that points back."""
    asked = " ".join((question or "").split())
    if not asked:
        return None
    words = len(_WORD.findall(hypothesis))
    is_fragment = words <= _MAX_FRAGMENT_WORDS and not _AUXILIARY.search(hypothesis)
    if not is_fragment and not _POINTING.match(hypothesis):
        return None
    return asked if asked.endswith("?") else asked + "?"


def is_title(extraction: Extraction, span: Span, hypothesis: str) -> bool:
    """Whether the span is a heading that names something, and the claim states something of it."""
    text = extraction.text.text
    words = text[span.start : span.end].strip()
    if not words or len(words) > MAX_HEADING_CHARACTERS or _SAYS.search(words):
        return False
    if states_something(words) or not states_something(hypothesis):
        return False
    holding = Blocks.of(extraction.blocks).holding(span)
    if holding:
        return holding[-1].kind in {"title", "heading"}
    # Without blocks: a line by itself, before another paragraph.
    before, after = text[: span.start].rstrip(" \t"), text[span.end :].lstrip(" \t")
    return (not before or before.endswith("\n")) and bool(_NEXT_PARAGRAPH.match(after))


def _put_headers(extraction: Extraction, span: Span, citation: int) -> Context | None:
    """Headings, then headers or the sentence before, then the span; None without any of these."""
    table = find_table(extraction.blocks, span)
    lead = list(_find_headings(extraction, span if table is None else table.span))
    body: list[Slice | str] = [slice_of(extraction, span, citation=citation)]
    if table is not None:
        body = lay_out(extraction, table, span, citation) or body
    elif cells := lay_out_cells(extraction, span, citation):
        body = cells
    else:
        before = _sentence_before(extraction, span)
        if before is not None:
            lead += [before, " "]
    parts = [*lead, *body]
    around = [part for part in parts if isinstance(part, str) or part.citation is None]
    used = sum(len(part.text) for part in around if not isinstance(part, str))
    if not 0 < used <= MAX_CONTEXT_CHARACTERS:
        return None
    return Context(
        name="headers", premise=Premise.join(parts), alone=Premise.join(around), question=None
    )


def _find_headings(extraction: Extraction, span: Span) -> Iterator[Slice | str]:
    path: list[Block] = []
    blocks = Blocks.of(extraction.blocks)
    holding = [block for block in blocks.holding(span) if block.place is not None]
    place = holding[-1].place if holding else None
    level = 100
    for block in reversed(blocks.of_kind("title", "heading")):
        if block.span.end > span.start:
            continue
        if not _share_part(block.place, place):
            continue
        own = 0 if block.kind == "title" else block.level or 1
        if own < level and len(path) < MAX_HEADINGS and len(block.span) <= MAX_HEADING_CHARACTERS:
            path.append(block)
            level = own
    for block in reversed(path):
        heading = cut_words(extraction, block.span)
        yield heading
        yield " " if _STOP.search(heading.text) else ". "


def _share_part(one: Place | None, other: Place | None) -> bool:
    """A heading of another slide or part of a container heads something else."""
    if one is None or other is None:
        return True
    return (one.part, one.slide) == (other.part, other.slide)


def _sentence_before(extraction: Extraction, span: Span) -> Slice | None:
    """The sentence before the span, or the beginning of the span's own sentence."""
    text = extraction.text.text
    first = max(_paragraph_start(extraction.blocks, span), span.start - MAX_CONTEXT_CHARACTERS)
    window = text[first : span.start]
    sentences = [sentence.span for sentence in split_sentences(window)]
    if span.start - first == MAX_CONTEXT_CHARACTERS and sentences:
        del sentences[0]  # the cut may have taken its beginning
    if not sentences:
        return None
    last = sentences[-1]
    is_whole = bool(_STOP.search(window[last.start :])) or "\n" in window[last.end :]
    chosen = last if is_whole or len(sentences) == 1 else sentences[-2]
    return Slice(text=window[chosen.start :].rstrip(), start=first + chosen.start)


def _paragraph_start(blocks: Sequence[Block], span: Span) -> int:
    """The start of the block that has the words before the span; 0 without blocks.

    A heading or a table before the span's paragraph is not a sentence: then it is the span's start.
    """
    if not blocks:
        return 0
    above = Blocks.of(blocks)[: Blocks.of(blocks).count_before(span.start)]
    before = above.of_kind(*_PROSE)
    if not before:
        return span.start
    nearest = before[-1].span
    between = above.count_before(nearest.end) < len(above)
    return span.start if between else nearest.start
