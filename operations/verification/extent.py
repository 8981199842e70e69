"""The settings that say how much one request may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings
    from spanproof.verifier.extent import Extent


def read_extent(settings: Settings) -> Extent:
    """The most of each kind."""
    from spanproof.verifier.extent import Extent

    return Extent(
        citations=settings.max_citations,
        claims=settings.max_claims,
        verdicts=settings.max_verdicts,
        documents=settings.max_supplied,
    )
