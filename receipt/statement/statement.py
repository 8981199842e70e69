"""Statements (in-toto v1): their subjects, their content, and the signed bytes.

Source: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import LimitExceededError, MalformedReceiptError
from spanproof.core.json_reader import schema, strict_json
from spanproof.receipt.statement.agreement import check_agreement, list_subjects
from spanproof.receipt.statement.predicate import PREDICATE, PREDICATE_TYPE, read_signed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.predicate import Predicate

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
#: Some thousands of verdicts; a bundle has no room for more.
MAX_PAYLOAD_BYTES = 16 * 1024**2
#: As many as the longest payload has.
MAX_VALUES = 1_000_000
_HINT = "Give the receipt as it was issued, byte for byte."
_IN_PARTS = "Verify the answer in parts, each with its citations."
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A verification's statement: its bytes and their content. Only these bytes were signed."""

    payload: bytes
    subjects: tuple[tuple[str, Digest], ...]
    predicate: Predicate


def write_statement(
    predicate: Mapping[str, Any], subjects: tuple[tuple[str, Digest], ...], kind: str
) -> bytes:
    """The JCS bytes of a statement of this predicate type."""
    return write_statement_json(make_statement_json(predicate, subjects, kind))


def make_statement_json(
    predicate: Mapping[str, Any], subjects: tuple[tuple[str, Digest], ...], kind: str
) -> dict[str, Any]:
    """The JSON value of a statement of this predicate type."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest.hex}} for name, digest in subjects],
        "predicateType": kind,
        "predicate": predicate,
    }


def make_statement(predicate: dict[str, Any]) -> bytes:
    """The statement of a verification.

    The reader's own rules check the written bytes: we sign nothing that an auditor could not read.
    Raises MalformedReceiptError for a malformed predicate, LimitExceededError for one that no
    receipt can hold.
    """
    typed = read_signed(PREDICATE, predicate, what="the predicate")
    subjects = list_subjects(typed)
    check_agreement(typed, subjects)
    payload = write_statement(predicate, subjects, PREDICATE_TYPE)
    if len(payload) > MAX_PAYLOAD_BYTES:
        msg = f"Expected a receipt of at most {MAX_PAYLOAD_BYTES} bytes, got {len(payload)}."
        raise LimitExceededError(msg, hint=_IN_PARTS)
    if (values := strict_json.count_values(payload)) > MAX_VALUES:
        msg = f"Expected a receipt of at most {MAX_VALUES} values, got {values}."
        raise LimitExceededError(msg, hint=_IN_PARTS)
    return payload


def parse_statement(payload: bytes) -> Statement:
    """Read the statement of a verification; raise MalformedReceiptError for anything else.

    Refused are other bytes than JCS, fields and words that this schema version does not have,
    floats, and parts that contradict each other.
    """
    value = read_statement_json(payload)
    subjects, predicate = read_signed(_STATEMENT, value, what="the statement")
    check_agreement(predicate, subjects)
    return Statement(payload=payload, subjects=subjects, predicate=predicate)


def get_predicate_type(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The predicate type of a statement; raise for one without a type."""
    kind = value.get("predicateType") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        msg = "Expected a statement with a 'predicateType', got none."
        raise MalformedReceiptError(msg, hint=_HINT)
    return kind


def read_statement_json(payload: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of a payload; raise MalformedReceiptError unless the bytes are its JCS."""
    value = _parse(payload, is_compared=True)
    if write_statement_json(value) != payload:
        # Where a name appears twice, it is that.
        _parse(payload, is_compared=False)
        msg = "Expected a statement in canonical JSON (RFC 8785), got another form of it."
        raise MalformedReceiptError(msg, hint=_HINT)
    return value


def _parse(payload: bytes, *, is_compared: bool) -> Any:  # noqa: ANN401 - any JSON value
    return strict_json.parse(
        payload,
        what="a signed statement",
        error=MalformedReceiptError,
        hint=_HINT,
        limits=strict_json.JsonLimits(
            max_bytes=MAX_PAYLOAD_BYTES, max_values=MAX_VALUES, is_compared=is_compared
        ),
    )


def write_statement_json(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """The JCS bytes of a value without floats."""
    # The same bytes in half the time: in ASCII all that JCS asks for is order.
    text = _ENCODER.encode(value)
    return text.encode("ascii") if text.isascii() else canonical_json.dumps(value)


def statement_schema(
    predicate: schema.Read[Any], kind: str
) -> schema.Read[tuple[tuple[tuple[str, Digest], ...], Any]]:
    """Reads a statement of one predicate type: its subjects and its predicate."""
    subject = schema.record(
        lambda name, digest: (name, digest["sha256"]),
        name=schema.text,
        digest=schema.plain(sha256=schema.sha256),
    )

    def make(
        _type: str,
        subject: tuple[tuple[str, Digest], ...],
        predicateType: str,  # noqa: N803 - the name in the standard
        predicate: Any,  # noqa: ANN401 - of the kind
    ) -> tuple[tuple[tuple[str, Digest], ...], Any]:
        del _type, predicateType
        return subject, predicate

    # The type first: a predicate of another kind is called that, not a bad one.
    return schema.record(
        make,
        _type=schema.constant(STATEMENT_TYPE),
        predicateType=schema.constant(kind),
        subject=schema.array(subject),
        predicate=predicate,
    )


_STATEMENT = statement_schema(PREDICATE, PREDICATE_TYPE)
