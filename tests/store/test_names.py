from __future__ import annotations

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.store.names import MAX_NAME_BYTES, check_doc_id, check_name, find_digests

HASH = Digest.of(b"this document")


@pytest.mark.parametrize("doc_id", [None, str(HASH)])
def test_the_default_name_is_implicit(doc_id: str | None) -> None:
    assert check_doc_id(doc_id, HASH) is None


@pytest.mark.parametrize(
    "doc_id",
    [
        str(Digest.of(b"another document")),
        str(HASH).upper(),
        "SHA256:" + HASH.hex,
        "sha256:1234",
        "",
        " handbook",
        "hand\nbook",
        "hand\x00book",
        "hand\ud800book",
        "handbook\u202e",
        "x" * (MAX_NAME_BYTES + 1),
    ],
)
def test_a_name_that_could_mislead_is_refused(doc_id: str) -> None:
    with pytest.raises(InputError) as caught:
        check_doc_id(doc_id, HASH)
    assert caught.value.message.startswith("Expected")
    str(caught.value).encode()


@pytest.mark.parametrize("doc_id", ["handbook", "policies/2026 v2.pdf", "Größe", "../../etc"])
def test_other_names_are_kept_as_they_are(doc_id: str) -> None:
    assert check_doc_id(doc_id, HASH) == doc_id


def test_the_length_that_counts_is_the_stored_one() -> None:
    check_name("answer_id", "\x00" * (MAX_NAME_BYTES // 6))
    with pytest.raises(InputError, match=r"answer_id of 1\.\.512 bytes"):
        check_name("answer_id", "\x00" * MAX_NAME_BYTES)


def test_only_whole_digests_are_digests() -> None:
    refs = ["handbook", str(HASH), str(HASH)[:-1], str(HASH).upper(), "\x00"]
    assert find_digests(refs) == (HASH,)
