"""A receipt is computed anew from a pack and from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.context import Context
from spanproof.operations.export.pack import export_pack
from spanproof.operations.replay.receipt import (
    _judge,
    load_predicate,
    replay_from_pack,
    replay_receipt,
)
from spanproof.operations.replay.verification import ReplayReport, ReplayStatus
from spanproof.receipt.check.report import LineStatus
from tests.builders import ScriptedModel
from tests.operations.audited import fill

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_a_receipt_is_computed_anew_from_the_store_and_from_the_pack(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(context, 1)
    export_pack(context, [verification_id], tmp_path / "pack")
    path = tmp_path / "pack" / "receipts" / f"{verification_id}.sigstore.json"
    predicate = load_predicate(path)
    assert replay_receipt(context, predicate).status is LineStatus.OK
    # What another CPU rounds away conforms to the block that is kept: that one must be signed.
    for stored, expected in (
        (predicate.verdicts_digest, LineStatus.OK),
        (Digest.of(b"other verdicts"), LineStatus.FAILED),
    ):
        report = ReplayReport(
            status=ReplayStatus.CONFORMS,
            verification_id=verification_id,
            stored_digest=str(stored),
            recomputed_digest=str(Digest.of(b"rounded")),
        )
        assert _judge(report, predicate).status is expected
    monkeypatch.setattr(Context, "require_model", lambda _context: ScriptedModel())
    pack = tmp_path / "pack"
    assert replay_from_pack(context.settings, pack, predicate).status is LineStatus.OK
    # A payload or a document of the pack that is another is a lie, not a gap.
    payload = pack / "answers" / verification_id / "payload"
    kept = payload.read_bytes()
    payload.write_bytes(kept.replace(b"four", b"nine"))
    line = replay_from_pack(context.settings, pack, predicate)
    assert (line.status, line.code) == (LineStatus.FAILED, "REPLAY_DIFFERS")
    payload.write_bytes(kept)
    (source,) = pack.glob("documents/*/source.pdf")
    content = source.read_bytes()
    source.write_bytes(content + b" ")
    assert replay_from_pack(context.settings, pack, predicate).status is LineStatus.FAILED
    source.unlink()
    assert replay_from_pack(context.settings, pack, predicate).status is LineStatus.NOT_CHECKED
    answer = pack / "answers" / verification_id / "answer.json"
    source.write_bytes(content)
    half = b'{"verification": {"a": "\\ud800"}}'
    big = b'{"verification": {"a": 18446744073709551616}}'
    for broken in (b"[]", b"{", half, big):
        answer.write_bytes(broken)
        line = replay_from_pack(context.settings, pack, predicate)
        assert line.status is LineStatus.NOT_CHECKED


def test_a_receipt_of_another_store_cannot_be_computed_anew(
    context: Context, tmp_path: Path
) -> None:
    (verification_id,) = fill(context, 1)
    export_pack(context, [verification_id], tmp_path / "pack")
    predicate = load_predicate(tmp_path / "pack" / "receipts" / f"{verification_id}.sigstore.json")
    own = context.settings.model_copy(update={"home": tmp_path / "elsewhere"})
    from spanproof.operations.assembly import open_context

    with open_context(own) as other:
        line = replay_receipt(other, predicate)
    assert line.status is LineStatus.NOT_CHECKED
    assert "VERIFICATION_NOT_FOUND" in line.words
