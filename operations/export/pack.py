"""``audit export``: everything that an auditor needs of some verifications, as one folder.

The pack holds the answers, their verdicts, and the proofs that neither has changed. A person can
read it (``index.html``) and check it without us (``audit fsck``, ``audit verify``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import checkpoint
from spanproof.core.documents.extraction_record import to_record
from spanproof.core.errors import InputError, VerificationErasedError
from spanproof.operations.documents.stored import name_file
from spanproof.operations.export.drawing import draw_case
from spanproof.operations.export.folder import staged_pack
from spanproof.operations.export.log_files import LogFiles
from spanproof.operations.export.material import load_case
from spanproof.operations.export.page import DocumentView, ReceiptView, render_index, view_case
from spanproof.operations.export.tables import write_csv
from spanproof.receipt.export.evidence_pack import MANIFEST, SEAL, seal_manifest, write_manifest
from spanproof.receipt.export.web_annotation import CitedDocument, CitedSpan, annotations_to_json
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.log_proof import make_log_proof, write_log_proof

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Document, Extraction
    from spanproof.operations.context import Context
    from spanproof.operations.export.drawing import Drawings
    from spanproof.operations.export.folder import PackFolder
    from spanproof.operations.export.material import Case, CitedVerdict
    from spanproof.operations.export.page import CaseView
    from spanproof.receipt.forms.bundle import Receipt
    from spanproof.store.records import VerificationFilter

TRUST = "trust.json"
#: More would take minutes; a longer time is asked for in parts.
MOST_VERIFICATIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """The written pack and its gaps: documents not kept, pages not drawn, missing receipts.

    ``verifications`` are in the pack; ``erased`` were wanted too, and have no words to show.
    """

    path: str
    verifications: tuple[str, ...]
    files: int
    bytes: int
    origin: str
    size: int
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    without_receipt: tuple[str, ...]
    erased: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        return {
            "path": self.path,
            "verifications": list(self.verifications),
            "files": self.files,
            "bytes": self.bytes,
            "log": {"origin": self.origin, "size": self.size},
            "missing_documents": list(self.missing),
            "problems": list(self.problems),
            "without_receipt": list(self.without_receipt),
            "erased": list(self.erased),
        }


def export_pack(
    context: Context,
    verification_ids: Sequence[str],
    output: Path,
    *,
    is_zip: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> ExportReport:
    """Write a pack of these verifications; nothing of it is there unless all of it is.

    One that was erased is left out and named. Raises VerificationErasedError where all were,
    VerificationNotFoundError for one that is not kept, OutputError where something stands at
    ``output`` already, KeyUnavailableError where the pack cannot be signed.
    """
    wanted = list(dict.fromkeys(verification_ids))
    if not wanted:
        msg = "Expected at least one verification, got none."
        raise InputError(msg, hint="Give ids that 'verify' printed.")
    made_at = clock()
    cases, erased = _load_cases(context, wanted)
    packed = [case.verification_id for case in cases]
    log = LogFiles.open(context)
    with staged_pack(output, is_zip=is_zip) as folder:
        pack = _Pack(context, folder, log)
        views = []
        for case in cases:
            checkpoint()
            views.append(pack.add_case(case))
        folder.write(
            "index.html",
            render_index(
                tuple(views),
                origin=log.origin,
                head=log.to_json(),
                made_at=made_at,
                erased=erased,
            ),
        )
        folder.write("verdicts.csv", write_csv(pack.rows))
        folder.write(
            "annotations.jsonld",
            _dump(annotations_to_json("urn:spanproof:annotations", pack.spans)),
        )
        folder.write(TRUST, log.trust)
        log.write(folder, pack.indexes)
        manifest = write_manifest(
            folder.files, verifications=packed, origin=log.origin, made_at=made_at
        )
        seal = seal_manifest(manifest, context.issuer.keys.find_entry_key())
        folder.write(MANIFEST, manifest)
        folder.write(SEAL, seal)
    return ExportReport(
        path=str(output),
        verifications=tuple(packed),
        files=len(folder.files),
        bytes=folder.size,
        origin=log.origin,
        size=log.size,
        missing=tuple(dict.fromkeys(ref for case in cases for ref in case.missing)),
        problems=tuple(
            f"{view.verification_id}: {problem}" for view in views for problem in view.problems
        ),
        without_receipt=tuple(v.verification_id for v in views if v.receipt is None),
        erased=erased,
    )


def _load_cases(context: Context, wanted: Sequence[str]) -> tuple[list[Case], tuple[str, ...]]:
    """The material, and the names of erased items; raises where nothing else is left."""
    cases: list[Case] = []
    erased: list[str] = []
    for verification_id in wanted:
        checkpoint()
        try:
            cases.append(load_case(context, verification_id))
        except VerificationErasedError:
            erased.append(verification_id)
            if len(erased) == len(wanted):
                raise
    return cases, tuple(erased)


def choose_verifications(
    context: Context, verification_ids: Sequence[str], wanted: VerificationFilter
) -> list[str]:
    """The verifications of these ids, or all of a time, oldest first.

    Raises InputError for both, for neither, and for more than MOST_VERIFICATIONS.
    """
    hint = "Give verification_id (repeated), or since and until of a shorter time."
    is_time = wanted.since is not None or wanted.until is not None
    if bool(verification_ids) is is_time:
        got = "both" if is_time else "neither"
        msg = f"Expected ids of verifications or a time, got {got}."
        raise InputError(msg, hint=hint)
    found = list(dict.fromkeys(verification_ids))
    if is_time:
        page = context.store.answers.list(wanted, limit=MOST_VERIFICATIONS)
        found = [item.verification_id for item in reversed(page.items)]
        if page.next_cursor is not None:
            found.append("")
    if not 0 < len(found) <= MOST_VERIFICATIONS:
        got = "none" if not found else "more"
        msg = f"Expected 1 to {MOST_VERIFICATIONS} verifications, got {got}."
        raise InputError(msg, hint=hint)
    return found


class _Pack:
    """The files of the cases, and their rows in the tables."""

    def __init__(self, context: Context, folder: PackFolder, log: LogFiles) -> None:
        self._context = context
        self._folder = folder
        self._log = log
        self._sources: dict[Digest, str] = {}
        self._texts: dict[Digest, str] = {}
        self.rows: list[tuple[Case, int | None]] = []
        self.spans: list[CitedSpan] = []
        #: The leaves of the receipts in the pack.
        self.indexes: list[int] = []

    def add_case(self, case: Case) -> CaseView:
        """Write the files of a verification."""
        name = case.verification_id
        payload = None
        if case.raw is not None:
            payload = self._folder.write(f"answers/{name}/payload", case.raw)
        response = self._folder.write(f"answers/{name}/answer.json", _dump(case.response))
        for document in case.documents:
            self._add_source(document)
        for extraction in case.extractions:
            self._add_extraction(extraction)
        if case.decisions:
            said = [each.to_json() for each in case.decisions]
            self._folder.write(f"answers/{name}/decisions.json", _dump(said))
        drawings = draw_case(self._context, case, self._folder)
        receipt = self._add_receipt(name)
        self.rows.append((case, None if receipt is None else receipt.index))
        self.spans += [self._cite(case, verdict) for verdict in case.verdicts]
        return view_case(
            case,
            drawings,
            documents=tuple(self._view_document(case, each, drawings) for each in case.documents),
            receipt=receipt,
            paths=(response, payload),
        )

    def _add_source(self, document: Document) -> None:
        if document.doc_hash in self._sources:
            return
        content = self._context.store.documents.read_source(document.doc_hash)
        suffix = name_file(document.media_type, document.doc_hash).rpartition(".")[2]
        path = f"documents/{document.doc_hash.hex}/source.{suffix}"
        self._sources[document.doc_hash] = self._folder.write(path, content)

    def _add_extraction(self, extraction: Extraction) -> None:
        if extraction.extraction_id in self._texts:
            return
        record = to_record(extraction)
        doc_hash = extraction.document.doc_hash
        place = f"documents/{doc_hash.hex}/{extraction.extraction_id.hex}"
        self._texts[extraction.extraction_id] = self._folder.write(f"{place}/text.txt", record.text)
        self._folder.write(f"{place}/extraction.json", record.meta)
        if record.layout:
            self._folder.write(f"{place}/layout.bin", record.layout)

    def _add_receipt(self, verification_id: str) -> ReceiptView | None:
        found = self._context.store.receipts.find(verification_id)
        if found is None:
            return None
        receipt: Receipt = parse_bundle(found.bundle)
        included = receipt.included
        if found.origin == self._log.origin:
            # Of a log that was closed the pack has the receipt, which shows its own head.
            self.indexes.append(included.leaf.index)
        return ReceiptView(
            path=self._folder.write(f"receipts/{verification_id}.sigstore.json", found.bundle),
            proof_path=self._folder.write(
                f"receipts/{verification_id}.tlog-proof",
                write_log_proof(make_log_proof(included)).encode("utf-8"),
            ),
            key_id=receipt.key_id,
            index=included.leaf.index,
            size=included.checkpoint.size,
            root=included.checkpoint.root.hex(),
        )

    def _cite(self, case: Case, verdict: CitedVerdict) -> CitedSpan:
        extraction, span, raw = verdict.extraction, verdict.span, verdict.raw
        document = None
        if extraction is not None:
            document = CitedDocument(
                source=self._sources[extraction.document.doc_hash],
                media_type=extraction.document.media_type,
                text_path=self._texts[extraction.extraction_id],
                text=extraction.text.text,
            )
        return CitedSpan(
            annotation_id=f"urn:spanproof:verdict:{case.verification_id}:{verdict.index}",
            claim=raw["claim"]["text"],
            quote=verdict.quote,
            start=None if span is None else span.start,
            end=None if span is None else span.end,
            pages=verdict.pages,
            outcome=raw["outcome"],
            codes=tuple(raw["codes"]),
            verified_at=case.block["verified_at"],
            document=document,
        )

    def _view_document(self, case: Case, document: Document, drawings: Drawings) -> DocumentView:
        doc_hash = document.doc_hash
        own = [each for each in case.extractions if each.document.doc_hash == doc_hash]
        return DocumentView(
            title=case.titles[doc_hash] or str(doc_hash),
            doc_hash=str(doc_hash),
            media_type=document.media_type,
            byte_length=document.byte_length,
            source=self._sources[doc_hash],
            texts=tuple(self._texts[each.extraction_id] for each in own),
            marked=drawings.marked.get(doc_hash),
        )


def _dump(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    # ASCII with escapes: a lone surrogate in a claim has no UTF-8, and is legal in JSON.
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1).encode("ascii") + b"\n"
