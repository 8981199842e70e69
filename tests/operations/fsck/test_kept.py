"""What is erased while a check runs is no damage; what is gone without a tombstone is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.operations.erasing import erase
from spanproof.operations.fsck import kept as fsck_kept
from spanproof.operations.fsck.kept import check_records
from spanproof.store.erasing.refusal import ErasureRecord
from tests.operations.audited import fill

if TYPE_CHECKING:
    import pytest

    from spanproof.operations.context import Context


def test_what_is_erased_while_it_is_looked_at_is_no_finding(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = fill(context, 2)
    (record,) = context.store.documents.list().items
    doc_hash = str(record.document.doc_hash)
    check_source, check_erasures = fsck_kept._check_source, fsck_kept._check_erasures

    def erase_and_check(*given: Any) -> None:
        erase(context, doc_hash, reason="asked for")
        check_source(*given)

    def check_and_erase(*given: Any) -> frozenset[tuple[str, str]]:
        found = check_erasures(*given)
        erase(context, first, reason="asked for")
        return found

    monkeypatch.setattr(fsck_kept, "_check_source", erase_and_check)
    monkeypatch.setattr(fsck_kept, "_check_erasures", check_and_erase)
    findings, _ = check_records(context.store, context.log.origin)
    assert [each.code for each in findings] == []

    # Somebody wrote the row alone: no leaf says so.
    monkeypatch.setattr(fsck_kept, "_check_source", check_source)

    def check_and_record(*given: Any) -> frozenset[tuple[str, str]]:
        found = check_erasures(*given)
        made = context.store.erasures.list()[0]
        context.store.erasures.record(
            ErasureRecord(
                kind="verification",
                subject=second,
                origin=made.origin,
                index=made.index,
                reason="none",
                erased_at=made.erased_at,
            )
        )
        return found

    monkeypatch.setattr(fsck_kept, "_check_erasures", check_and_record)
    findings, _ = check_records(context.store, context.log.origin)
    assert [each.code for each in findings] == ["VERIFICATION_ERASED"]
    assert not context.store.blobs.has(Digest.parse(doc_hash))
