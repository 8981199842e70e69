"""An answer on its way to the service: its payload, and the format in which it is written."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Where frameworks leave a document's name or address in its metadata.
_ADDRESSES = ("source", "url", "file_path")
_NAMES = ("doc_id", "document_id", "file_id", "file_name", "filename")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One answer as bytes, so that nothing the application does later changes it."""

    payload: bytes
    format: str = "native"
    #: Whether the payload has an ``answer_id``: sent twice, it is kept once.
    is_repeatable: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, Any], *, format: str = "native") -> Submission:  # noqa: A002 - the contract's word
        """The fields as JSON without those that are None; TypeError for any other kind of value.

        An answer without an ``answer_id`` gets one, by which the service knows a second try of it.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        given.setdefault("answer_id", str(uuid.uuid4()))
        payload = json.dumps(given, ensure_ascii=False).encode("utf-8")
        return cls(payload=payload, format=format, is_repeatable=True)


def name_documents(
    metadata: Iterable[tuple[Mapping[str, Any], Iterable[str | None]]],
) -> list[dict[str, str]] | None:
    """The envelope's ``documents`` of chunks whose metadata hold ``doc_hash``; None without any.

    Beside its metadata each chunk brings further names under which the framework refers to its
    document. A chunk without ``doc_hash`` is left to the name in its metadata.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    for fields, others in metadata:
        doc_hash = fields.get("doc_hash")
        if not isinstance(doc_hash, str):
            continue
        for kind, names in (
            ("uri", _texts(fields, _ADDRESSES)),
            ("file_id", [*_texts(fields, _NAMES), *filter(None, others)]),
        ):
            for name in names:
                found[kind, name] = {"doc_hash": doc_hash, kind: name}
        found["doc_hash", doc_hash] = {"doc_hash": doc_hash}
    return list(found.values()) or None


def current_trace_id() -> str | None:
    """The trace that runs here, as 32 hexadecimal digits; None where OpenTelemetry knows none."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None


def _texts(fields: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    values = (fields.get(name) for name in names)
    return [value for value in values if isinstance(value, str) and value]
