"""The index of an answer's words: question, prose, quotes and titles of documents.

SQLite's FTS5 or PostgreSQL's ``tsvector``. Both get the same tokens, so both find the same: letters
and digits, without case and without accents. Unlike every other table it forgets: an erased
answer's words leave it, and on SQLite its old pages too.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

#: Tables of the index begin with this name; SQLite adds some of its own.
TABLE = "answer_words"
#: How much of one answer is searched: PostgreSQL's limit is 1 MB, and this stays below it. Its
#: longest part takes half.
MAX_CHARACTERS = 100_000
#: PostgreSQL leaves out longer words, so we do on both.
MAX_WORD = 100
#: A question of more words or phrases is cut.
MAX_TERMS = 16
_WORD = re.compile(r"[^\W_]+")
_TERM = re.compile(r'"([^"]*)"?|(\S+)')

_MAKE = {
    "sqlite": (f"CREATE VIRTUAL TABLE {TABLE} USING fts5(words, tokenize = 'unicode61')",),
    "postgresql": (
        f"CREATE TABLE {TABLE} (number BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
        f"CREATE INDEX {TABLE}_by_word ON {TABLE} USING gin (words)",
    ),
}
ADD = {
    "sqlite": text(f"INSERT INTO {TABLE} (rowid, words) VALUES (:number, :words)"),  # noqa: S608 - ours
    "postgresql": text(
        f"INSERT INTO {TABLE} VALUES (:number, to_tsvector('simple', :words))"  # noqa: S608 - ours
    ),
}
# One text: tens of thousands of rows take a tenth of a second to hand over.
_FIND = {
    "sqlite": text(
        f"SELECT group_concat(rowid, ' ') FROM {TABLE} WHERE {TABLE} MATCH :asked"  # noqa: S608 - ours
    ),
    "postgresql": text(
        f"SELECT string_agg(number::text, ' ') FROM {TABLE}"  # noqa: S608 - ours
        " WHERE words @@ to_tsquery('simple', :asked)"
    ),
}
_NUMBER = "(SELECT number FROM answer_fact WHERE verification_id = :verification_id)"
_REMOVE = {
    "sqlite": text(f"DELETE FROM {TABLE} WHERE rowid = {_NUMBER}"),  # noqa: S608 - ours
    "postgresql": text(f"DELETE FROM {TABLE} WHERE number = {_NUMBER}"),  # noqa: S608 - ours
}
# FTS5 marks what is deleted, and drops it when it merges: here, at once.
_MERGE = text(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('optimize')")  # noqa: S608 - ours


def make_words_index(connection: Connection) -> None:
    """Make the empty index."""
    for statement in _MAKE[connection.dialect.name]:
        connection.execute(text(statement))


def list_words(payload: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """The tokens of a payload in the native shape, clipped; "" for one without words."""
    parts = [payload.get("question"), payload.get("answer"), *more, *_list_cited(payload)]
    words = [part[: MAX_CHARACTERS // 2] for part in parts if isinstance(part, str)]
    return " ".join(_to_tokens(" ".join(words)))


def add_words(connection: Connection, number: int, words: str) -> None:
    """Index the tokens of the answer of this number."""
    connection.execute(ADD[connection.dialect.name], {"number": number, "words": words})


def find_numbers(connection: Connection, asked: str) -> list[int]:
    """The numbers of the answers that have every word and every "phrase in quotes".

    An empty list too where nothing that was asked is a word.
    """
    phrases = [_to_tokens(found[1] or found[2] or "") for found in _TERM.finditer(asked)]
    phrases = [phrase for phrase in phrases if phrase][:MAX_TERMS]
    if not phrases:
        return []
    if connection.dialect.name == "sqlite":
        query = " AND ".join('"' + " ".join(phrase) + '"' for phrase in phrases)
    else:
        # Tokens are letters and digits, so none is an operator.
        query = " & ".join("(" + " <-> ".join(phrase) + ")" for phrase in phrases)
    found = connection.execute(_FIND[connection.dialect.name], {"asked": query})
    return [int(number) for number in (found.scalar() or "").split()]


def remove_words(connection: Connection, verification_id: str) -> None:
    """Take an answer out of the index; nothing happens where it is not in it."""
    connection.execute(_REMOVE[connection.dialect.name], {"verification_id": verification_id})
    if connection.dialect.name == "sqlite":
        connection.execute(_MERGE)


def _list_cited(payload: Mapping[str, Any]) -> Iterator[object]:
    citations = payload.get("citations")
    for citation in citations if isinstance(citations, list) else ():
        if isinstance(citation, dict):
            span = citation.get("span")
            yield citation.get("doc_title")
            yield span.get("text") if isinstance(span, dict) else None


def _to_tokens(words: str) -> list[str]:
    spread = unicodedata.normalize("NFKD", words[:MAX_CHARACTERS]).casefold()
    plain = "".join(c for c in spread if not unicodedata.combining(c))[:MAX_CHARACTERS]
    return [word for word in _WORD.findall(plain) if len(word) <= MAX_WORD]
