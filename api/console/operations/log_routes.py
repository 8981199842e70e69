"""The page of the log: its newest signed head, and a search for leaves with their proofs."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import Request  # noqa: TC002 - FastAPI reads the annotations
from fastapi.responses import Response  # noqa: TC002 - as above

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.operations.proof import make_proof_view
from spanproof.api.console.rendering import render_page
from spanproof.api.http.requests.admitting import admit
from spanproof.core.errors import NotFoundError
from spanproof.core.log.merkle import HASH_SIZE
from spanproof.operations.errors import Work
from spanproof.operations.log.resources import open_reader, read_cosigned_head
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.store.records import VerificationFilter

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter

    from spanproof.api.console.links import Links
    from spanproof.api.console.operations.proof import ProofView
    from spanproof.operations.context import Context
    from spanproof.store.log.reading import LogReader

#: What a search of the log shows at most: an answer has few leaves.
_MOST_LEAVES = 20


def add_log_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add the page to the console's router."""

    @router.get("/log", dependencies=[admit(Work.STORE)])
    def show_log(request: Request) -> Response:
        return answer(request, lambda: _log_page(request, context_of(request)))


def _log_page(request: Request, context: Context) -> Response:
    links, asked = make_links(request), request.query_params.get("q", "").strip()
    return render_page(
        "log.html",
        links,
        view=_make_log_view(context),
        address=str(request.base_url).rstrip("/"),
        asked=asked,
        leaves=_find_leaves(context, links, asked) if asked else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _LogView:
    """The newest signed head, and who signed it; ``grown_at`` is the time of its newest leaf."""

    origin: str
    size: int
    root: str
    note: str
    signers: tuple[str, ...]
    grown_at: str | None
    is_closed: bool


def _make_log_view(context: Context) -> _LogView | None:
    """The view of this store's log; None before its first signed head."""
    try:
        reader = open_reader(context)
        head, note = read_cosigned_head(context, reader)
    except NotFoundError:
        return None
    return _LogView(
        origin=head.origin,
        size=head.size,
        root=head.root.hex(),
        note=note,
        signers=tuple(dict.fromkeys(each.name for each in parse_note(note).signatures)),
        grown_at=_find_time(reader, head.size - 1),
        is_closed=reader.find_freeze() is not None,
    )


def _find_time(reader: LogReader, index: int) -> str | None:
    """The time in the newest leaf's statement, or None."""
    stored = reader.find_statement(index) if index >= 0 else None
    if stored is None:
        return None
    predicate = json.loads(stored.statement.payload).get("predicate", {})
    found = predicate.get("time_issued", predicate.get("time"))
    return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeafView:
    """A leaf that was found; without ``kind`` its statement is not kept here."""

    index: int
    leaf_hash: str
    kind: str | None
    subject: str
    url: str | None
    proof: ProofView | None


def _find_leaves(context: Context, links: Links, asked: str) -> tuple[_LeafView, ...]:
    """The leaves of an index, a leaf's hash, a verification or an answer; none for another."""
    try:
        reader = open_reader(context)
    except NotFoundError:
        return ()
    indexes: set[int | None] = set()
    leaf_hash = _read_hash(asked)
    if asked.isascii() and asked.isdigit() and len(asked) <= 15:
        indexes = {int(asked)}
    elif leaf_hash is not None:
        indexes = {reader.find_leaf(leaf_hash)}
    else:
        wanted = VerificationFilter(answer_id=asked)
        listed = context.store.answers.list(wanted, limit=_MOST_LEAVES).items
        subjects = (asked, *(each.verification_id for each in listed))
        indexes = {each.index for name in subjects for each in reader.find_statements(name)}
    found = sorted(each for each in indexes if each is not None)[:_MOST_LEAVES]
    views = (_make_leaf_view(reader, context, links, index) for index in found)
    return tuple(each for each in views if each is not None)


def _read_hash(text: str) -> bytes | None:
    """The hash that is written in hexadecimal digits or in base64; None for another text."""
    for read in (bytes.fromhex, lambda each: base64.b64decode(each, validate=True)):
        try:
            found = read(text)
        except (ValueError, binascii.Error):
            continue
        if len(found) == HASH_SIZE:
            return found
    return None


def _make_leaf_view(
    reader: LogReader, context: Context, links: Links, index: int
) -> _LeafView | None:
    try:
        _, leaf_hash = reader.read_leaf(index)
    except NotFoundError:
        return None
    stored = reader.find_statement(index)
    subject = "" if stored is None else stored.statement.subject
    return _LeafView(
        index=index,
        leaf_hash=leaf_hash.hex(),
        kind=None if stored is None else stored.statement.kind,
        subject=subject,
        url=links.answer(subject) if context.store.answers.has(subject) else None,
        proof=make_proof_view(reader, index, leaf_hash),
    )
