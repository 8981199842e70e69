"""Webhooks: create, list, rotate, remove; list deliveries and repeat one."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.routes.jobs import job_response
from spanproof.api.http.wire.administration import (
    WEBHOOK_IN,
    SecretOut,
    TryListOut,
    WebhookIn,
    WebhookListOut,
    WebhookMadeOut,
    WebhookOut,
)
from spanproof.api.http.wire.job import JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import Work
from spanproof.operations.webhooks import endpoints as operation

ROUTER = APIRouter(
    prefix="/v1/webhooks",
    tags=["webhooks"],
    dependencies=[Depends(require("admin")), Depends(require_known_parameters)],
)
WebhookId = Annotated[str, Path(description="A webhook_id.", examples=["wh_5f0c6d0a4c0e4f3b"])]
Tries = Annotated[int, Query(ge=1, le=1000, description="Most tries to list, newest first.")]


@ROUTER.post(
    "",
    dependencies=[admit(Work.STORE, reads_body=True)],
    status_code=201,
    operation_id="createWebhook",
    summary="Create a webhook",
    response_model=None,
    responses={
        201: {"model": WebhookMadeOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_ADDRESS",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("WebhookIn", {"example": ("Two events", WEBHOOK_IN)}),
)
async def post_webhook(request: Request, context: ContextIn) -> PlainJsonResponse:
    """The secret is in this answer and is never shown again."""
    # Not a parameter of the route: the framework would read a body of any length before checking
    # the credential.
    raw = await read_body(request, context, hint="Send one webhook.")

    def make() -> PlainJsonResponse:
        wanted = read_request(raw, WebhookIn)
        made, secret = operation.add_webhook(context, wanted.url, wanted.events)
        return PlainJsonResponse(made.to_json() | {"secret": secret}, status_code=201)

    return await run_in_threadpool(make)


@ROUTER.get(
    "",
    dependencies=[admit(Work.STORE)],
    operation_id="listWebhooks",
    summary="The webhooks",
    response_model=None,
    responses={
        200: {"model": WebhookListOut},
        **problem_responses("MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_webhooks(context: ContextIn) -> PlainJsonResponse:
    """In order of creation, without their secrets."""
    found = context.store.deliveries.list_webhooks()
    return PlainJsonResponse({"webhooks": [each.to_json() for each in found]})


@ROUTER.delete(
    "/{webhook_id}",
    dependencies=[admit(Work.STORE)],
    status_code=204,
    operation_id="deleteWebhook",
    summary="Remove a webhook",
    response_class=Response,
    responses={
        **problem_responses("WEBHOOK_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE")
    },
)
def delete_webhook(context: ContextIn, webhook_id: WebhookId) -> Response:
    """It gets no more events; its secret is deleted."""
    operation.remove_webhook(context, webhook_id)
    return Response(status_code=204)


@ROUTER.post(
    "/{webhook_id}/rotate",
    dependencies=[admit(Work.STORE)],
    operation_id="rotateWebhookSecret",
    summary="Replace a webhook's secret",
    response_model=None,
    responses={
        200: {"model": SecretOut},
        **problem_responses("WEBHOOK_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def post_rotate(context: ContextIn, webhook_id: WebhookId) -> PlainJsonResponse:
    """For a day both secrets sign: each delivery has two signatures."""
    secret = operation.rotate_secret(context, webhook_id)
    return PlainJsonResponse({"webhook_id": webhook_id, "secret": secret})


@ROUTER.post(
    "/{webhook_id}/enable",
    dependencies=[admit(Work.STORE)],
    operation_id="enableWebhook",
    summary="Enable a webhook again",
    response_model=None,
    responses={
        200: {"model": WebhookOut},
        **problem_responses("WEBHOOK_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def post_enable(context: ContextIn, webhook_id: WebhookId) -> PlainJsonResponse:
    """After it was disabled because it did not answer."""
    return PlainJsonResponse(operation.enable_webhook(context, webhook_id).to_json())


@ROUTER.get(
    "/{webhook_id}/deliveries",
    dependencies=[admit(Work.STORE)],
    operation_id="listDeliveries",
    summary="List a webhook's deliveries",
    response_model=None,
    responses={
        200: {"model": TryListOut},
        **problem_responses("WEBHOOK_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_deliveries(
    context: ContextIn,
    webhook_id: WebhookId,
    message_id: Annotated[str | None, Query(description="Only tries of this message.")] = None,
    limit: Tries = 100,
) -> PlainJsonResponse:
    """Each try, newest first: when it ran, how it ended, and when the next is due."""
    found = operation.list_tries(context, webhook_id, message_id=message_id, limit=limit)
    return PlainJsonResponse({"tries": [each.to_json() for each in found]})


@ROUTER.post(
    "/{webhook_id}/messages/{message_id}/replay",
    dependencies=[admit(Work.STORE)],
    status_code=202,
    operation_id="replayMessage",
    summary="Send a message once more",
    response_model=None,
    responses={
        202: {"model": JobOut},
        **problem_responses("WEBHOOK_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def post_replay(
    context: ContextIn,
    webhook_id: WebhookId,
    message_id: Annotated[str, Path(description="A message_id of the log.")],
) -> PlainJsonResponse:
    """Sends the same id and body, once."""
    job = operation.replay_message(context, webhook_id, message_id)
    return job_response(job, status_code=202)
