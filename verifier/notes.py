"""One sentence for a person about each verdict: its confirmation, or the first fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.shown import first_words
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.verifier.identity.document import SUPERSEDED_NOW
from spanproof.verifier.identity.snippet import SNIPPET_LIFTED, SOURCE_IS_SNIPPET
from spanproof.verifier.identity.standing import (
    SOURCE_AMENDED,
    SOURCE_NOT_IN_FORCE,
    SOURCE_NOT_IN_FORCE_NOW,
    SOURCE_WITHDRAWN,
)
from spanproof.verifier.identity.superseded import EXTRACTION_SUPERSEDED
from spanproof.verifier.quotes.missing import SECOND_ENGINE_READS
from spanproof.verifier.support.scope import SCOPE_CUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.verdicts.verdict import Existence, Support
    from spanproof.verifier.outcome import Axes

_IDENTITY = {
    IdentityStatus.HASH_MISMATCH: "The cited hash is of no version of the named document.",
    IdentityStatus.UNKNOWN_DOCUMENT: "No document {named} is kept here, so nothing was checked.",
    IdentityStatus.UNKNOWN_EXTRACTION: "The cited extraction of the document is not kept here.",
}
_EXISTENCE = {
    ExistenceStatus.AMBIGUOUS: "The quote stands in {count} places; which one is meant is open.",
    ExistenceStatus.MISATTRIBUTED: "The quote is not in the cited source; it stands in another.",
    ExistenceStatus.STITCHED: "The quote is stitched from {count} separate places.",
    ExistenceStatus.ABSENT: "The quote stands nowhere in the cited source.",
    ExistenceStatus.UNVERIFIABLE: "The source has no text to check the quote against.",
    ExistenceStatus.NOT_RUN: "The quote was not looked for.",
}
_SUPPORT = {
    SupportStatus.CONTRADICTED: "The model reads a contradiction between the claim and the span.",
    SupportStatus.NEUTRAL: "The span does not support the claim.",
    SupportStatus.BORDERLINE: "Whether the span supports the claim is left open.",
}
_DENIED = frozenset({SupportStatus.NEUTRAL, SupportStatus.CONTRADICTED})
_UNSUPPORTED = frozenset({SupportStatus.NEUTRAL, SupportStatus.CONTRADICTED, SupportStatus.NOT_RUN})
_IN_CONTEXT = {
    "bare": "",
    "headers": ", read with its headings or headers",
    "question": ", read as the answer to the question",
}
#: Enough of a document's hash to find it by.
_HASH_SHOWN = len("sha256:") + 12
# So many pages are named in a sentence.
_MOST_PAGES = 10
_AGREED = {"verbatim": " word for word", "restated": " with all of its own words"}
#: Codes that ask a person to look, the gravest first.
_REVIEW_HINTS = {
    SOURCE_WITHDRAWN: "The cited document is withdrawn.",
    SOURCE_NOT_IN_FORCE: "The cited document was not in force when the answer was made.",
    SOURCE_NOT_IN_FORCE_NOW: "The cited document is no longer in force.",
    SOURCE_AMENDED: "Another document has amended the cited one.",
    "HIDDEN_TEXT": "The quote rests on text that a reader does not see, or sees struck out.",
    "LOST_GLYPHS": "The page shows words or characters there that the text does not have.",
    "CLAIM_OBSCURED": "The claim has characters that a reader does not see, or takes for others.",
    "QUOTATION_ABSENT": "The claim quotes words that the cited source does not have.",
    "QUOTATION_ALTERED": "The claim quotes words that the cited source says otherwise.",
    "QUOTATION_NOT_RUN": (
        "Whether the cited source has the words that the claim quotes was not checked."
    ),
    "SOURCE_UNTRUSTED": "The policy asks for a source of another tier.",
    "WITNESS_DISAGREES": "A second engine reads the page differently where the quote stands.",
    "FOLD_NOT_ACCEPTED": (
        "The quote differs from the source by a fold that the policy does not accept."
    ),
}


def write_note(axes: Axes, outcome: Outcome, codes: Sequence[str], named: str) -> str:
    """The sentence; deterministic, because it is part of the verdicts' digest.

    ``named`` is what the citation calls its document.
    """
    note = (
        _why_not_there(axes, codes, named)
        or _why_not_supported(axes.support)
        or _explain_review(axes, codes)
    )
    if outcome is Outcome.PASS and note is None:
        note = f"The quote stands at its place and the span supports the claim{_how(axes.support)}."
        return note + _describe_source(axes, codes)
    note = note or _why_in_context(axes.support) or _why_unproved(codes)
    note = note or "The policy asks a person to look at this citation."
    if axes.attribution.status is AttributionStatus.ELSEWHERE:
        note += " Another cited or retrieved span supports the claim."
    return note + _describe_source(axes, codes)


def _describe_source(axes: Axes, codes: Sequence[str]) -> str:
    """What a reader must hear of the source, also where the policy lets the citation pass."""
    if SOURCE_IS_SNIPPET in codes:
        return " The source is a text that came with the request; no document stands behind it."
    if SNIPPET_LIFTED in codes:
        page = "" if axes.locator.page is None else f", page {axes.locator.page}"
        document = f"{str(axes.identity.doc_hash)[:_HASH_SHOWN]}…{page}"
        return (
            f" The source came as a text; a document that you gave or keep holds it ({document})."
        )
    return ""


def _why_not_there(axes: Axes, codes: Sequence[str], named: str) -> str | None:
    existence = axes.existence
    if axes.identity.status in _IDENTITY:
        return _IDENTITY[axes.identity.status].format(named=named)
    if "SPAN_CUTS_MEANING" in codes:
        return "The span cuts a word or number, and what is left says something else."
    if "QUOTE_NOT_GIVEN" in codes:
        return "The provider quotes nothing, so there is nothing to look for."
    if existence.status is ExistenceStatus.ALTERED:
        return _altered(existence)
    if existence.degraded_pages:
        return _degraded(existence.degraded_pages, codes)
    if existence.status in _EXISTENCE:
        return _EXISTENCE[existence.status].format(count=len(existence.candidates))
    return None


def _why_not_supported(support: Support) -> str | None:
    if support.vetoes and support.status in _DENIED:
        veto = support.vetoes[0]
        said = repr(veto.source) if veto.source is not None else "nothing of the kind"
        return f"The claim says {veto.claim!r} where the span says {said} ({veto.kind})."
    if support.reason == SCOPE_CUT:
        said = repr(support.vetoes[0].source) if support.vetoes else "words"
        return f"The span leaves out {said}, which changes what its sentence says."
    if support.status is SupportStatus.CONTRADICTED:
        return _SUPPORT[support.status]
    unsupported = next((p for p in support.subclaims if p.status in _UNSUPPORTED), None)
    if support.grade == "partial" and unsupported is not None:
        return f"The span supports a part of the claim, but not {first_words(unsupported.text)!r}."
    if support.reason == "claim_part_unsupported":
        left = ", ".join(repr(first_words(part.claim)) for part in support.unsupported_parts[:3])
        return f"The claim says more than the span: nothing there accounts for {left}."
    if support.reason == "slots_unconfirmed" and support.vetoes:
        doubt = support.vetoes[0]
        said = "" if doubt.source is None else f"; it says {doubt.source!r}"
        kind = doubt.kind.removeprefix("unconfirmed_").replace("_", " ")
        return f"The span does not confirm {doubt.claim!r} of the claim ({kind}){said}."
    if support.reason == "no_certificate":
        return (
            "The model calls the claim supported, which is not enough for a claim in other words"
            " than its span."
        )
    if support.reason == "claim_in_parts":
        return "The claim is too long for the model; each of its parts is supported."
    if support.status is SupportStatus.NOT_RUN:
        return f"Whether the span supports the claim was not checked ({support.reason})."
    return _SUPPORT.get(support.status)


def _how(support: Support) -> str:
    if support.joint is not None:
        return " together with other citations"
    if support.reason in _AGREED:
        return _AGREED[support.reason] + _IN_CONTEXT[support.context]
    return _IN_CONTEXT[support.context]


def _why_in_context(support: Support) -> str | None:
    if support.context == "bare":
        return None
    return f"The span supports the claim only{_IN_CONTEXT[support.context].replace(', ', ' ')}."


def _explain_review(axes: Axes, codes: Sequence[str]) -> str | None:
    for code, why in _REVIEW_HINTS.items():
        if code in codes:
            return why
    if axes.existence.status is ExistenceStatus.MOVED:
        return "The quote is not at the given offsets; it stands at one other place."
    if axes.identity.status is IdentityStatus.SUPERSEDED:
        return "A newer version of the document has taken the cited one's name."
    if SUPERSEDED_NOW in codes:
        return "A newer version of the document has taken one of its names since."
    if EXTRACTION_SUPERSEDED in codes:
        return _superseded(axes)
    if axes.locator.status is LocatorStatus.MISMATCH:
        return "The given page, box or cell does not hold the quote."
    return None


def _superseded(axes: Axes) -> str:
    newest = axes.identity.newest
    span = None if newest is None else newest.span
    there = (
        "its words are not at one place there"
        if span is None
        else f"its words stand there at {span.start} to {span.end}"
    )
    return f"The citation counts in an older extraction than the newest; {there}."


def _why_unproved(codes: Sequence[str]) -> str | None:
    if "MODEL_NON_REPLAYABLE" in codes:
        return "The model may answer otherwise when it is asked again."
    if "CALIBRATION_OUT_OF_SCOPE" in codes:
        return "The model's calibration was not made for answers of this prompt or these fields."
    if "CALIBRATION_STALE" in codes:
        return "The model's calibration is out of date or was made for other weights."
    if "CALIBRATION_NONE" in codes:
        return "The model has no calibration, so its threshold promises nothing."
    return None


def _degraded(pages: Sequence[int], codes: Sequence[str]) -> str:
    named = ", ".join(map(str, pages[:_MOST_PAGES]))
    more = f" and {len(pages) - _MOST_PAGES} more" if len(pages) > _MOST_PAGES else ""
    where = f"page {named}" if len(pages) == 1 else f"pages {named}{more}"
    if SECOND_ENGINE_READS in codes:
        return f"The text of {where} is not whole; a second engine reads the quote there."
    return f"The quote was not found, but the text of {where} is not whole and may lack it."


def _altered(existence: Existence) -> str:
    edits = existence.difference.edits if existence.difference else ()
    # A changed number or negation says more than a changed comma.
    edit = next((e for e in edits if e.protected), next(iter(edits), None))
    if edit is None:
        return "The quote is not what the source says."
    quoted = repr(edit.quote) if edit.quote else "nothing"
    said = repr(edit.source) if edit.source else "nothing"
    # The source's token first: it is the one that the quote should have kept.
    kinds = [t.kind for t in sorted(edit.touches, key=lambda token: token.side != "source")]
    kind = f" ({kinds[0].replace('_', ' ')})" if kinds else ""
    return f"The quote is altered: it says {quoted} where the source says {said}{kind}."
