"""Old chat logs, imported and graded as far as they can be proved.

An old log names chunks and quotes nothing. The place that the backfill found stands in for the
quote: the verifier judges the whole chunk. The grade says how much the log itself said, so that no
reader takes our span for one that the answer gave:

``span``  every citation came with words of its own
``chunk`` some came with the chunk's id alone; the chunk's words were put there
``part``  some name nothing that is known here, and are left out; their anchors stay orphans
``none``  nothing in it can be checked; it is not verified
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.digest import Digest
from spanproof.core.errors import ExtractionError, InputError, NotFoundError
from spanproof.operations.backfill.chunks import Row, parse_line, read_lines, writing
from spanproof.operations.verification.request import PLAIN_REQUEST, VerificationRequest
from spanproof.operations.verification.verify import verify_payload

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanproof.operations.backfill.chunks import PlacedChunk
    from spanproof.operations.context import Context

Grade = Literal["span", "chunk", "part", "none"]


@dataclass(slots=True, kw_only=True)
class LogReport:
    """How many logs came, by grade and by the result of those that were verified."""

    grades: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)

    @property
    def is_whole(self) -> bool:
        """Whether every log could be verified."""
        return not self.grades["none"]

    def to_json(self) -> dict[str, Any]:
        """``logs``, ``grades`` and ``results``."""
        return {
            "logs": self.grades.total(),
            "grades": dict(sorted(self.grades.items())),
            "results": dict(sorted(self.results.items())),
        }


def import_logs(
    context: Context,
    path: Path,
    output: Path,
    placed: Mapping[str, PlacedChunk],
    request: VerificationRequest = PLAIN_REQUEST,
) -> LogReport:
    """Verify and keep the answer of each line of a JSONL file; write its grade, a line each.

    A native answer is kept with the label ``imported_log_sha256``, the digest of its line as it
    was; other formats are kept as they are. A line that is no answer is graded ``none`` and never
    stops the others.
    """
    report = LogReport()
    with writing(output) as out:
        for number, raw in read_lines(path):
            row = _import_one(context, raw, number, placed, request)
            report.grades[row["grade"]] += 1
            if row["result"] is not None:
                report.results[row["result"]] += 1
            out.write(json.dumps(row, allow_nan=False).encode("ascii") + b"\n")
    return report


def _import_one(
    context: Context,
    raw: bytes,
    number: int,
    placed: Mapping[str, PlacedChunk],
    request: VerificationRequest,
) -> Row:
    payload = parse_line(raw)
    if payload is None:
        return _to_row(number, "none", reason="MALFORMED_ANSWER: expected an object of JSON.")
    grade: Grade = "span"
    left_out: list[Any] = []
    if request.format == "native":
        grade, left_out = _complete(payload, placed)
        payload["labels"] = _label(payload.get("labels"), raw)
    if grade == "none":
        reason = "Nothing that it cites is known here." if left_out else "It cites nothing."
        return _to_row(number, grade, reason=reason, left_out=left_out)
    try:
        made = verify_payload(
            context,
            json.dumps(payload, ensure_ascii=True).encode("ascii"),
            request,
        )
    except (InputError, ExtractionError, NotFoundError) as error:
        return _to_row(number, "none", reason=f"{error.code}: {error}", left_out=left_out)
    return _to_row(number, grade, left_out=left_out) | {
        "answer_id": made.answer_id,
        "verification_id": made.verification_id,
        "result": made.block.result.value,
        "citation_level": made.block.citation_level,
    }


def _complete(payload: Row, placed: Mapping[str, PlacedChunk]) -> tuple[Grade, list[Any]]:
    """Give retrieved chunks and citations the places that are known; what cannot be proved goes.

    A value without the shape of an answer stays as it is: the parser reports it.
    """
    for each in _list_objects(payload.get("retrieved")):
        known = placed.get(_name_chunk(each))
        if known is not None and not {"char_start", "char_end"} & each.keys():
            each |= {"char_start": known.span.start, "char_end": known.span.end}
            each |= {"doc_hash": str(known.doc_hash), "text": each.get("text", known.text)}
    citations = payload.setdefault("citations", [])
    grade: Grade = "span"
    kept, left_out = [], []
    for each in citations if isinstance(citations, list) else []:
        if not isinstance(each, dict) or _has_words(each):
            kept.append(each)
            continue
        known = placed.get(_name_chunk(each))
        if known is None:
            left_out.append(each.get("anchor"))
            continue
        grade = "chunk"
        place = {"char_start": known.span.start, "char_end": known.span.end, "text": known.text}
        kept.append(each | {"doc_hash": str(known.doc_hash), "span": place})
    if isinstance(citations, list):
        payload["citations"] = kept
        if not kept:
            return "none", left_out
    return ("part" if left_out else grade), left_out


def _has_words(citation: Row) -> bool:
    span = citation.get("span")
    return isinstance(span, dict) and isinstance(span.get("text"), str)


def _name_chunk(each: Row) -> str:
    name = each.get("chunk_id")
    return name if isinstance(name, str) else ""


def _list_objects(value: object) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _label(labels: object, raw: bytes) -> object:
    own = {"imported_log_sha256": str(Digest.of(raw.rstrip(b"\r\n")))}
    return labels | own if isinstance(labels, dict) else labels or own


def _to_row(
    number: int, grade: Grade, *, reason: str | None = None, left_out: list[Any] | None = None
) -> Row:
    return {
        "line": number,
        "grade": grade,
        "reason": reason,
        "citations_left_out": left_out or [],
        "answer_id": None,
        "verification_id": None,
        "result": None,
        "level": None,
    }
