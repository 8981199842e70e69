"""``spanproof.verify`` with a model of a script: what is judged, shown and refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof import extract, verify
from spanproof.core.citation import Anchor, Answer
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedAnswerError, UnknownPolicyError, VerificationFailed
from spanproof.core.span import Span
from spanproof.core.verdicts.claim_results import NOTHING_KEPT
from spanproof.operations.verification.in_process import load_shared_model
from tests.builders import ScriptedModel, make_extraction
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from pathlib import Path

TERM = "The lease runs for five years from 1 May 2024."
RENT = "The rent is 850 euros a month, due on the first."
CLAIM = "The lease runs for five years from 1 May 2024 [1]."
LEASE = f"LEASE\n\n{TERM}\n\n{RENT}\n"
MODEL = ScriptedModel()
PLAIN: dict[str, Any] = {"answer": CLAIM, "contexts": [TERM], "model": MODEL}


def test_a_number_names_the_context_of_that_place() -> None:
    block = verify(f"{CLAIM} {RENT[:-1]} [2].", [TERM, {"text": RENT, "id": "b"}], model=MODEL)
    assert [verdict.outcome for verdict in block.verdicts] == ["pass", "pass"]
    first, second = block.verdicts
    assert first.identity.status == "SNIPPET"
    assert first.identity.doc_hash == Digest.of(TERM.encode())
    assert first.codes == (
        "IDENTITY_SNIPPET",
        "EXISTENCE_EXACT",
        "LOCATOR_NOT_GIVEN",
        "SUPPORT_ENTAILED",
        "ATTRIBUTION_HERE",
        "SOURCE_IS_SNIPPET",
    )
    assert first.existence.span == Span(0, len(TERM))
    assert first.view_url is None
    assert second.identity.doc_hash == Digest.of(RENT.encode())
    assert [snippet.chunk_id for snippet in block.snippets] == ["context-1", "b"]
    assert block.require() is block


@pytest.mark.parametrize(("policy", "result"), [("strict", "review"), ("review", "review")])
def test_a_policy_can_ask_for_a_document(policy: str, result: str) -> None:
    block = verify(CLAIM, [TERM], policy, MODEL)
    assert block.verdicts[0].outcome == result
    with pytest.raises(VerificationFailed):
        block.require()


def test_a_number_beyond_the_contexts_stays_an_orphan() -> None:
    block = verify("So it is [3]. And so [0].", [TERM, RENT], model=MODEL)
    assert [orphan["anchor"] for orphan in block.block["orphan_anchors"]] == [3, 0]
    assert block.result == "fail"
    assert "[3] names no text and no citation." in repr(block)


def test_a_citation_of_the_answer_wins_over_the_numbering() -> None:
    answer = {
        "answer": CLAIM,
        "citations": [{"anchor": 1, "doc_id": "b", "span": {"text": "850 euros a month"}}],
    }
    (verdict,) = verify(answer, [TERM, {"text": RENT, "id": "b"}], model=MODEL).verdicts
    assert verdict.identity.doc_hash == Digest.of(RENT.encode())
    start = RENT.index("850")
    assert verdict.existence.span == Span(start, start + len("850 euros a month"))


def test_a_quote_that_no_context_has_is_absent_and_one_of_another_context_misattributed() -> None:
    def judge(words: str) -> str:
        citation = {"anchor": 1, "chunk_id": "a", "doc_id": "a", "span": {"text": words}}
        contexts = [{"text": TERM, "id": "a"}, {"text": RENT, "id": "b"}]
        block = verify({"answer": CLAIM, "citations": [citation]}, contexts, model=MODEL)
        return block.verdicts[0].existence.status.value

    assert judge("Pets are allowed in every room of the flat") == "ABSENT"
    assert judge("850 euros a month") == "MISATTRIBUTED"
    assert judge("five years from 1 May 2025") == "ALTERED"


def test_offsets_of_a_missing_document_do_not_move_the_quote() -> None:
    chunk = {"chunk_id": "c", "doc_id": "lease", "text": TERM, "char_start": 900, "char_end": 946}
    citation = {
        "anchor": 1,
        "doc_id": "lease",
        "chunk_id": "c",
        "span": {"text": "five years", "char_start": 919, "char_end": 929},
    }
    answer = {"answer": CLAIM, "citations": [citation], "retrieved": [chunk]}
    (verdict,) = verify(answer, model=MODEL).verdicts
    assert verdict.existence.status == "EXACT"
    assert verdict.existence.span == Span(TERM.index("five"), TERM.index("five") + 10)
    assert verdict.identity.chunk == "MATCH"


def test_a_document_that_holds_the_text_takes_its_place() -> None:
    document = make_extraction(LEASE)
    block = verify(CLAIM, [TERM], "strict", MODEL, documents=[document])
    (verdict,) = block.verdicts
    assert verdict.identity.status == "MATCH"
    assert verdict.identity.doc_hash == document.document.doc_hash
    assert verdict.existence.span == Span(LEASE.index(TERM), LEASE.index(TERM) + len(TERM))
    assert "SNIPPET_LIFTED" in verdict.codes
    assert "SOURCE_IS_SNIPPET" not in verdict.codes
    assert not block.snippets
    assert verdict.view_url is not None


def test_the_page_of_a_document_that_holds_the_text_is_named() -> None:
    pages = [PageSpec(content=text_at(40, 700, text, size=10)) for text in (TERM, RENT)]
    document = extract(build_pdf(*pages), filename="lease.pdf")
    block = verify(f"{CLAIM} {RENT[:-1]} [2].", [TERM, RENT], model=MODEL, documents=[document])
    assert [verdict.locator.page for verdict in block.verdicts] == [1, 2]
    named = str(document.document.doc_hash)[:19]
    for page, verdict in enumerate(block.verdicts, start=1):
        assert "SNIPPET_LIFTED" in verdict.codes
        held = f"a document that you gave or keep holds it ({named}…, page {page})."
        assert verdict.notes.endswith(held)
    assert NOTHING_KEPT in repr(block)


@pytest.mark.parametrize(
    ("answer", "attribute", "why"),
    [
        (TERM, False, "The answer cites nothing, and so never passes. With attribute=True"),
        ("", False, "The answer cites nothing, and so never passes. With attribute=True"),
        ("", True, "The answer cites nothing, and so never passes."),
        (TERM, True, "Spanproof, not the answer, found the sources: a person decides."),
        (
            {"answer": "I cannot say.", "answer_kind": "refusal"},
            False,
            "Nothing is claimed that can be checked: a person decides.",
        ),
        (
            {"answer": CLAIM, "answer_kind": "refusal"},
            False,
            "A person decides (KIND_CONTRADICTED).",
        ),
        (CLAIM, False, "PASS"),
        (f"{TERM[:-1]} [3].", False, "[3] names no text and no citation."),
        (f"{CLAIM} It is so.", False, "PASS"),
    ],
)
def test_a_result_that_no_claim_explains_is_explained(
    answer: str | dict[str, str], attribute: bool, why: str
) -> None:
    block = verify(answer, [TERM], model=MODEL, attribute=attribute)
    first, second = repr(block).splitlines()[:2]
    assert first == f"Result {block.result.value.upper()} (policy balanced)"
    assert second.startswith(why)
    assert why in block._repr_html_() or why == "PASS"


def test_a_text_that_two_documents_hold_is_lifted_to_neither() -> None:
    documents = [make_extraction(LEASE), make_extraction(f"COPY\n{LEASE}")]
    (verdict,) = verify(CLAIM, [TERM], model=MODEL, documents=documents).verdicts
    assert verdict.identity.status == "SNIPPET"


def test_the_hint_names_the_missing_document() -> None:
    given = f"sha256:{'a' * 64}"
    contexts = [{"text": TERM, "source": "lease.pdf"}, {"text": RENT, "doc_hash": given}]
    block = verify(f"{CLAIM} {RENT[:-1]} [2].", contexts, model=MODEL)
    hints = [snippet.upgrade for snippet in block.snippets]
    assert hints[0].startswith("Ingest the document 'lease.pdf':")
    assert hints[1].startswith(f"Ingest the document {given}:")
    assert "for the texts of 'lease.pdf', 'context-2'. Ingest them" in repr(block)


def test_one_line_names_five_texts_without_a_document() -> None:
    texts = [f"Clause {number} binds the tenant." for number in range(1, 8)]
    cited = " ".join(f"{text[:-1]} [{at}]." for at, text in enumerate(texts, start=1))
    (line,) = [
        each
        for each in repr(verify(cited, texts, model=MODEL)).splitlines()
        if "No document" in each
    ]
    assert "'context-1', 'context-2', 'context-3', 'context-4', 'context-5' and 2 more." in line


def test_sentences_without_marks_are_checked_against_every_context() -> None:
    answer = f"{TERM} The rent is 900 euros a month, due on the first."
    assert not verify(answer, [RENT, TERM], model=MODEL).verdicts
    block = verify(answer, [RENT, TERM], model=MODEL, attribute=True)
    assert [(each.repaired, each.outcome.value) for each in block.verdicts] == [
        (True, "pass"),
        (True, "fail"),
    ]
    assert block.verdicts[0].identity.doc_hash == Digest.of(TERM.encode())
    assert block.result == "fail"
    only = verify(TERM, [RENT, TERM], model=MODEL, attribute=True)
    assert (only.result, only.verdicts[0].outcome) == ("review", "pass")


def test_claims_are_those_with_citations_and_the_statements_without() -> None:
    block = verify(f"{CLAIM} The landlord lives in Lyon.", [TERM], model=MODEL)
    cited, uncited = block.claims
    assert (cited.outcome, cited.anchors, cited.text) == ("pass", (1,), CLAIM)
    assert (uncited.outcome, uncited.anchors) == ("review", ())
    assert (
        verify("The landlord lives in Lyon.", policy="strict", model=MODEL).claims[0].outcome
        == "fail"
    )


def test_the_block_says_that_nothing_keeps_it() -> None:
    block = verify(f"<b>{CLAIM}</b>", [TERM], model=MODEL)
    assert repr(block).endswith(NOTHING_KEPT)
    html = block._repr_html_()
    assert NOTHING_KEPT in html
    assert "<b>The lease" not in html
    told = json.loads(json.dumps(block.to_json()))
    assert told["kept"] is False
    assert told["snippets"][0]["doc_hash"] == str(Digest.of(TERM.encode()))


def test_an_answer_object_is_judged_as_its_text_is() -> None:
    span = Span(CLAIM.index("["), CLAIM.index("]") + 1)
    answer = Answer(prose=CLAIM, anchors=(Anchor(number=1, span=span),), citations=())
    first = verify(answer, [TERM], model=MODEL)
    second = verify(CLAIM, [TERM], model=MODEL)
    assert first.block["verdicts_digest"] == second.block["verdicts_digest"]


def as_native() -> tuple[dict[str, Any], str]:
    retrieved = [{"chunk_id": "a", "text": TERM}, {"chunk_id": "b", "text": RENT}]
    return {"answer": PROSE, "citations": [], "retrieved": retrieved}, "native"


def as_chunk() -> tuple[dict[str, Any], str]:
    retrieved = [
        {"chunk_id": "a", "doc_id": "lease", "text": TERM},
        {"chunk_id": "b", "doc_id": "lease", "text": RENT},
    ]
    marked = PROSE.replace("[1]", "[citation:lease:a]").replace("[2]", "[citation:lease:b]")
    return {"response": marked, "retrieved": retrieved}, "chunk"


def as_langchain() -> tuple[dict[str, Any], str]:
    documents = [{"page_content": text, "metadata": {"source": "lease"}} for text in (TERM, RENT)]
    return {"response": {"answer": PROSE, "context": documents}}, "langchain"


def as_llamaindex() -> tuple[dict[str, Any], str]:
    nodes = [
        {"node": {"id_": name, "text": f"Source {number}:\n{text}\n"}}
        for number, (name, text) in enumerate({"a": TERM, "b": RENT}.items(), start=1)
    ]
    return {"response": {"response": PROSE, "source_nodes": nodes}}, "llamaindex"


PROSE = f"{TERM[:-1]} [1]. The rent is 900 euros a month [2]. The landlord lives in Lyon."


@pytest.mark.parametrize("make", [as_native, as_chunk, as_langchain, as_llamaindex])
def test_every_payload_with_texts_gets_the_same_verdicts(make: Any) -> None:
    payload, name = make()
    found = verify(payload, format=name, model=MODEL)
    plain = verify(PROSE, [TERM, RENT], model=MODEL)
    assert found.result == plain.result == "fail"
    for one, other in zip(found.verdicts, plain.verdicts, strict=True):
        assert (one.identity.doc_hash, one.identity.extraction_id) == (
            other.identity.doc_hash,
            other.identity.extraction_id,
        )
        assert one.existence == other.existence
        assert one.support == other.support
        assert (one.outcome, one.codes) == (other.outcome, other.codes)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"answer": 3}, "answer: expected a text, a mapping or an Answer, got int"),
        ({"contexts": TERM}, "contexts: expected a list of texts"),
        ({"policy": 5}, "policy: expected the name of one, such as 'balanced', got int"),
        ({"model": "folder"}, "model: expected a loaded model, a pathlib.Path or None, got str"),
        ({"documents": [b""]}, "documents: expected what extract() gives, got bytes"),
    ],
)
def test_a_wrong_type_names_what_is_expected(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(TypeError) as caught:
        verify(**(PLAIN | arguments))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"policy": "lax"}, UnknownPolicyError),
        ({"answer": {"citations": []}}, MalformedAnswerError),
        ({"answer": CLAIM, "contexts": [{"text": TERM, "page": 0}]}, MalformedAnswerError),
    ],
)
def test_a_malformed_value_says_so(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        verify(**(PLAIN | arguments))


@pytest.mark.parametrize("text", ["", "nul \x00 inside"])
def test_a_text_that_no_document_can_have_is_no_source(text: str) -> None:
    block = verify("So it is [1].", [text], model=MODEL)
    assert not block.snippets
    assert block.result in {"fail", "error"}


@pytest.mark.model
def test_the_embedded_model_is_loaded_once(tmp_path: Path) -> None:
    first = verify(CLAIM, [TERM])
    assert first.block["model"] == verify(CLAIM, [TERM]).block["model"]
    assert first.result == "pass"
    assert load_shared_model() is load_shared_model()
    with pytest.raises(Exception, match="Expected"):
        verify(CLAIM, [TERM], model=tmp_path / "missing")
