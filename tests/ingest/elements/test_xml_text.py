"""XML: the characters of its elements, nothing fetched, nothing expanded."""

from __future__ import annotations

import pytest

from spanproof.core.errors import BrokenDocumentError, EmptyDocumentError, UnsupportedMediaTypeError
from spanproof.ingest import extract
from tests.ingest.elements.blocks import read


def test_each_stretch_of_characters_is_a_block_named_by_its_element() -> None:
    data = (
        b"<?xml version='1.0'?><note id='9'><to>Tove</to><!-- not text -->"
        b"<body>Don&apos;t <b>forget</b> it<![CDATA[ <now> ]]>.</body> end</note>"
    )
    extraction = read(data, "a.xml")
    assert extraction.text.text == "Tove\nDon't\nforget\nit <now> .\nend\f"
    assert [b.name for b in extraction.blocks] == ["to", "body", "b", "body", "note"]
    assert extraction.pages[0].status == "ok"
    assert extraction.pipeline.name == "unstructured-xml@0.27.32+canon-1"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("agr", "α"),
        ("thgr", "θ"),
        ("THgr", "Θ"),
        ("sfgr", "ς"),
        ("idiagr", "ΐ"),
        ("Aacgr", "Ά"),
        ("OHacgr", "Ώ"),
        ("commat", "@"),
        ("alpha", "α"),
    ],
)
def test_a_name_of_html_or_iso_8879_is_its_character(name: str, shown: str) -> None:
    data = f"<!DOCTYPE a SYSTEM 'a.dtd'><a>one &{name}; two &amp;agr;</a>".encode()
    extraction = extract(data, filename="a.xml")
    assert extraction.text.text == f"one {shown} two &agr;\f"
    assert extraction.pages[0].status == "ok"


def test_an_unknown_name_stays_on_a_degraded_page() -> None:
    data = b"<!DOCTYPE a SYSTEM 'a.dtd'><a>one &sfGR; two &agr;</a>"
    extraction = extract(data, filename="a.xml")
    assert extraction.text.text == "one &sfGR; two α\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "1 unknown entities are left as they are."


@pytest.mark.parametrize("codec", ["iso-8859-1", "utf-16", "utf-8"])
def test_the_declaration_names_the_encoding(codec: str) -> None:
    data = f"<?xml version='1.0' encoding='{codec}'?><a>Größe</a>".encode(codec)
    assert extract(data, filename="a.xml").text.text == "Größe\f"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"<a><b></a>", BrokenDocumentError),
        (b"<a>&undeclared;</a>", BrokenDocumentError),
        (b"<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://example.invalid/'> %p;]><a/>", None),
        (b"<a/>", EmptyDocumentError),
        (b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>b&e;</a>", UnsupportedMediaTypeError),
    ],
)
def test_what_cannot_be_read_whole_is_refused(data: bytes, error: type[Exception] | None) -> None:
    expected = error or (EmptyDocumentError, UnsupportedMediaTypeError, BrokenDocumentError)
    with pytest.raises(expected):
        extract(data, filename="a.xml")
