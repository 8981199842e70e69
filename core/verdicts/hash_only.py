"""An answer without its words: digests, offsets, statuses and codes stay, each text is a notice.

Only strings that are our own words stay, by the names of their fields: a field that is new to a
block hides its words until it is named here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedDigestError

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]
#: The mode of a tenant that keeps no words.
HASH_ONLY = "hash-only"
#: Stands in the place of each text.
NOT_KEPT = f"not kept ({HASH_ONLY})"
#: The field of a block that says so.
KEPT = "kept"
#: Fields whose strings are our own words, digests, moments or links.
_OWN = frozenset(
    {
        *("abstention_reason", "calibration", "chunk", "citation_level", "cited_hash", "code"),
        *("codes", "context", "date", "declared_unit", "digest", "doc_hash", "engine"),
        *("extraction_id", "folds", "format", "grade", "identity", "kind", "labels", "method"),
        *("name", "observed_unit", "origin", "outcome", "policy", "reason", "result", "runtime"),
        *("recommended_action", "side", "status", "verdicts_digest", "verified_at"),
        *("verifier_version", "view_url", "weights_sha256"),
    }
)
#: A word without spaces; what another package or a caller wrote as a sentence is no such word.
_WORD = re.compile(r"[!-~]{0,300}", re.ASCII)
#: What a native payload says beside its words: when, in which session, under which labels.
_STAYING = ("answer_id", "answer_kind", "generated_at", "labels", "session_id", "trace_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutWords:
    """What is kept of an answer: a payload in the native format, and its block."""

    raw: bytes
    block: Json


def remove_words(
    payload: Mapping[str, Any], block: Mapping[str, Any], *, block_digest: Digest
) -> WithoutWords:
    """The payload (``answer`` and ``citations`` in the native shape) and the block without words.

    ``block_digest`` is the one that the receipt signs of the whole block.
    """
    citations = payload.get("citations")
    given = citations if isinstance(citations, list) else []
    hashes = {each["citation"]: each["identity"]["doc_hash"] for each in block["verdicts"]}
    staying = {name: payload[name] for name in _STAYING if payload.get(name) is not None}
    native = staying | {
        "answer": NOT_KEPT,
        "citations": [_remove_quote(each, hashes.get(index)) for index, each in enumerate(given)],
    }
    raw = json.dumps(native, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    left: Json = {name: _remove(value, name) for name, value in block.items()}
    imported = left["import"] | {"format": "native", "unmapped": [], "remarks": []}
    kept = {
        "mode": HASH_ONLY,
        "format": block["import"]["format"],
        "block_digest": str(block_digest),
        "payload_sha256": str(Digest.of(raw)),
    }
    return WithoutWords(raw=raw, block=left | {"import": imported, KEPT: kept})


def _remove_quote(citation: object, resolved: str | None) -> Json:
    fields = citation if isinstance(citation, dict) else {}
    anchor, named = fields.get("anchor"), _read_digest(fields.get("doc_hash")) or resolved
    document = {"doc_id": NOT_KEPT} if named is None else {"doc_hash": named}
    return {"anchor": anchor if type(anchor) is int else 0, "span": {"text": NOT_KEPT}} | document


def _read_digest(value: object) -> str | None:
    try:
        return str(Digest.parse(value)) if isinstance(value, str) else None
    except MalformedDigestError:
        return None


def _remove(value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {each: _remove(inner, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [_remove(each, name) for each in value]
    if not isinstance(value, str) or (name in _OWN and _WORD.fullmatch(value)):
        return value
    return NOT_KEPT
