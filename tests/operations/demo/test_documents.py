import pytest

from spanproof.core.digest import Digest
from spanproof.operations.demo.cases import AGREEMENT, POLICY, DemoDocument, read_pdf

#: What the demonstration cites by offsets and pages.
DIGESTS = {
    POLICY.doc_id: "sha256:eb34b819533756011ce7d180f73da2fd0a5528a78f6e5fc64bd0531a0c402ce0",
    AGREEMENT.doc_id: "sha256:9b2c87cd24b5bd6bffc24aca931d0d756bd5fa2dfd2fbc00e60190b0a5b7c8c6",
}


@pytest.mark.parametrize("document", [POLICY, AGREEMENT], ids=lambda d: d.doc_id)
def test_the_shipped_bytes_are_the_documents(document: DemoDocument) -> None:
    assert str(Digest.of(read_pdf(document))) == DIGESTS[document.doc_id]
