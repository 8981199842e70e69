"""Damaged documents end in a text that holds together or in a refusal by name."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from functools import cache

import docx
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from spanproof.core.errors import ExtractionError
from spanproof.ingest import extract
from tests.ingest.elements.blocks import check, save

MAIL = (
    b"From: a@example.org\r\nSubject: =?utf-8?q?s=C3=B6?=\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n'
    b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>Words <b>here</b>\r\n--x\r\n"
    b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n--x--"
)
PAGE = b"<html><title>T</title><table><tr><td rowspan=2>a<td>b<tr><td>c</table><pre>x</pre></html>"
TREE = b"<?xml version='1.0'?><a><b>one</b> two <![CDATA[three]]></a>"
TABLE = b'a;"b\nc";d\n1;2;3\n'
DAMAGE = st.tuples(
    st.floats(0, 1),
    st.integers(0, 12),
    st.sampled_from(
        [b"", b"<", b"/>", b'"', b"&", b"\x00", b"<td>", b"-1", b"99999999999", b"</w:p>", b"\xff"]
    ),
)


@cache
def drawn(suffix: str) -> bytes:
    if suffix == "docx":
        document = docx.Document()
        document.add_heading("Terms", 1)
        document.add_paragraph("first", style="List Number")
        document.add_table(2, 2).cell(0, 0).text = "cell"
        return save(document)
    if suffix == "pptx":
        deck = pptx.Presentation()
        deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Results"
        return save(deck)
    book = Workbook()
    book.active.append(["a", 1.5, True])
    return save(book)


def harm(data: bytes, damage: tuple[float, int, bytes]) -> bytes:
    place, removed, put_in = damage
    at = int(place * len(data))
    return data[:at] + put_in + data[at + removed :]


def ends_by_name(data: bytes, filename: str) -> None:
    with suppress(ExtractionError):
        check(extract(data, filename=filename))


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
@settings(max_examples=25, deadline=None)
@given(which=st.floats(0, 0.999), damage=DAMAGE)
def test_damage_in_a_part_of_a_container(
    suffix: str, which: float, damage: tuple[float, int, bytes]
) -> None:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(drawn(suffix))) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        names = source.namelist()
        harmed = names[int(which * len(names))]
        for name in names:
            content = source.read(name)
            target.writestr(name, harm(content, damage) if name == harmed else content)
    ends_by_name(packed.getvalue(), f"a.{suffix}")


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
@settings(max_examples=25, deadline=None)
@given(damage=DAMAGE)
def test_damage_in_the_container_itself(suffix: str, damage: tuple[float, int, bytes]) -> None:
    ends_by_name(harm(drawn(suffix), damage), f"a.{suffix}")


@pytest.mark.parametrize(
    ("data", "filename"),
    [(MAIL, "a.eml"), (PAGE, "a.html"), (TREE, "a.xml"), (TABLE, "a.csv")],
)
@settings(max_examples=50, deadline=None)
@given(damage=DAMAGE, more=DAMAGE)
def test_damage_in_a_text_format(
    data: bytes,
    filename: str,
    damage: tuple[float, int, bytes],
    more: tuple[float, int, bytes],
) -> None:
    ends_by_name(harm(harm(data, damage), more), filename)
