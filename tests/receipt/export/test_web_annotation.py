from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from spanproof.receipt.export.web_annotation import (
    CONTEXT_CHARACTERS,
    MEDIA_TYPE,
    CitedDocument,
    CitedSpan,
    annotations_to_json,
)
from tests.receipt.export.selecting import find_selected

TEXT = "Größe 😀 before. Defective goods are replaced within four business days. And after it."
START = TEXT.index("Defective")
END = TEXT.index(" And")
DOCUMENT = CitedDocument(
    source="documents/a/source.pdf",
    media_type="application/pdf",
    text_path="documents/a/text.txt",
    text=TEXT,
)
CITED = CitedSpan(
    annotation_id="urn:spanproof:verdict:1:0",
    claim="Goods are replaced.",
    quote="Defective goods",
    start=START,
    end=END,
    pages=(1, 2),
    outcome="pass",
    codes=("EXISTENCE_EXACT",),
    verified_at="2026-11-20T14:00:00Z",
    document=DOCUMENT,
)


def test_an_annotation_has_the_three_selectors_of_the_model() -> None:
    page = annotations_to_json("urn:page", [CITED])
    assert page["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (page["id"], page["type"]) == ("urn:page", "AnnotationPage")
    (item,) = page["items"]
    assert (item["type"], item["motivation"]) == ("Annotation", "assessing")
    assert [body["value"] for body in item["body"]] == [
        "Goods are replaced.",
        "pass",
        "EXISTENCE_EXACT",
    ]
    on_text, first, second = item["target"]
    assert on_text["source"] == {"id": "documents/a/text.txt", "format": "text/plain"}
    position, quote = on_text["selector"]
    assert position == {"type": "TextPositionSelector", "start": START, "end": END}
    assert quote == {
        "type": "TextQuoteSelector",
        "exact": "Defective goods are replaced within four business days.",
        "prefix": TEXT[:START],
        "suffix": " And after it.",
    }
    assert [target["selector"][0]["value"] for target in (first, second)] == ["page=1", "page=2"]
    assert first["source"] == {"id": "documents/a/source.pdf", "format": "application/pdf"}


def test_a_claim_is_described_and_what_came_of_it_is_tagged() -> None:
    (item,) = annotations_to_json("urn:page", [CITED])["items"]
    assert (item["id"], item["created"]) == (CITED.annotation_id, "2026-11-20T14:00:00Z")
    assert item["body"] == [
        {"type": "TextualBody", "purpose": purpose, "format": "text/plain", "value": value}
        for purpose, value in (
            ("describing", "Goods are replaced."),
            ("tagging", "pass"),
            ("tagging", "EXISTENCE_EXACT"),
        )
    ]


def test_a_page_is_selected_as_in_the_address_of_a_pdf() -> None:
    (item,) = annotations_to_json("urn:page", [CITED])["items"]
    assert item["target"][2] == {
        "type": "SpecificResource",
        "source": {"id": "documents/a/source.pdf", "format": "application/pdf"},
        "selector": [
            {
                "type": "FragmentSelector",
                "conformsTo": "http://tools.ietf.org/rfc/rfc3778",
                "value": "page=2",
            }
        ],
    }


def test_the_words_around_a_quote_are_cut_at_32_code_points() -> None:
    document = dataclasses.replace(DOCUMENT, text=f"{'a' * 33}quote{'b' * 33}")
    cited = dataclasses.replace(CITED, start=33, end=38, document=document)
    (item,) = annotations_to_json("urn:page", [cited])["items"]
    quote = item["target"][0]["selector"][1]
    assert (quote["prefix"], quote["suffix"]) == ("a" * 32, "b" * 32)
    assert MEDIA_TYPE == 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"'


def test_selectors_that_disagree_select_nothing() -> None:
    (item,) = annotations_to_json("urn:page", [CITED])["items"]
    position, quote = item["target"][0]["selector"]
    assert find_selected(item, TEXT) == TEXT[START:END]
    for changed in (
        [position],
        [quote],
        [position, quote | {"exact": "Other words"}],
        [position, quote | {"prefix": "other words"}],
        [position, quote | {"suffix": "other words"}],
    ):
        assert find_selected({"target": [{"selector": changed}]}, TEXT) is None


def test_a_document_without_pages_has_no_fragment() -> None:
    document = dataclasses.replace(DOCUMENT, media_type="text/plain")
    (item,) = annotations_to_json("urn:page", [dataclasses.replace(CITED, document=document)])[
        "items"
    ]
    assert len(item["target"]) == 1


def test_what_was_not_found_has_the_callers_words_and_no_position() -> None:
    lost = dataclasses.replace(CITED, start=None, end=None, pages=())
    (item,) = annotations_to_json("urn:page", [lost])["items"]
    (target,) = item["target"]
    assert target["selector"] == [{"type": "TextQuoteSelector", "exact": "Defective goods"}]
    assert find_selected(item, TEXT) is None
    for half in (dataclasses.replace(CITED, start=None), dataclasses.replace(CITED, end=None)):
        (item,) = annotations_to_json("urn:page", [half])["items"]
        assert item["target"][0]["selector"] == target["selector"]
    unquoted = dataclasses.replace(lost, quote=None)
    (item,) = annotations_to_json("urn:page", [unquoted])["items"]
    assert "selector" not in item["target"][0]
    assert find_selected(item, TEXT) is None


def test_a_document_that_is_not_kept_has_no_address() -> None:
    unknown = dataclasses.replace(CITED, document=None)
    (item,) = annotations_to_json("urn:page", [unknown])["items"]
    assert item["target"] == [
        {
            "type": "SpecificResource",
            "source": {"id": "urn:spanproof:unknown-document", "format": "text/plain"},
            "selector": [{"type": "TextQuoteSelector", "exact": "Defective goods"}],
        }
    ]


@given(st.text(max_size=120), st.data())
def test_selectors_find_the_span_again_in_any_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    document = dataclasses.replace(DOCUMENT, text=text)
    cited = dataclasses.replace(CITED, start=start, end=end, document=document)
    (item,) = annotations_to_json("urn:page", [cited])["items"]
    assert find_selected(item, text) == text[start:end]
    quote = item["target"][0]["selector"][1]
    assert max(len(quote["prefix"]), len(quote["suffix"])) <= CONTEXT_CHARACTERS
    # In a text where the words stand elsewhere the selectors disagree, unless they select nothing.
    if "x" not in quote["exact"] and end > start:
        assert find_selected(item, text[:start] + "x" + text[start:]) != text[start:end] or (
            text[start:end] == ("x" + text[start:])[: end - start]
        )
