"""What the service says of itself, made once for all tests that read it at their collection."""

from __future__ import annotations

from functools import cache
from typing import Any

from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings


@cache
def describe_service() -> dict[str, Any]:
    """The OpenAPI document; to read, never to change."""
    return create_app(Settings(database_url=None, model=None, test_data=None)).openapi()
