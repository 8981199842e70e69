"""A wish to fetch a document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class FetchIn(BaseModel):
    """Where a document stands, and how it is to be called."""

    url: str = Field(description="http or https, of a host that SPANPROOF_FETCH_HOSTS lists.")
    doc_id: str | None = Field(None, description="A name; the doc_hash by default.")
    title: str | None = None


EXAMPLE_IN: dict[str, Any] = {
    "url": "https://documents.example.com/agreements/supply.pdf",
    "doc_id": "supply-agreement",
}
