"""Queues work for HTTP and the command line: answered at once and done later."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import IndexNotFoundError, MalformedAnswerError
from spanproof.operations.documents.ingest import Announced, check_expected
from spanproof.operations.verification.answer_array import split_array
from spanproof.operations.verification.request import PLAIN_REQUEST, VerificationRequest
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.jobs import Job
    from spanproof.store.blobs.port import StagedBlob
    from spanproof.store.indexes.index_rows import NewVersion

#: A longer array is several: one job is one shard of work.
MAX_ANSWERS = 1_000


def start_verification(
    context: Context,
    raw: bytes,
    request: VerificationRequest = PLAIN_REQUEST,
    *,
    seed: str | None = None,
) -> Job:
    """Queue the verification of an answer, or of an array of them; ``seed`` names the job.

    Raises InputError for one answer that is malformed; those of an array stand in its result.
    """
    from spanproof.operations.verification.judging import load_named_policy
    from spanproof.verifier.formats.registry import parse_payload

    parts = split_array(raw)
    if request.policy is not None:
        load_named_policy(request.policy)
    if parts is None:
        # Now, while somebody waits for the answer.
        parse_payload(raw, request.format)
    elif len(parts) > MAX_ANSWERS:
        msg = f"Expected at most {MAX_ANSWERS} answers in an array, got {len(parts)}."
        raise MalformedAnswerError(msg, hint="Send several arrays, each a job of its own.")
    seed = seed or str(uuid.uuid4())
    name = context.jobs.inputs.add(raw)
    arguments = {
        "seed": seed,
        "input": name,
        "format": request.format,
        "policy": request.policy,
        "repair": request.repair is not None,
        "repair_sentences": request.repair is not None and request.repair.sentences,
        "attribute": request.repair is not None and request.repair.refuted,
        "actor": actor_to_json(request.actor),
    }
    with context.jobs.holding(name):
        return context.jobs.start("verification", arguments, job_id=seed)


def start_ingest(
    context: Context, staged: StagedBlob, announced: Announced, *, job_id: str | None = None
) -> Job:
    """Queue the reading of bytes that are staged whole; raise DigestMismatchError for others."""
    check_expected(staged, announced.expected)
    name = context.jobs.inputs.add_file(staged.path)
    arguments = {
        "input": name,
        "media_type": announced.media_type,
        "filename": announced.filename,
        "doc_id": announced.doc_id,
        "title": announced.title,
        "expected": str(staged.digest),
    }
    with context.jobs.holding(name):
        return context.jobs.start("ingest", arguments, job_id=job_id)


def start_registration(
    context: Context,
    new: NewVersion,
    staged: StagedBlob,
    *,
    expected: Digest | None,
    job_id: str,
) -> Job:
    """Queue the registration of a manifest that is staged whole, as a version of an index.

    Raises DigestMismatchError for other bytes than were announced. Faults of its rows
    stand in the job's problem.
    """
    check_expected(staged, expected)
    given = context.jobs.inputs.add_file(staged.path)
    arguments = {
        "input": given,
        "name": new.name,
        "version": new.version,
        "registered_at": new.registered_at.isoformat(),
    }
    with context.jobs.holding(given):
        return context.jobs.start("index_registration", arguments, job_id=job_id)


def start_bulk(
    context: Context,
    staged: StagedBlob,
    *,
    policy: str | None,
    expected: Digest | None,
    job_id: str,
) -> Job:
    """Queue the verification of pairs that are staged whole, as Parquet or JSON Lines.

    Raises MalformedBulkError for what begins as neither, UnknownPolicyError, DigestMismatchError.
    Faults of its rows stand in the job's problem.
    """
    from spanproof.operations.bulk.lines import BEGINNING_BYTES, check_beginning
    from spanproof.operations.verification.judging import load_named_policy

    if policy is not None:
        load_named_policy(policy)
    check_expected(staged, expected)
    with staged.path.open("rb") as opened:
        check_beginning(opened.read(BEGINNING_BYTES))
    given = context.jobs.inputs.add_file(staged.path)
    arguments = {"seed": job_id, "input": given, "policy": policy}
    with context.jobs.holding(given):
        return context.jobs.start("bulk_verification", arguments, job_id=job_id)


def start_drift(context: Context, wanted: DriftRequest, *, budget: float, job_id: str) -> Job:
    """Queue a check of what a new index or extraction did to citations.

    Raises IndexNotFoundError or ExtractionNotFoundError now, while somebody waits for the answer.
    """
    from spanproof.operations.indexes.drift import check_budget

    check_budget(budget)
    arguments = {**_check_wish(context, wanted), "budget": budget}
    return context.jobs.start("drift", arguments, job_id=job_id)


def start_reverification(
    context: Context, wanted: DriftRequest, *, job_id: str, actor: Actor = NOBODY
) -> Job:
    """Queue the verification of the answers whose citations a newer version leads elsewhere.

    Raises as ``start_drift``.
    """
    arguments = {**_check_wish(context, wanted), "actor": actor_to_json(actor)}
    return context.jobs.start("reverification", arguments, job_id=job_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRequest:
    """Two versions of an index, its newest two without any, or two extractions (``index`` None)."""

    index: str | None
    old: str | None
    new: str | None


def _check_wish(context: Context, wanted: DriftRequest) -> dict[str, str]:
    old, new = wanted.old, wanted.new
    if wanted.index is None:
        for each in (old, new):
            context.store.documents.load_extraction(Digest.parse(each or ""))
        asked_at = datetime.now(UTC).isoformat()
        return {"from_extraction": old or "", "to_extraction": new or "", "asked_at": asked_at}
    if old is None or new is None:
        newest = [each.version for each in context.store.indexes.list(wanted.index)][:2]
        if len(newest) < 2:
            msg = f"Expected two registered versions of {wanted.index!r}, got {len(newest)}."
            raise IndexNotFoundError(msg, hint="Register both manifests with 'index register'.")
        # As they are now: a version that comes before the job runs changes nothing.
        new, old = newest
    for version in (old, new):
        context.store.indexes.load(wanted.index, version)
    return {"index": wanted.index, "from": old, "to": new}
