"""Spanproof: does the cited document say it, there, and does it support the claim?

The names below load what they need when they are first asked for; ``import spanproof`` alone loads
nothing else of ours.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.client import AsyncClient, Client
    from spanproof.core.citation import Answer, Citation, Claim
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.core.verdicts.verified_answer import VerifiedAnswer
    from spanproof.ingest import extract
    from spanproof.operations.verification.in_process import verify
    from spanproof.verifier.answers.display import hide_footers, strip_history
    from spanproof.verifier.answers.html import RenderedSource, render_html
    from spanproof.verifier.answers.stream_events import AnswerStream, verification_events

    __version__: str

#: Where each public name is defined.
_HOMES = {
    "Answer": "spanproof.core.citation",
    "AnswerStream": "spanproof.verifier.answers.stream_events",
    "AsyncClient": "spanproof.client",
    "Citation": "spanproof.core.citation",
    "Claim": "spanproof.core.citation",
    "Client": "spanproof.client",
    "Extraction": "spanproof.core.documents.document",
    "Policy": "spanproof.core.verdicts.policy",
    "RenderedSource": "spanproof.verifier.answers.html",
    "Verdict": "spanproof.core.verdicts.verdict",
    "VerificationBlock": "spanproof.core.verdicts.verification_block",
    "VerifiedAnswer": "spanproof.core.verdicts.verified_answer",
    "extract": "spanproof.ingest",
    "hide_footers": "spanproof.verifier.answers.display",
    "render_html": "spanproof.verifier.answers.html",
    "strip_history": "spanproof.verifier.answers.display",
    "verification_events": "spanproof.verifier.answers.stream_events",
    "verify": "spanproof.operations.verification.in_process",
}

__all__ = [
    "Answer",
    "AnswerStream",
    "AsyncClient",
    "Citation",
    "Claim",
    "Client",
    "Extraction",
    "Policy",
    "RenderedSource",
    "Verdict",
    "VerificationBlock",
    "VerifiedAnswer",
    "__version__",
    "extract",
    "hide_footers",
    "render_html",
    "strip_history",
    "verification_events",
    "verify",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("spanproof")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
