"""OpenAI: an answer of the Responses or Chat Completions API, and its texts, checked at once.

Needs ``openai``. ``create_response(client, spanproof.verify, contexts, model=…, input=…)`` asks the
model as ``client.responses.create`` does, and gives the response with its block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.client.adoption.submission import Submission
from spanproof.core.contexts import with_contexts
from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from openai import OpenAI
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    from spanproof.client.adoption.checking import Checked, Verify

    Context = str | Mapping[str, Any]


def create_response(
    client: OpenAI,
    verify: Verify,
    contexts: Iterable[Context] = (),
    **request: Any,  # noqa: ANN401 - what the SDK takes
) -> tuple[Response, Checked]:
    """Ask as ``client.responses.create(**request)`` does; the response and its block.

    ``contexts`` are the texts that the prompt numbered from 1. Texts that the model's file search
    found stand in the response, if the request includes ``file_search_call.results``.
    """
    response = client.responses.create(**request)
    payload, format_ = _read_response(response, contexts)
    return response, verify(payload, format=format_)


def create_completion(
    client: OpenAI,
    verify: Verify,
    contexts: Iterable[Context] = (),
    **request: Any,  # noqa: ANN401 - what the SDK takes
) -> tuple[ChatCompletion, Checked]:
    """The same for ``client.chat.completions.create(**request)``."""
    completion = client.chat.completions.create(**request)
    text = completion.choices[0].message.content or ""
    return completion, verify(with_contexts(text, contexts))


def to_submission(response: Response, contexts: Iterable[Context] = ()) -> Submission:
    """A response for the queue, which checks it in the background."""
    payload, format_ = _read_response(response, contexts)
    generator = {"generator": {"model": response.model}}
    return Submission.of(generator | payload, format=format_)


def _read_response(response: Response, contexts: Iterable[Context]) -> tuple[dict[str, Any], str]:
    """The payload and its format: with annotations the provider's own, else its bare text.

    OpenAI's citations name files. A text without any cites the numbers of the prompt.
    """
    parts = [
        part
        for item in response.output
        if item.type == "message"
        for part in item.content
        if part.type == "output_text"
    ]
    if any(part.annotations for part in parts):
        retrieved = with_contexts("", contexts).get("retrieved")
        beside = {"retrieved": retrieved} if retrieved else {}
        return {"response": to_plain_json(response), **beside}, "openai-responses"
    return with_contexts(response.output_text, contexts), "native"
