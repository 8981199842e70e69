"""The envelope of every format but the native one: the provider's payload and its documents.

``{"response": <as it came>, "documents": [{"doc_hash" or "doc_id", "index", "uri", "file_id",
"title"}], "question", "retrieved", …}``. ``index`` is the provider's document index, ``uri`` any
URI that it gives, ``file_id`` any other id of its.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.json_reader.object_reader import ObjectReader, load_json, open_each
from spanproof.verifier.formats.native import read_answer_details
from spanproof.verifier.formats.native_parts import describe_problems, read_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Retrieval
    from spanproof.core.digest import Digest
    from spanproof.core.errors import FieldProblem, MalformedAnswerError

#: Fields of the envelope that every format takes; what describes the answer is as in the native.
_FIELDS = frozenset({"response", "documents", "tool_results", "context", "registry", "role"})
_DETAILS = frozenset(
    {"answer_id", "answer_kind", "generated_at", "generator", "labels", "policy", "question"}
    | {"retrieved", "session_id", "trace_id"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppliedDocument:
    """One document of the request, by our name and by the provider's."""

    doc_hash: Digest | None = None
    doc_id: str | None = None
    index: int | None = None
    uri: str | None = None
    file_id: str | None = None
    title: str | None = None
    source_tier: str | None = None

    @property
    def reference(self) -> str:
        """The whole hash, else the name."""
        return str(self.doc_hash) if self.doc_hash is not None else str(self.doc_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The payload, the documents beside it, and the fields that describe the answer.

    ``details`` are keyword arguments of ``spanproof.core.citation.Answer``; ``fields`` is the whole
    object.
    """

    response: Any
    documents: tuple[SuppliedDocument, ...]
    details: dict[str, Any]
    fields: dict[str, Any]
    unmapped: tuple[str, ...]

    def find_document(
        self,
        *,
        index: int | None = None,
        uri: str | None = None,
        file_id: str | None = None,
    ) -> SuppliedDocument | None:
        """The only document with this index, URI or id, tried in that order; None for none or two.

        A title never decides: two documents may share it.
        """
        for name, wanted in (("index", index), ("uri", uri), ("file_id", file_id)):
            if wanted is None:
                continue
            found = {d for d in self.documents if getattr(d, name) == wanted}
            if len({document.reference for document in found}) == 1:
                return min(found, key=self.documents.index)
        return None


def read_envelope(raw: bytes) -> Envelope:
    """Read the envelope; raise MalformedAnswerError with every field problem found."""
    payload = load_json(raw)
    problems: list[FieldProblem] = []
    reader = ObjectReader(payload, "", problems)
    if reader.fields.get("response") is None:
        reader.report("response", "the provider's payload", None)
    for name in ("answer", "citations", "verification"):
        if name in reader.fields:
            reader.report(name, "no such field beside 'response'", reader.fields[name])
    documents = [
        _read_document(each)
        for each in open_each(reader.optional("documents", list) or [], "/documents", problems)
    ]
    details = read_answer_details(reader)
    if reader.fields.get("documents") is None:
        documents = _number_texts(details["retrieved"])
    if problems:
        raise describe_problems(problems, hint="Put the provider's payload under 'response'.")
    return Envelope(
        response=reader.fields["response"],
        documents=tuple(documents),
        details=details,
        fields=reader.fields,
        unmapped=tuple(sorted(f"/{name}" for name in set(reader.fields) - _FIELDS - _DETAILS)),
    )


def _number_texts(retrieved: Sequence[Retrieval]) -> list[SuppliedDocument]:
    """Without a list of documents an index names the texts that came with the answer, from 0."""
    return [
        SuppliedDocument(
            doc_hash=chunk.doc_hash, doc_id=chunk.doc_id or chunk.chunk_id, index=index
        )
        for index, chunk in enumerate(retrieved)
        if chunk.text
    ]


def _read_document(reader: ObjectReader) -> SuppliedDocument:
    doc_hash, doc_id = read_digest(reader, "doc_hash"), reader.optional("doc_id", str)
    if reader.fields.get("doc_hash") is None and not doc_id:
        reader.report("doc_hash", "doc_hash or doc_id", None)
    index = reader.optional("index", int)
    if index is not None and index < 0:
        reader.report("index", "the provider's index of the document, from 0", index)
    return SuppliedDocument(
        doc_hash=doc_hash,
        doc_id=doc_id,
        index=index,
        uri=reader.optional("uri", str),
        file_id=reader.optional("file_id", str),
        title=reader.optional("title", str),
        source_tier=reader.optional("source_tier", str),
    )


def malformed(pointer: str, expected: str, got: object) -> MalformedAnswerError:
    """The error of one field of the provider's payload."""
    problems: list[FieldProblem] = []
    ObjectReader({}, pointer, problems).report("", expected, got)
    return describe_problems(problems, hint="Send the payload as the provider gave it.")
