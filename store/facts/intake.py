"""The facts of an answer: made of its block, its payload and its searchable rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from spanproof.store.database.columns import Row
from spanproof.store.database.session import take_turn
from spanproof.store.facts.tables import AnswerFactRow
from spanproof.store.facts.words import add_words, list_words
from spanproof.store.names import to_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

Values = dict[str, Any]
#: Labels of one answer that are counted; the payload has them all.
MAX_LABELS = 20
_FACTS = Row.metadata.tables[str(AnswerFactRow.__tablename__)]
_ADD = _FACTS.insert()
_NEWEST = select(func.max(_FACTS.c.number))
#: A writer that takes the next number waits for the one before: numbers follow the commits.
_TURN = "answer facts"


def to_fact_row(
    verification: Values,
    others: Mapping[str, Sequence[Values]],
    block: Mapping[str, Any],
    payload: Mapping[str, Any],
) -> Values:
    """The row without its number: of a verification, its verdicts, their codes, and the payload.

    An erased answer has an empty block and an empty payload; its rows still count.
    """
    verdicts = others.get("verdict", ())
    codes = [row["code"] for row in others.get("verdict_code", ())]
    given = block.get("codes")
    codes += [code for code in given if isinstance(code, str)] if isinstance(given, list) else []
    policy = block.get("policy")
    return {
        "verification_id": verification["verification_id"],
        "verified_at": verification["verified_at"],
        "result": verification["result"],
        "verdicts": verification["verdicts"],
        "failed": sum(row["outcome"] == "fail" for row in verdicts),
        "generator_model": verification["generator_model"],
        "prompt_id": verification["prompt_id"],
        "policy": to_label(policy.get("name")) if isinstance(policy, dict) else None,
        "index_versions_json": _to_list(row["index_version"] for row in verdicts),
        "documents_json": _to_list(row["doc_hash"] for row in verdicts),
        "outcomes_json": _to_list(row["outcome"] for row in verdicts),
        "codes_json": _to_list(codes),
        "labels_json": _to_list(_list_labels(payload)),
    }


def add_facts(connection: Connection, facts: Values, words: str) -> None:
    """Insert the row under the next number, and index the words."""
    take_turn(connection, _TURN)
    number = (connection.execute(_NEWEST).scalar() or 0) + 1
    connection.execute(_ADD, facts | {"number": number})
    if words:
        add_words(connection, number, words)


def list_answer_words(block: Mapping[str, Any], payload: Mapping[str, Any]) -> str:
    """The tokens of an answer. Where its payload has no prose of ours, the claims stand in."""
    claims: list[str] = []
    if not isinstance(payload.get("answer"), str):
        claims = [verdict["claim"]["text"] for verdict in block.get("verdicts", ())]
    return list_words(payload, claims)


def _list_labels(payload: Mapping[str, Any]) -> list[str]:
    labels = payload.get("labels")
    if not isinstance(labels, dict):
        return []
    pairs = [f"{name}={value}" for name, value in labels.items() if isinstance(value, str)]
    return [to_label(pair) or "" for pair in pairs[:MAX_LABELS]]


def _to_list(values: Iterable[str | None]) -> str:
    return json.dumps(sorted({value for value in values if value is not None}))
