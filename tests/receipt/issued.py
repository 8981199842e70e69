"""What a receipt is made of, in memory: documents, an answer that cites them, and its block.

case = make_case()
case.build()                              # the predicate
case.put(citation_level="GREEN").build()  # with another field of the block
make_case(say)                            # every word of it passes through ``say``
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Answer, Citation, Quote
from spanproof.core.digest import Digest
from spanproof.core.documents.document import (
    CharacterCounts,
    Document,
    DocumentName,
    Extraction,
    Library,
    Page,
    Pipeline,
    SandboxLevel,
    Source,
)
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.receipt.statement.issuance import IssueFacts, RequestFacts, build_predicate
from spanproof.receipt.statement.predicate import Actor, InputDigests, SignedVerifier
from tests.receipt.judged import MOMENT, contradict, judge, make_block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.verdicts.verification_block import VerificationBlock
    from tests.receipt.judged import Say

Json = dict[str, Any]
INTAKE = LoggedLeaf(origin="log.example.com", index=4, leaf_hash=bytes(range(32)))
#: The bytes of the files, which are other than those of the texts.
MANUAL_FILE, LEASE_FILE, SPARE_FILE = b"%PDF-1.7 manual", b"<html>lease</html>", b"spare"
#: Two texts of the manual that verdicts name, by different engines; beyond the BMP.
MANUAL = "1. Payment 😀\nApproved invoices are paid within four days.\n"
SCANNED = "1. Payrnent\nApproved invoices are paid\nwithin four days.\n"
LEASE = "The rent is 900 euros a month.\n"
PROSE = "Invoices 😀 are paid soon [1]. The rent is low [2]. All is well [3]. So [4]. Is 5 [5]."
PAID = "Approved invoices are paid within four days."


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that a predicate is built from; ``dataclasses.replace`` gives another."""

    facts: IssueFacts
    block: VerificationBlock
    library: Library
    digests: InputDigests
    layouts: Mapping[Digest, Digest | None]

    def put(self, **fields: Any) -> Case:
        """The same with other fields of the block."""
        return replace(self, block=replace(self.block, **fields))

    def state(self, **fields: Any) -> Case:
        """The same with other facts of the receipt."""
        return replace(self, facts=replace(self.facts, **fields))

    def look_at(self, found: Extraction, span: Span) -> Case:
        """The same with one verdict, whose words stand in this new text of the first document."""
        verdict = self.block.verdicts[0]
        identity = replace(verdict.identity, extraction_id=found.extraction_id)
        existence = replace(verdict.existence, span=span)
        first, *others = self.library.sources
        first = replace(first, extractions=(found, *first.extractions))
        library = replace(self.library, sources=(first, *others))
        verdict = replace(verdict, identity=identity, existence=existence)
        return replace(self, library=library).put(verdicts=(verdict,))

    def build(self, block: Json | None = None) -> Json:
        """The predicate; ``block`` stands in for the JSON of the block."""
        return build_predicate(
            self.facts,
            dict(block_to_json(self.block)) if block is None else block,
            answer=self.block.answer,
            library=self.library,
            policy=self.block.policy,
            model=self.block.model,
            digests=self.digests,
            layouts=self.layouts,
        )


def make_case(say: Say = str) -> Case:
    """Five verdicts on three texts of two documents, one citation unused, one document too."""
    manual, lease, spare = map(make_document, (MANUAL_FILE, LEASE_FILE, SPARE_FILE))
    scanned = extract(manual, say(SCANNED), "ocr@1", "limits")
    read = extract(manual, say(MANUAL), "pdf@2", "landlock+seccomp")
    rented = extract(lease, say(LEASE), "html@3", "landlock")
    older = extract(manual, say("Payment"), "pdf@1", "none")
    other = extract(spare, say("Spare"), "plain@1", "none")
    library = Library(
        sources=(
            Source(document=manual, extractions=(scanned, read, older), title=say("Manual")),
            Source(document=lease, extractions=(rented,)),
            Source(document=spare, extractions=(other,)),
        ),
        names=tuple(
            DocumentName(doc_id=name, doc_hash=document.doc_hash, since=MOMENT)
            for name, document in (
                *(("handbook", manual), ("manual", manual), ("rules", manual)),
                *(("lease", lease), ("spare", spare)),
            )
        ),
    )
    start = MANUAL.index(PAID)
    citations = (
        Citation(
            anchor=1,
            doc_id="manual",
            extraction_id=read.extraction_id,
            quote=Quote(text=say(PAID), start=start, end=start + len(PAID)),
            chunk_id=say("chunk"),
            doc_title=say("Manual"),
        ),
        Citation(
            anchor=2,
            doc_hash=lease.doc_hash,
            quote=Quote(text=say("The rent is 800"), start=0, end=15, unit="utf16"),
        ),
        Citation(
            anchor=3,
            doc_id="handbook",
            doc_hash=manual.doc_hash,
            quote=Quote(text=say(PAID), unit=None),
            repaired=True,
        ),
        Citation(anchor=4, doc_id=say("nobody"), quote=None),
        Citation(anchor=5, doc_id="lease", quote=Quote(text=say("euros"), start=16, end=21)),
        Citation(
            anchor=6,
            doc_id="manual",
            quote=Quote(text=say("days"), start=2**53 - 1, end=2**53, unit="utf8"),
            repaired=True,
        ),
    )
    answer = Answer(
        prose=say(PROSE),
        anchors=(),
        citations=citations,
        question=say("When?"),
        answer_kind="clarifying_question",
    )
    exact, folded = ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL
    verdicts = (
        judge(say, answer, 0, read, exact, Span(start, start + len(PAID)), Outcome.PASS),
        contradict(say, answer, rented),
        judge(say, answer, 2, scanned, folded, Span(12, 56), Outcome.PASS),
        judge(say, answer, 3, None, ExistenceStatus.NOT_RUN, None, Outcome.ERROR),
        judge(say, answer, 4, rented, ExistenceStatus.AMBIGUOUS, None, Outcome.REVIEW),
    )
    return Case(
        facts=make_facts(),
        block=make_block(say, answer, verdicts),
        library=library,
        digests=InputDigests(*(Digest.of(name.encode()) for name in InputDigests._fields)),
        layouts={read.extraction_id: Digest.of(b"layout"), rented.extraction_id: None},
    )


def make_document(content: bytes) -> Document:
    """A document of these bytes; its type follows from how they begin."""
    kinds = {b"%PDF": "application/pdf", b"<htm": "text/html"}
    return Document(
        doc_hash=Digest.of(content),
        media_type=kinds.get(content[:4], "text/plain"),
        byte_length=len(content),
    )


def extract(document: Document, text: str, pipeline: str, sandbox: SandboxLevel) -> Extraction:
    """A text of one page without a frame."""
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(text)),
        frame=None,
        text_source="born_digital",
        counts=CharacterCounts(characters=len(text)),
    )
    return Extraction(
        document=document,
        pipeline=Pipeline(name=pipeline, config_json=f'{{"name":"{pipeline}"}}'),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=None,
        sandbox=sandbox,
    )


def make_facts() -> IssueFacts:
    """Who issues what, and what was asked, with nothing left out that can be given."""
    return IssueFacts(
        receipt_id="01935a6e-8a00-7000-8000-000000000001",
        verification_id="0b0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10",
        nonce=bytes(range(16)),
        time_issued=MOMENT,
        intake=INTAKE,
        request=RequestFacts(
            digest=Digest.of(b"request"),
            format="native",
            policy="careful",
            repair={"sentences": True, "max_repairs": 5},
            # Read-only, as a caller may hand them over: they are copied.
            toggles=MappingProxyType({"policy": "balanced", "engine": None}),
            sampled=MappingProxyType(
                {
                    "scheme": "hmac",
                    "epoch_commitment": str(Digest.of(b"epoch")),
                    "rate": "0.100000",
                }
            ),
        ),
        actor=Actor(key_id="key-7", oidc_sub_hash=Digest.of(b"subject")),
        supersedes=Digest.of(b"receipt"),
        verifier=SignedVerifier(
            id="spanproof",
            version="1.2.3",
            source_commit="ab" * 20,
            lockfile_sha256=Digest.of(b"lockfile"),
            image_digest=Digest.of(b"image"),
            sandbox_level="none",
            platform="linux-x86_64",
        ),
    )
