"""Erasing: remove content on request, with a tombstone in the log."""

import json
from typing import get_args

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.erasure import ERASURE_IN, ErasedListOut, ErasureIn
from spanproof.api.http.wire.problem import problem_responses
from spanproof.core.digest import Digest
from spanproof.operations.erasing import erase
from spanproof.operations.errors import Work
from spanproof.store.erasing.refusal import DOCUMENT, ErasedKind

ROUTER = APIRouter(
    prefix="/v1/erasures",
    tags=["erasing"],
    dependencies=[
        Depends(require("admin")),
        Depends(require_known_parameters),
        admit(Work.BULK, reads_body=True),
    ],
)


@ROUTER.post(
    "",
    operation_id="createErasure",
    summary="Erase a document, a verification or a submitted answer permanently",
    response_model=None,
    responses={
        200: {"model": ErasedListOut},
        **problem_responses(
            "NOT_FOUND",
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "STORE_UNAVAILABLE",
            "LOG_STOPPED",
            "LEGAL_HOLD",
        ),
    },
    openapi_extra=describe_body("ErasureIn", {"document": ("A document", ERASURE_IN)}),
)
async def post_erasure(
    request: Request, context: ContextIn, principal: PrincipalIn
) -> PlainJsonResponse:
    """The log records it first, then the content is erased; receipts stay and can still be checked.

    A repeated request finishes an interrupted one and returns the same tombstone. Erased content
    cannot be restored, and the same bytes are refused later.
    """
    raw = await read_body(request, context, hint="Send the id to erase, and a reason.")
    wanted = read_request(raw, ErasureIn)

    def work() -> PlainJsonResponse:
        kind = next(each for each in get_args(ErasedKind) if each == wanted.kind)
        # Only the whole hash: the caller must know exactly what goes.
        subject = str(Digest.parse(wanted.subject)) if kind == DOCUMENT else wanted.subject
        reports = erase(
            context,
            subject,
            kind=kind,
            reason=wanted.reason,
            with_verifications=wanted.with_verifications,
            actor=principal.actor,
        )
        rows = [
            report.to_json()
            | {"bundle": None if report.bundle is None else json.loads(report.bundle)}
            for report in reports
        ]
        return PlainJsonResponse({"erased": rows})

    return await run_in_threadpool(work)
