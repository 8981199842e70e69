"""An event of each kind and way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from spanproof.core.digest import Digest
from spanproof.receipt.statement.decision_events import Acknowledgement, Decision
from spanproof.receipt.statement.events import (
    AnswersSubmitted,
    Change,
    ConfigChange,
    EpochClosed,
    EpochOpened,
    Erasure,
    Event,
    FsckResult,
    Intake,
    IntakeError,
    KeyEvent,
    ResultSuperseded,
    Shard,
    Tombstone,
)
from spanproof.receipt.statement.predicate import Actor
from spanproof.receipt.statement.receipt_id import make_id

MOMENT = datetime(2026, 11, 20, 14, 0, 0, 123_000, tzinfo=UTC)
HEAD: dict[str, Any] = {
    "event_id": make_id(MOMENT, b"0123456789"),
    "nonce": bytes(range(16)),
    "time": MOMENT,
    "origin": "log.example.com",
}
VERIFICATION = "0b0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10"
DIGEST, OTHER = Digest.of(b"one"), Digest.of(b"two")
EVENTS: dict[str, Event] = {
    "intake": Intake(
        **HEAD, verification_id=VERIFICATION, request_digest=DIGEST, process="0f" * 16
    ),
    "intake by a key": Intake(
        **HEAD,
        verification_id=VERIFICATION,
        request_digest=DIGEST,
        process="0f" * 16,
        actor=Actor(key_id="k1", oidc_sub_hash=OTHER),
    ),
    "error": IntakeError(
        **HEAD,
        verification_id=VERIFICATION,
        intake_index=7,
        intake_leaf_hash=bytes(range(32)),
        reason="failed",
        code="STORE_INTEGRITY",
    ),
    "config-change": ConfigChange(
        **HEAD,
        changes=(
            Change("policy:balanced", None, DIGEST),
            Change("pipeline:pymupdf@2.0+canon-1+flags-0/1", DIGEST, OTHER),
            Change("weights", DIGEST, None),
        ),
    ),
    "key-event": KeyEvent(
        **HEAD, action="rotated", purpose="receipts", key_sha256=DIGEST, replaces_sha256=OTHER
    ),
    "key-event of a loss": KeyEvent(
        **HEAD,
        action="revoked",
        purpose="log",
        key_sha256=DIGEST,
        from_index=12,
        reason="The laptop was stolen.",
    ),
    "tombstone": Tombstone(
        **HEAD,
        verification_id=VERIFICATION,
        log_index=9,
        payload_sha256=DIGEST,
        reason="Erasure was asked for.",
    ),
    "erasure": Erasure(
        **HEAD,
        doc_hash=DIGEST,
        contents=(DIGEST, OTHER),
        reason="The author asked for it.",
        actor=Actor(key_id="k1"),
    ),
    "erasure of words": Erasure(
        **HEAD, verification_id=VERIFICATION, contents=(OTHER,), reason="The user asked for it."
    ),
    "result-superseded": ResultSuperseded(
        **HEAD, verification_id=VERIFICATION, log_index=9, leaf_hash=bytes(32), by_index=12
    ),
    "fsck-result": FsckResult(
        **HEAD, size=10, root=bytes(32), is_sound=False, findings=2, checked_leaves=9
    ),
    "decision": Decision(
        **HEAD,
        verification_id=VERIFICATION,
        citation=2,
        action="waive",
        expires=MOMENT,
        reason="the second edition is on its way",
        verdicts_digest=DIGEST,
        actor=Actor("sp_a", None),
    ),
    "acknowledgement": Acknowledgement(
        **HEAD,
        raised="alarm",
        raised_digest=OTHER,
        reason="the new index is rolled back",
        actor=Actor("sp_a", None),
    ),
    "sampling-epoch-opened": EpochOpened(
        **HEAD, epoch="epoch-1", commitment=DIGEST, plan_digest=OTHER
    ),
    "answers-submitted": AnswersSubmitted(
        **HEAD, epoch="epoch-1", first=7, answers=3, rows_digest=OTHER
    ),
    "sampling-epoch-closed": EpochClosed(
        **HEAD,
        epoch="epoch-12",
        commitment=DIGEST,
        key=bytes(range(32)),
        answers=1000,
        chosen=10,
        rows_digest=OTHER,
    ),
    "shard": Shard(
        **HEAD, old_origin="old.example.com", old_size=5, old_root=bytes(32), reason="restored"
    ),
}
