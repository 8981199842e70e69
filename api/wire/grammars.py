"""Clean texts and prompts on the wire; ``docs/grammars.md`` says what each field means."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.wire.answer import DigestText, RetrievedIn

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


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class CleanTextIn(_Shape):
    """A raw text and the grammars whose tokens go; all without a name."""

    text: str = Field(examples=[CLEAN_EXAMPLE["text"]])
    grammars: list[str] | None = Field(None, examples=[["chunk"]])


class RawSpanOut(BaseModel):
    """Half-open code points of the raw text."""

    start: int
    end: int


class TokenOut(BaseModel):
    """One reference; in the clean text it is the place where it stood, empty unless it was left."""

    grammar: str
    values: list[str]
    start: int
    end: int
    clean_start: int
    clean_end: int


class CleanTextOut(BaseModel):
    """What a person sees of the text, and what of it went."""

    clean_text: str
    grammars: list[str]
    tokens: list[TokenOut]
    removed: list[RawSpanOut]
    left: list[RawSpanOut] = Field(description="Tokens whose removal would make another.")


class PromptIn(_Shape):
    """For which grammar and policy, and the chunks to list."""

    grammar: Literal["numbered", "chunk", "ref", "field"] | None = "numbered"
    policy: str | None = Field("balanced", examples=["balanced"])
    retrieved: list[RetrievedIn] | None = None
    registry: dict[str, list[str]] | None = Field(
        None, description="Field names by prefix.", examples=[{"TOOL": ["temperature"]}]
    )


class PromptOut(BaseModel):
    """Instructions with their digest; an answer names it as ``generator.prompt_sha256``."""

    grammar: str
    version: str
    instructions: str
    prompt_sha256: DigestText
    reference_list: str | None
