"""The prose of a Gemini response: the text parts of its first candidate, streamed or whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.formats.providers.either_case import open_either_case
from spanproof.verifier.formats.providers.payload import (
    note_cut_answer,
    note_cut_stream,
    raise_malformed,
    skip_content,
)

if TYPE_CHECKING:
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

#: Parts that belong to the model's work, not to the visible answer.
_SILENT = ("functionCall", "functionResponse", "toolCall", "toolResponse", "thoughtSignature")
_FINISHED = (None, "STOP", "FINISH_REASON_UNSPECIFIED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The place of each part of the content in the prose; None for a part outside the prose.

    The pieces of one part that a stream sends in several messages are one here.
    """

    spans: tuple[Span | None, ...]
    whole: Span

    def find(self, position: int) -> Span | None:
        """The span of the part at a ``partIndex``; None if it is not in the prose."""
        return self.spans[position] if 0 <= position < len(self.spans) else None


def read_messages(draft: Draft, response: object) -> tuple[list[EitherCaseReader], Parts]:
    """Write the prose of the candidate with index 0; its readers (one a message) and its parts."""
    if isinstance(response, list):
        messages = [open_either_case(m, f"/response/{n}") for n, m in enumerate(response)]
        if not messages:
            raise_malformed("/response", "the messages of a stream", response)
    else:
        messages = [open_either_case(response, "/response")]
    candidates = [found for message in messages for found in _find_candidate(draft, message)]
    if not candidates:
        _explain_silence(draft, messages)
    writer = _PartWriter(draft)
    for candidate in candidates:
        content = candidate.open("content")
        if content is not None:
            for part in content.open_each("parts"):
                writer.write(part)
    reasons = [candidate.text("finishReason") for candidate in candidates]
    for candidate, reason in zip(candidates, reasons, strict=True):
        if reason not in _FINISHED:
            note_cut_answer(draft, candidate.at("finishReason"), reason)
    if isinstance(response, list) and candidates and not any(reasons):
        note_cut_stream(draft, "a finishReason")
    return candidates, writer.parts


def _find_candidate(draft: Draft, message: EitherCaseReader) -> list[EitherCaseReader]:
    found: list[EitherCaseReader] = []
    for candidate in message.open_each("candidates"):
        if candidate.integer("index") or found:
            # Another candidate is another answer.
            detail = "Another candidate is another answer: only the one of index 0 is read."
            draft.skip(candidate.pointer, detail, code="CONTENT_SKIPPED")
        else:
            found.append(candidate)
    return found


def _explain_silence(draft: Draft, messages: list[EitherCaseReader]) -> None:
    for message in messages:
        feedback = message.open("promptFeedback")
        if feedback is not None:
            note_cut_answer(draft, feedback.pointer, feedback.text("blockReason"))
            return
    raise_malformed(messages[0].at("candidates"), "the candidates of a Gemini response", None)


class _PartWriter:
    """Writes parts one after another; neighbours of one kind across messages are one part."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._start = len(draft.prose)
        self._spans: list[Span | None] = []
        self._message: str | None = None

    @property
    def parts(self) -> Parts:
        """The text so far."""
        whole = Span(self._start, len(self._draft.prose))
        return Parts(spans=tuple(self._spans), whole=whole)

    def write(self, part: EitherCaseReader) -> None:
        """Write one part, or the next piece of the last one."""
        message, _, place = part.pointer.rpartition("/parts/")
        goes_on = place == "0" and self._message not in (None, message)
        self._message = message
        text = part.optional("text", str)
        if text is None or part.fields.get("thought") is True:
            is_silent = part.has(*_SILENT) or part.fields.get("thought") is True
            if not is_silent:
                kinds = ", ".join(sorted(name for name, value in part.fields.items() if value))
                skip_content(self._draft, part.pointer, kinds)
            if not (goes_on and self._spans and self._spans[-1] is None):
                self._spans.append(None)
            return
        span = self._draft.write(text)
        last = self._spans[-1] if self._spans else None
        if goes_on and last is not None:
            self._spans[-1] = Span(last.start, span.end)
        else:
            self._spans.append(span)
