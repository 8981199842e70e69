from __future__ import annotations

from typing import Any

import pytest

from spanproof.core.citation import Citation, Quote
from spanproof.core.documents.document import IndexFacts, Library
from spanproof.verifier.identity.retrieval_index import check_index

V1 = IndexFacts(version="v1", embedding_model="minilm")
OTHER = IndexFacts(version="v1", embedding_model="e5")
SILENT = IndexFacts(version="v1", embedding_model=None)


def make_citation(**given: Any) -> Citation:
    return Citation(anchor=1, quote=Quote(text="a"), doc_id="d", **given)


@pytest.mark.parametrize(
    ("indexes", "given", "codes"),
    [
        # Where no index is registered nothing can be unknown.
        (None, {"index_version": "v1"}, ()),
        ((), {}, ()),
        ((), {"embedding_model": "minilm"}, ()),
        ((), {"index_version": "v1"}, ("INDEX_UNKNOWN",)),
        ((V1,), {"index_version": "v1"}, ()),
        ((V1,), {"index_version": "v1", "embedding_model": "minilm"}, ()),
        ((V1,), {"index_version": "v1", "embedding_model": "MiniLM"}, ("INDEX_MODEL_MISMATCH",)),
        ((V1,), {"index_version": "v2", "embedding_model": "minilm"}, ("INDEX_UNKNOWN",)),
        ((V1, OTHER), {"index_version": "v1", "embedding_model": "e5"}, ()),
        ((V1, SILENT), {"index_version": "v1", "embedding_model": "x"}, ()),
    ],
)
def test_the_advice_on_an_index(
    indexes: tuple[IndexFacts, ...] | None, given: dict[str, Any], codes: tuple[str, ...]
) -> None:
    assert check_index(make_citation(**given), Library(indexes=indexes)) == codes
