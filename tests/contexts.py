"""Contexts with parts or settings of a test's own beside the real ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanproof.operations.assembly import make_context
from spanproof.operations.context import Part

if TYPE_CHECKING:
    from typing import Unpack

    from spanproof.operations.assembly import GivenParts
    from spanproof.operations.context import Context


def with_parts(context: Context, **given: Unpack[GivenParts]) -> Context:
    """A sibling with these parts; all others are the context's own, which closes them."""
    parts: dict[str, Any] = {name: Part.of(value) for name, value in given.items()}
    return replace(context, parts=replace(context.parts, **parts))


def with_settings(context: Context, **changes: Any) -> Context:
    """A sibling with other settings over the same parts; a model that they name is loaded."""
    settings = context.settings.model_copy(update=changes)
    parts = context.parts
    if "model" in changes:
        parts = replace(parts, model=make_context(settings).parts.model)
    return replace(context, settings=settings, parts=parts)
