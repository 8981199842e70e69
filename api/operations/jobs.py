"""Work that is answered at once and done later: what the doors queue."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from api.operations.answer_array import split_array
from api.operations.ingest import check_expected
from core.errors import MalformedAnswerError
from receipt.issue import actor_to_json
from receipt.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from api.jobs import Job
    from api.operations.verify import RepairChoice
    from api.wiring import Services
    from core.digest import Digest
    from store.blobs import StagedBlob

#: A longer array is several: one job is one shard of work.
MAX_ANSWERS = 1_000


def start_verification(  # noqa: PLR0913 - what a caller may choose, and who it is
    services: Services,
    raw: bytes,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    repair: RepairChoice | None = None,
    seed: str | None = None,
    actor: Actor = NOBODY,
) -> Job:
    """Queue the verification of an answer, or of an array of them; ``seed`` names the job.

    Raises InputError for one answer that is malformed; those of an array stand in its result.
    """
    from api.operations.verify import load_named_policy
    from verifier.formats.registry import parse_payload

    parts = split_array(raw)
    if policy is not None:
        load_named_policy(policy)
    if parts is None:
        # Now, while somebody waits for the answer.
        parse_payload(raw, format)
    elif len(parts) > MAX_ANSWERS:
        msg = f"Expected at most {MAX_ANSWERS} answers in an array, got {len(parts)}."
        raise MalformedAnswerError(msg, hint="Send several arrays, each a job of its own.")
    seed = seed or str(uuid.uuid4())
    name = services.jobs.inputs.add(raw)
    arguments = {
        "seed": seed,
        "input": name,
        "format": format,
        "policy": policy,
        "repair": repair is not None,
        "repair_sentences": repair is not None and repair.sentences,
        "actor": actor_to_json(actor),
    }
    with services.jobs.holding(name):
        return services.jobs.start("verification", arguments, job_id=seed)


def start_ingest(  # noqa: PLR0913 - what a caller may say of its bytes
    services: Services,
    staged: StagedBlob,
    *,
    media_type: str | None,
    filename: str | None,
    doc_id: str | None,
    title: str | None,
    expected: Digest | None = None,
) -> Job:
    """Queue the reading of bytes that are staged whole; raise DigestMismatchError for others."""
    check_expected(staged, expected)
    name = services.jobs.inputs.add_file(staged.path)
    arguments = {
        "input": name,
        "media_type": media_type,
        "filename": filename,
        "doc_id": doc_id,
        "title": title,
        "expected": str(staged.digest),
    }
    with services.jobs.holding(name):
        return services.jobs.start("ingest", arguments)
