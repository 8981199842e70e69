"""Sources: withdraw or amend a document, set its dates and labels, list the affected answers."""

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import (
    ContextIn,
    Cursor,
    Limit,
    PrincipalIn,
    Ref,
    read_filter_moment,
    require,
)
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.problem import problem_responses
from spanproof.api.http.wire.source import (
    CHANGE_IN,
    DATES_IN,
    AffectedListOut,
    SourceChangeIn,
    SourceChangeListOut,
    SourceChangeOut,
)
from spanproof.operations.documents.affected import list_affected
from spanproof.operations.documents.references import load_record
from spanproof.operations.documents.source_states import change_to_json, list_changes
from spanproof.operations.documents.sources import DATES, LABELS, SourceOrder, change_source
from spanproof.operations.errors import Work

ROUTER = APIRouter(
    prefix="/v1/documents", tags=["documents"], dependencies=[Depends(require_known_parameters)]
)
_MISSING = ("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER")


@ROUTER.post(
    "/{ref:path}/changes",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    operation_id="changeDocument",
    summary="Withdraw or amend a document, or set its dates and labels",
    response_model=None,
    responses={
        200: {"model": SourceChangeOut},
        **problem_responses(
            *_MISSING, "UPLOAD_STALLED", "ANSWER_TOO_LARGE", "STORE_UNAVAILABLE", "LOG_STOPPED"
        ),
    },
    openapi_extra=describe_body(
        "SourceChangeIn", {"withdraw": ("Withdraw", CHANGE_IN), "set": ("Dates", DATES_IN)}
    ),
)
async def post_change(
    request: Request, context: ContextIn, principal: PrincipalIn, ref: Ref
) -> PlainJsonResponse:
    """The log records the change and its author; kept verdicts stay as they are."""
    raw = await read_body(request, context, hint="Send one change, and its reason.")
    wanted = read_request(raw, SourceChangeIn)
    given = {
        name: read_filter_moment(getattr(wanted, name)) if name in DATES else getattr(wanted, name)
        for name in (*DATES, *LABELS)
        if name in wanted.model_fields_set
    }
    order = SourceOrder(
        action=wanted.action,
        reason=wanted.reason,
        since=read_filter_moment(wanted.since),
        by=wanted.by,
        given=given,
    )

    def work() -> PlainJsonResponse:
        change = change_source(context, ref, order, actor=principal.actor)
        return PlainJsonResponse(change_to_json(change))

    return await run_in_threadpool(work)


@ROUTER.get(
    "/{ref:path}/changes",
    dependencies=[Depends(require("read", "audit")), admit(Work.STORE)],
    operation_id="listDocumentChanges",
    summary="List what was said of a document",
    response_model=None,
    responses={200: {"model": SourceChangeListOut}, **problem_responses(*_MISSING)},
)
def get_changes(context: ContextIn, ref: Ref) -> PlainJsonResponse:
    """The oldest first; the newest holds."""
    doc_hash = load_record(context, ref).document.doc_hash
    changes = list_changes(context, doc_hash)
    return PlainJsonResponse({"changes": [change_to_json(each) for each in changes]})


@ROUTER.get(
    "/{ref:path}/affected",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answers", "ref")),
    ],
    operation_id="listAffectedAnswers",
    summary="List the kept answers that the state of a document affects",
    response_model=None,
    responses={200: {"model": AffectedListOut}, **problem_responses(*_MISSING)},
)
def get_affected(
    context: ContextIn, ref: Ref, cursor: Cursor = None, limit: Limit = 50
) -> PlainJsonResponse:
    """Newest first, with the codes that a new verification would add. Nothing is changed."""
    return PlainJsonResponse(list_affected(context, ref, cursor=cursor, limit=limit).to_json())
