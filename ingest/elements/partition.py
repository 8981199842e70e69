"""unstructured's reading of a document: the kind of each part, and a check that none was lost.

The text that we keep comes from the document's own markup, because unstructured leaves out what a
reader sees (text boxes, insertions, charts, …) and rewrites white space. Its elements say what a
paragraph is where the markup does not, and its words must all be in our text: a page on which
they are not is degraded.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.ingest.elements.library import load_unstructured
from spanproof.ingest.media_type import CSV, DOCX, EML, HTML, MSG, TSV, XML

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.core.documents.text_block import BlockKind

#: Titles are left out: unstructured guesses them from short lines.
_KINDS: Mapping[str, BlockKind] = {
    "ListItem": "list_item",
    "Address": "address",
    "CodeSnippet": "code",
    "FigureCaption": "caption",
}
#: Not text of the document: a picture's description, a break.
_NOT_TEXT = frozenset({"Image", "PageBreak"})
_OPTIONS: Mapping[str, dict[str, Any]] = {
    DOCX: {"include_page_breaks": False, "infer_table_structure": False},
    EML: {"content_source": "text/plain", "process_attachments": False},
    MSG: {"process_attachments": False},
    # These are handed over decoded: two guesses at an encoding could differ.
    HTML: {"encoding": "utf-8"},
    XML: {"encoding": "utf-8"},
    CSV: {"encoding": "utf-8"},
    TSV: {"encoding": "utf-8"},
}
#: A larger document is not asked about: a guess at its kinds is not worth the time.
MOST_BYTES = 32 << 20
_WORD = re.compile(r"[^\W\d_]{2,}")
_BULLET = re.compile(r"^\W+")
# Generated words ("Error", a field's name) are not a loss; a sentence is.
_FEW_WORDS, _SMALL_SHARE = 3, 0.01


@dataclass(slots=True, kw_only=True)
class Reading:
    """What unstructured found; empty where it was not asked."""

    #: Why its word is missing as a whole.
    problem: str | None = None
    _kinds: dict[str, list[BlockKind | None]] = field(default_factory=lambda: defaultdict(list))
    _words: dict[int | None, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, category: str, text: str, page: int | None) -> None:
        """Take one element."""
        if category not in _NOT_TEXT:
            self._kinds[_squeeze(text)].append(_KINDS.get(category))
            self._words[page].update(_words_of(text))

    @property
    def is_empty(self) -> bool:
        """Whether no element with text was taken."""
        return not self._kinds

    def kind_of(self, text: str) -> BlockKind | None:
        """What a paragraph of this text is, where unstructured is more than guessing."""
        found = self._kinds.get(_squeeze(text))
        return None if not found else found.pop(0) if len(found) > 1 else found[0]

    def find_problem(self, text: str, page: int | None = None, *, unseen: str = "") -> str | None:
        """What is wrong with a page: words lost by unstructured's reading, or hidden and left out.

        ``page`` is its number where unstructured numbers them; ``unseen`` is what was left out.
        """
        if not text.strip():
            return None
        if self.problem is not None:
            return self.problem
        theirs = self._words.get(page, Counter())
        missing = theirs - Counter(_words_of(f"{text} {unseen}"))
        if missing.total() <= max(_FEW_WORDS, _SMALL_SHARE * theirs.total()):
            return f"{len(unseen)} hidden characters are left out." if unseen else None
        some = " ".join(list(missing)[:5])
        return f"unstructured reads {missing.total()} words that are not in the text ({some} …)."


def partition(media_type: str, data: bytes, *, pages: bool = False) -> Reading:
    """Let unstructured read a document; ``pages``: its page numbers are to be believed."""
    if len(data) > MOST_BYTES:
        return Reading()
    call = load_unstructured()[media_type]
    reading = Reading()
    options = {"languages": [""], **_OPTIONS.get(media_type, {})}
    try:
        with _quiet():
            elements = call(file=io.BytesIO(data), **options)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001 - its many libraries raise anything
        return Reading(problem=f"unstructured cannot read it ({type(error).__name__}).")
    for element in elements:
        page = element.metadata.page_number if pages else None
        reading.add(element.category, element.text, page)
    if reading.is_empty:
        return Reading(problem="unstructured finds no element in it.")
    return reading


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' warnings and log lines about a stranger's document to ourselves."""
    previous = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(previous)


def _squeeze(text: str) -> str:
    """What two readings of a paragraph share: no white space, no bullet before it."""
    return _BULLET.sub("", "".join(text.split()))


def _words_of(text: str) -> list[str]:
    # Line breaks of a cell come as the two characters of their escape.
    return _WORD.findall(text.replace("\\n", " ").casefold())
