from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types import chat, responses
from openai.types.beta import threads
from openai.types.chat import chat_completion, chat_completion_message
from openai.types.responses import response_output_text as parts

from spanproof.verifier.formats.providers.openai.annotations import is_link
from spanproof.verifier.formats.providers.openai.markers import START, STOP, strip_markers
from tests.strategies import unhurried
from tests.verifier.formats.providers.payloads import codes_of, list_kinds, read

if TYPE_CHECKING:
    from spanproof.verifier.formats.parsed import ParsedAnswer

URL = "https://example.com/report"
FILE = parts.AnnotationFileCitation(
    type="file_citation", file_id="f-1", filename="report.txt", index=11
)
LINK = parts.AnnotationURLCitation(
    type="url_citation", url=URL, title="Report", start_index=0, end_index=11
)
TOOL_FILE = parts.AnnotationContainerFileCitation(
    type="container_file_citation",
    container_id="c",
    file_id="f",
    filename="p.png",
    start_index=0,
    end_index=2,
)
PATH = parts.AnnotationFilePath(type="file_path", file_id="f", index=0)


def response(words: str, *annotations: parts.Annotation, search: bool = False) -> Any:
    results = responses.response_file_search_tool_call.Result(
        file_id="f-1", filename="report.txt", score=0.5, text="The sky is blue."
    )
    call = responses.ResponseFileSearchToolCall(
        id="fs", type="file_search_call", status="completed", queries=["sky"], results=[results]
    )
    part = responses.ResponseOutputText(
        type="output_text", text=words, annotations=list(annotations)
    )
    spoken = responses.ResponseOutputMessage(
        id="m", type="message", role="assistant", status="completed", content=[part]
    )
    output = [*([call] if search else []), spoken]
    return {"status": "completed", "output": [item.model_dump(mode="json") for item in output]}


def test_every_annotation_that_the_sdk_knows_is_read_or_known_to_be_none() -> None:
    known = list_kinds(parts.Annotation.__origin__)  # type: ignore[attr-defined]
    assert known == {item.type for item in (FILE, LINK, TOOL_FILE, PATH)}
    parsed = read("openai-responses", response("It is blue.", FILE, LINK, TOOL_FILE, PATH))
    assert codes_of(parsed) == ["ANNOTATION_NOT_A_SOURCE", "ANNOTATION_NOT_A_SOURCE"]
    assert [citation.doc_id for citation in parsed.answer.citations] == ["report", "report"]
    assert [citation.quote for citation in parsed.answer.citations] == [None, None]


def test_every_item_of_the_sdk_is_read_or_known_to_be_none() -> None:
    kinds = list_kinds(responses.ResponseOutputItem.__origin__)  # type: ignore[attr-defined]
    assert {"message", "reasoning", "file_search_call"} <= kinds
    for kind in kinds:
        assert codes_of(read("openai-responses", {"output": [{"type": kind}]})) == [], kind


def test_what_the_search_found_is_the_quote_of_its_file() -> None:
    parsed = read("openai-responses", response("It is blue.", FILE, search=True))
    (citation,) = parsed.answer.citations
    assert citation.quote is not None
    assert citation.quote.text == "The sky is blue."
    assert codes_of(parsed) == ["QUOTE_FROM_RESULTS"]
    assert [chunk.text for chunk in parsed.answer.retrieved] == ["The sky is blue."]


def test_events_without_the_last_one_come_to_the_same_answer() -> None:
    place = {"item_id": "m", "output_index": 1, "content_index": 0, "sequence_number": 1}
    delta: Any = responses.ResponseTextDeltaEvent
    added: Any = responses.ResponseOutputTextAnnotationAddedEvent
    events = [
        delta(type="response.output_text.delta", delta=words, logprobs=[], **place)
        for words in ("It is ", "blue.")
    ]
    events.append(
        added(
            type="response.output_text.annotation.added",
            annotation=FILE.model_dump(),
            annotation_index=0,
            **place,
        )
    )
    parsed = read("openai-responses", [event.model_dump(mode="json") for event in events])
    assert parsed.answer == read("openai-responses", response("It is blue.", FILE)).answer
    assert codes_of(parsed) == ["CITATION_UNMAPPED"]


def test_a_chat_completion_nests_its_citation() -> None:
    words = f"It is blue ([e]({URL}))."
    nested = chat_completion_message.Annotation(
        type="url_citation",
        url_citation=chat_completion_message.AnnotationURLCitation(
            url=URL, title="Report", start_index=11, end_index=len(words) - 1
        ),
    )
    spoken = chat.ChatCompletionMessage(role="assistant", content=words, annotations=[nested])
    choice = chat_completion.Choice(index=0, finish_reason="stop", message=spoken)
    whole = chat.ChatCompletion(
        id="c", object="chat.completion", created=0, model="m", choices=[choice]
    )
    parsed = read("openai-chat", whole.model_dump(mode="json"))
    (anchor,) = parsed.answer.anchors
    assert words[anchor.span.start : anchor.span.end] == f"([e]({URL}))"
    assert parsed.answer.citations[0].doc_id == "report"


def assistant(words: str, *annotations: Any) -> ParsedAnswer:
    block = threads.TextContentBlock(
        type="text", text=threads.Text(value=words, annotations=list(annotations))
    )
    message = threads.Message(
        id="m",
        object="thread.message",
        role="assistant",
        status="completed",
        created_at=0,
        thread_id="t",
        content=[block],
    )
    return read("openai-assistants", message.model_dump(mode="json"))


def test_the_assistants_marker_is_an_anchor() -> None:
    marker = "【6:0†source】"
    words = f"It is blue{marker}."
    cited = threads.FileCitationAnnotation(
        type="file_citation",
        text=marker,
        start_index=10,
        end_index=22,
        file_citation={"file_id": "f-1"},  # type: ignore[arg-type]
    )
    parsed = assistant(words, cited)
    (anchor,) = parsed.answer.anchors
    assert words[anchor.span.start : anchor.span.end] == marker
    assert parsed.imported.remarks == ()
    known = list_kinds(threads.Annotation.__origin__)  # type: ignore[attr-defined]
    assert known == {"file_citation", "file_path"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (URL, True),
        (f"[t]({URL})", True),
        (f"([t]({URL}))", True),
        (f" ([t]({URL})) ", True),
        (f'[t]({URL} "Title")', True),
        ("【1†source】", True),
        (f"([t]({URL})", False),
        (f"[t]({URL}))", False),
        (f"Blue ([t]({URL}))", False),
        (f"[t]({URL}x)", False),
        ("Blue.", False),
    ],
)
def test_a_link_is_a_link_and_no_more(text: str, *, expected: bool) -> None:
    assert is_link(text, URL) is expected


_WORDS = st.text(st.sampled_from("ab .,\n🎉é"), max_size=6)
_SOURCES = st.lists(st.sampled_from(["turn0file0", "turn1search2"]), min_size=1, max_size=3)


@unhurried
@given(st.lists(st.tuples(_WORDS, _SOURCES, st.sampled_from([None, "L3", "L8-L13"])), max_size=4))
def test_markers_leave_the_words_and_one_blank_at_most(
    pieces: list[tuple[str, list[str], str | None]],
) -> None:
    raw = ""
    for words, sources, lines in pieces:
        parts_of = [*sources, *([lines] if lines else [])]
        raw += words + START + "cite" + "".join(f"\ue202{part}" for part in parts_of) + STOP
    marked = strip_markers(raw)
    assert [list(mark.sources) for mark in marked.marks] == [sources for _, sources, _ in pieces]
    assert [mark.lines for mark in marked.marks] == [lines for _, _, lines in pieces]
    plain = "".join(words for words, _, _ in pieces)
    assert marked.clean.replace(" ", "") == plain.replace(" ", "")
    assert len(plain) - len(marked.marks) <= len(marked.clean) <= len(plain)
    # Offsets keep their order, and every kept character its place.
    mapped = [marked.to_clean(offset) for offset in range(len(raw) + 1)]
    assert mapped == sorted(mapped)
    assert mapped[-1] == len(marked.clean)
    for offset, letter in enumerate(raw):
        if not any(cut.start <= offset < cut.end for cut in marked.cuts):
            assert marked.clean[mapped[offset]] == letter
