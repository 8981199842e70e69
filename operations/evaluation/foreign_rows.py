"""Rows of RAGAS, DeepEval and plain tables → the fields of a case: an answer with its contexts.

A row is known by its columns. RAGAS calls them ``response`` and ``retrieved_contexts`` (``answer``
and ``contexts`` in older releases), DeepEval ``actual_output`` and ``retrieval_context``.
"""

from __future__ import annotations

from typing import Any

from spanproof.core.contexts import with_contexts
from spanproof.core.errors import MalformedAnswerError

#: The columns of the answer, of its contexts and of the question, as the tools name them.
ANSWERS = ("response", "answer", "actual_output")
CONTEXTS = ("retrieved_contexts", "contexts", "retrieval_context", "context")
QUESTIONS = ("user_input", "question", "input")
_IDS = ("case_id", "id", "name")


def is_foreign(fields: dict[str, Any]) -> bool:
    """Whether a row has an answer and contexts in place of a payload."""
    return "payload" not in fields and any(name in fields for name in ANSWERS)


def to_case_fields(fields: dict[str, Any], number: int) -> dict[str, Any]:
    """The fields of a case; raise MalformedAnswerError for a row without an answer or contexts.

    ``case_id`` is the row's ``case_id``, ``id`` or ``name``, else ``row-`` and its number. The
    columns ``policy`` and ``expect`` (a result) are those of a case; others are left out.
    """
    answer, contexts = _find(fields, ANSWERS), _find(fields, CONTEXTS)
    if isinstance(contexts, str):
        contexts = [contexts]
    if not isinstance(answer, str) or not isinstance(contexts, list):
        msg = (
            f"Expected a text under one of {', '.join(ANSWERS)} and a list of texts under one of"
            f" {', '.join(CONTEXTS)}, got another row."
        )
        raise MalformedAnswerError(msg, hint="Write a list in a CSV cell as a JSON array.")
    try:
        payload = with_contexts(answer, contexts)
    except TypeError as error:
        msg = f"Expected texts as contexts, got another value ({error})."
        raise MalformedAnswerError(msg, hint="Give each context as a text.") from error
    question = _find(fields, QUESTIONS)
    if isinstance(question, str) and question.strip():
        payload["question"] = question
    given = {"case_id": str(_find(fields, _IDS) or f"row-{number}"), "payload": payload}
    if fields.get("policy") is not None:
        given["policy"] = fields["policy"]
    if fields.get("expect") is not None:
        expect = fields["expect"]
        given["expect"] = {"result": expect} if isinstance(expect, str) else expect
    return given


def _find(fields: dict[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON value
    return next((fields[name] for name in names if fields.get(name) is not None), None)
