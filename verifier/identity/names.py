"""Before step 2: of the names that a framework has for a document, the one that is known here.

A node of a framework has several: the address of its source, a file's path or name, an id that is
drawn anew at each run. The reader of its format gives them in the order in which they are tried.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.documents.document import Library


def list_names(answer: Answer) -> list[str]:
    """Every name under which a document of the answer may be kept, each once."""
    parts: list[Citation | Retrieval] = [*answer.citations, *answer.retrieved]
    return list(dict.fromkeys(name for part in parts for name in part.names))


def choose_names(answer: Answer, library: Library) -> Answer:
    """The answer with each document under the first of its names that the library knows.

    A document none of whose names is known keeps the name that it has.
    """
    known = {name for name in list_names(answer) if library.resolve(name) is not None}
    if not known:
        return answer
    return replace(
        answer,
        citations=tuple(
            replace(each, doc_id=_choose(each.names, known, each.doc_id))
            for each in answer.citations
        ),
        retrieved=tuple(
            replace(each, doc_id=_choose(each.names, known, each.doc_id))
            for each in answer.retrieved
        ),
    )


def _choose(names: tuple[str, ...], known: set[str], named: str | None) -> str | None:
    return next((name for name in names if name in known), named)
