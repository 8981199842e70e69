"""The transparency log for any client of tiles (C2SP tlog-tiles), under ``/v1/log``."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from fastapi.responses import Response

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import Work
from spanproof.operations.log.resources import read_head, read_log_tile, write_receipt_proof

_TEXT = "text/plain; charset=utf-8"
_BYTES = "application/octet-stream"
#: The head changes with every leaf.
_MUTABLE = {"Cache-Control": "no-cache"}
#: A tile never changes; not in shared caches, which do not check who may read it.
_IMMUTABLE = {"Cache-Control": "private, max-age=31536000, immutable"}
_CHECKPOINT = (
    "log.example.com\n2\nqlWi0N6dIpVK4SykqKY1zhN1Tzl8sCv8j6V5iOJTjDw=\n\n"
    "— log.example.com 6ICcUT3x…\n"
)
ROUTER = APIRouter(
    prefix="/v1/log",
    tags=["log"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)
PROOF_ROUTER = APIRouter(
    prefix="/v1/verifications",
    tags=["log"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)


@ROUTER.get(
    "/checkpoint",
    operation_id="getCheckpoint",
    summary="Show the newest signed head of the log",
    response_class=Response,
    responses={
        200: {"content": {_TEXT: {"schema": {"type": "string"}, "example": _CHECKPOINT}}},
        **problem_responses("NOT_FOUND"),
    },
)
def get_checkpoint(context: ContextIn) -> Response:
    """A signed note: origin, size and root, then the log's signature and its witnesses'."""
    _, note = read_head(context)
    return Response(note.encode("utf-8"), media_type=_TEXT, headers=_MUTABLE)


@ROUTER.get(
    "/tile/{path:path}",
    operation_id="getTile",
    summary="Show a tile of hashes, or a bundle of entries",
    response_class=Response,
    responses={
        200: {"content": {_BYTES: files.TILE}},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER"),
    },
)
def get_tile(
    context: ContextIn,
    path: Annotated[
        str,
        Path(
            description="<L>/<N>[.p/<W>] or entries/<N>[.p/<W>], as tlog-tiles writes them.",
            examples=["entries/000.p/2"],
        ),
    ],
) -> Response:
    """Only tiles that a signed head requires; numbers as in C2SP tlog-tiles."""
    content = read_log_tile(context, f"tile/{path}")
    return Response(content, media_type=_BYTES, headers=_IMMUTABLE)


@PROOF_ROUTER.get(
    "/{verification_id}/receipt.tlog-proof",
    dependencies=[Depends(recorded("answer", "verification_id"))],
    operation_id="getReceiptProof",
    summary="Show the proof that a verification's receipt is in the log",
    response_class=Response,
    responses={
        200: {"content": {_TEXT: files.describe_text(files.PROOF)}},
        **problem_responses("VERIFICATION_NOT_FOUND", "RECEIPT_NOT_FOUND", "MALFORMED_PARAMETER"),
    },
)
def get_receipt_proof(context: ContextIn, verification_id: str) -> Response:
    """C2SP tlog-proof: the leaf's index, the hashes up to the root, and the signed head."""
    proof = write_receipt_proof(context, verification_id)
    return Response(
        proof.encode("utf-8"),
        media_type=_TEXT,
        headers={
            "Content-Disposition": 'attachment; filename="receipt.tlog-proof"',
            "Cache-Control": "private, no-cache",
        },
    )
