"""The page of a pack that a person reads: no script, nothing from elsewhere, everything escaped."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from spanproof.core.documents.block_place import describe_places, find_places
from spanproof.core.moment import write_moment
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.operations.presentation.excerpt import cut_excerpt
from spanproof.operations.presentation.words import NOT_PROVED, SIGNS, describe_axis, show_text

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.operations.export.drawing import Crop, Drawings
    from spanproof.operations.export.material import Case, CitedVerdict
    from spanproof.operations.presentation.excerpt import Excerpt
    from spanproof.operations.presentation.words import Axis

_AXES = ("identity", "existence", "locator", "support", "attribution")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    """What the page shows of a receipt; the page itself checks nothing of it."""

    path: str
    proof_path: str
    key_id: str
    index: int
    size: int
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """A document of the pack: its name, its hash, and where its files are."""

    title: str
    doc_hash: str
    media_type: str
    byte_length: int
    source: str
    texts: tuple[str, ...]
    marked: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """One citation's verdict as it is shown."""

    number: int
    anchor: int
    outcome: str
    claim: str
    quote: str | None
    notes: str
    decided: str | None
    codes: tuple[str, ...]
    axes: tuple[Axis, ...]
    title: str | None
    doc_hash: str | None
    excerpt: Excerpt | None
    place: str
    crops: tuple[Crop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """One verification as it is shown."""

    verification_id: str
    verified_at: str
    result: str
    prose: str
    question: str | None
    policy: str
    model: str
    verdicts: tuple[VerdictView, ...]
    documents: tuple[DocumentView, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    receipt: ReceiptView | None
    response: str
    payload: str | None


def view_case(
    case: Case,
    drawings: Drawings,
    *,
    documents: tuple[DocumentView, ...],
    receipt: ReceiptView | None,
    paths: tuple[str, str | None],
) -> CaseView:
    """What the page shows of a verification; ``paths`` are those of its answer and payload.

    Of one that was kept without its words there is no payload.
    """
    block = case.block
    return CaseView(
        verification_id=case.verification_id,
        verified_at=block["verified_at"],
        result=block["result"],
        prose=case.prose,
        question=case.question,
        policy=f"{block['policy']['name']} ({block['policy']['digest']})",
        model=f"{block['model']['name']}, {block['model']['runtime']}",
        verdicts=tuple(
            _view_verdict(each, drawings.crops.get(each.index, ()), case.decided)
            for each in case.verdicts
        ),
        documents=documents,
        missing=case.missing,
        problems=drawings.problems,
        receipt=receipt,
        response=paths[0],
        payload=paths[1],
    )


def render_index(
    cases: tuple[CaseView, ...],
    *,
    origin: str,
    head: dict[str, Any],
    made_at: datetime,
    erased: tuple[str, ...] = (),
) -> bytes:
    """The whole page, UTF-8; characters that UTF-8 cannot carry become references."""
    html = (
        _load_environment()
        .get_template("index.html")
        .render(
            cases=cases,
            origin=origin,
            head=head,
            made_at=write_moment(made_at),
            erased=erased,
        )
    )
    return html.encode("utf-8", "xmlcharrefreplace")


def _view_verdict(
    verdict: CitedVerdict, crops: tuple[Crop, ...], decided: dict[int, str]
) -> VerdictView:
    raw, extraction, span = verdict.raw, verdict.extraction, verdict.span
    excerpt = place = None
    is_snippet = raw["identity"]["status"] == IdentityStatus.SNIPPET
    if extraction is not None and span is not None:
        excerpt = cut_excerpt(extraction.text, span)
        place = describe_places(find_places(extraction, span))
    return VerdictView(
        number=verdict.index + 1,
        anchor=raw["anchor"],
        outcome=raw["outcome"],
        claim=raw["claim"]["text"],
        quote=verdict.quote,
        notes=raw["notes"],
        decided=decided.get(raw["citation"]),
        codes=tuple(raw["codes"]),
        axes=tuple(
            describe_axis(name, raw[name]["status"], reason=raw[name].get("reason"))
            for name in _AXES
        ),
        title=verdict.title,
        doc_hash=None if is_snippet else raw["identity"]["doc_hash"],
        excerpt=excerpt,
        place=place or "",
        crops=crops,
    )


@cache
def _load_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("spanproof.operations.export"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (
        resources.files("spanproof.operations.export")
        .joinpath("templates", "index.css")
        .read_text("utf-8")
    )
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    environment.filters["shown"] = show_text
    environment.globals["signs"] = SIGNS
    environment.globals["not_proved"] = NOT_PROVED
    # Our own file, which the policy names by its digest.
    environment.globals["style"] = Markup(style)  # noqa: S704 - no caller's word is in it
    environment.globals["style_digest"] = digest
    return environment
