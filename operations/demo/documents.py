"""The demo's two documents, made from our own text: the cited policy and another agreement."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from spanproof.operations.demo.pdf_file import write_pdf
from spanproof.operations.demo.typeset import typeset


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoDocument:
    """A document of the demo: the name it is ingested under, its title and its text's file."""

    doc_id: str
    title: str
    source: str

    @property
    def file_name(self) -> str:
        """The name of the PDF that ``make_pdf`` gives the bytes of."""
        return f"{self.doc_id}.pdf"


POLICY = DemoDocument(
    doc_id="facilities-and-payments-policy",
    title="Facilities and Payments Policy",
    source="policy.txt",
)
AGREEMENT = DemoDocument(
    doc_id="cleaning-supplier-agreement",
    title="Cleaning Supplier Agreement",
    source="agreement.txt",
)


def make_pdf(document: DemoDocument) -> bytes:
    """The document as PDF; the same bytes each time, so its hash is known beforehand."""
    source = (resources.files("spanproof.operations.demo") / document.source).read_text(
        encoding="utf-8"
    )
    return write_pdf(typeset(source, footer=document.title), title=document.title)
