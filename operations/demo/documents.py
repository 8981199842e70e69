"""The demo's two documents, PDFs of our own making: the cited policy and another agreement."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoDocument:
    """A document of the demo: the name it is ingested under, and its title."""

    doc_id: str
    title: str

    @property
    def file_name(self) -> str:
        """The name of its PDF in this package."""
        return f"{self.doc_id}.pdf"


POLICY = DemoDocument(
    doc_id="facilities-and-payments-policy", title="Facilities and Payments Policy"
)
AGREEMENT = DemoDocument(doc_id="cleaning-supplier-agreement", title="Cleaning Supplier Agreement")


def read_pdf(document: DemoDocument) -> bytes:
    """The document's bytes, as they were shipped."""
    return (resources.files("spanproof.operations.demo") / document.file_name).read_bytes()
