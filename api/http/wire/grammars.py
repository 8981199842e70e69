"""Clean texts and prompts; ``docs/reference/grammars.md`` explains each field."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.answer import DigestText, PolicyName, RetrievedIn
from spanproof.api.http.wire.fields import FieldRegistryIn, SectionIn

CLEAN_EXAMPLE: dict[str, Any] = {
    "text": "Goods are replaced within four days [citation:terms:c1].",
    "grammars": ["chunk"],
}
CLEANED_EXAMPLE: dict[str, Any] = {
    "clean_text": "Goods are replaced within four days.",
    "grammars": ["chunk"],
    "tokens": [
        {
            "grammar": "chunk",
            "values": ["terms", "c1"],
            "start": 36,
            "end": 55,
            "clean_start": 35,
            "clean_end": 35,
        }
    ],
    "removed": [{"start": 35, "end": 55}],
    "left": [],
}
PROMPT_EXAMPLE: dict[str, Any] = {
    "grammar": "chunk",
    "policy": "balanced",
    "retrieved": [{"chunk_id": "c1", "doc_id": "terms", "text": "Goods are replaced in 4 days."}],
}
PROMPTED_EXAMPLE: dict[str, Any] = {
    "grammar": "chunk",
    "mode": "enforce",
    "version": "prompt-1",
    "instructions": (
        "Rules for citations (prompt-1):\n"
        "- Use only the sources given below. Do not use other knowledge.\n"
        "- Cite with [citation:docId:chunkId].\n"
        "- For example: Replacement takes four days [citation:handbook:p4-2].\n"
        "- Put the citation right after the clause that it supports, before the full stop.\n"
        "- Copy each id exactly as it is listed, percent signs included.\n"
        "- Never invent an id, a title or a URL, and never write a placeholder.\n"
        "- One citation for each source; write no ranges and no lists of another form.\n"
        "- Do not put citations into code.\n"
        "- Give at least 2 citations where the sources allow it.\n"
        "- Where no source supports the answer, say so in one sentence and cite nothing.\n"
        "- An answer that makes claims without citations is rejected.\n"
    ),
    "prompt_sha256": "sha256:7021be8b2ccb2b1f24dd60c4d75da41d0709da479f488b164b5b4bddbcae1088",
    "reference_list": ('Sources:\n\n[citation:terms:c1]\n"Goods are replaced in 4 days."\n'),
}


FIELD_PROMPT_EXAMPLE: dict[str, Any] = {
    "grammar": "field",
    "context": {
        "ticket": {"fields": {"status": "in_progress", "owner": None}},
        "notes": {"fields": {"text": "not for the model"}, "hidden": True},
    },
    "registry": {"prefixes": {"T": "ticket", "N": "notes"}},
}


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class CleanTextIn(_Shape):
    """A raw text and the grammars whose tokens are removed; default: all."""

    text: str = Field(examples=[CLEAN_EXAMPLE["text"]])
    grammars: list[str] | None = Field(None, examples=[["chunk"]])


class RawSpanOut(BaseModel):
    """Half-open code points of the raw text."""

    start: int
    end: int


class TokenOut(BaseModel):
    """One reference; in the clean text an empty span at its place, unless it was left."""

    grammar: str
    values: list[str]
    start: int
    end: int
    clean_start: int
    clean_end: int


class CleanTextOut(BaseModel):
    """The text for readers, and the removed tokens."""

    clean_text: str
    grammars: list[str]
    tokens: list[TokenOut]
    removed: list[RawSpanOut]
    left: list[RawSpanOut] = Field(
        description="Tokens left in, because their removal would form another token."
    )


class PromptIn(_Shape):
    """Grammar and policy, and the chunks or fields to list."""

    grammar: Literal["numbered", "chunk", "ref", "field"] | None = "numbered"
    policy: PolicyName | None = "balanced"
    retrieved: list[RetrievedIn] | None = None
    context: dict[str, SectionIn] | None = Field(
        None, description="For 'field', instead of 'retrieved': the sections that may be cited."
    )
    registry: FieldRegistryIn | None = Field(None, description="Of 'field'.")


class PromptOut(BaseModel):
    """Instructions with their digest; an answer names it as ``generator.prompt_sha256``."""

    grammar: str
    mode: Literal["off", "observe", "enforce"] = Field(
        description="The tenant's mode of this grammar; if off, the prompt asks for no citations."
    )
    version: str
    instructions: str = Field(description="Empty if the mode is off.")
    prompt_sha256: DigestText
    reference_list: str | None
