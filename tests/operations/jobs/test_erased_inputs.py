"""Erasing reaches the inputs of jobs that wait: alone, in an array, and as a document's file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.documents.ingest import Announced, stage_chunks
from spanproof.operations.erasing import erase
from spanproof.operations.jobs.queueing import start_ingest, start_verification
from spanproof.operations.jobs.records import JobState
from spanproof.operations.verification.answer_array import split_array
from spanproof.operations.verification.verify import verify_payload
from tests.operations.audited import take_document
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context


def make_answer(doc_hash: Digest, number: int) -> bytes:
    citation = {"anchor": 1, "doc_hash": str(doc_hash), "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE[:-1]} [1]. {number}", "citations": [citation]}
    return json.dumps(answer).encode()


@pytest.fixture
def doc_hash(context: Context) -> Digest:
    return take_document(context)


def list_inputs(context: Context) -> list[bytes]:
    inputs = context.jobs.inputs
    return [inputs.read(name) for name in inputs.list_names()]


def test_an_erased_answer_goes_from_every_waiting_input(context: Context, doc_hash: Digest) -> None:
    first, second = make_answer(doc_hash, 1), make_answer(doc_hash, 2)
    made = verify_payload(context, first).verification_id
    alone = start_verification(context, first)
    together = start_verification(context, b"[%b, %b]" % (first, second))
    other = start_verification(context, second)
    (report,) = erase(context, made, reason="asked for")
    # The payload, the block, and the two inputs.
    assert report.removed == 4
    assert context.jobs.find(alone.job_id).state is JobState.CANCELLED
    assert context.jobs.find(together.job_id).state is JobState.QUEUED
    assert context.jobs.find(other.job_id).state is JobState.QUEUED
    left = list_inputs(context)
    assert not any(first in each for each in left)
    assert sorted(left, key=len) == [second, b"[null,%b]" % second]
    assert split_array(left[0] if left[0] != second else left[1]) == [b"null", second]


def test_an_erased_document_goes_from_the_input_of_its_job(
    context: Context, doc_hash: Digest
) -> None:
    announced = Announced(media_type=None, filename=None, doc_id=None, title=None, expected=None)
    with context.store.blobs.stage() as staged:
        stage_chunks(context, staged, [make_pdf()])
        job = start_ingest(context, staged, announced)
    erase(context, str(doc_hash), reason="asked for")
    assert context.jobs.find(job.job_id).state is JobState.CANCELLED
    assert list_inputs(context) == []
