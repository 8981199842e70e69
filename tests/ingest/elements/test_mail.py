"""EML: header, body and the names of attachments, each part once."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import EncryptedDocumentError
from spanproof.ingest import extract
from tests.ingest.elements.blocks import block_of, of_kind, read

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


def _message(subject: str = "Delivery") -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ann Ö <ann@example.org>"
    message["To"] = "bob@example.org, cy@example.org"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
    return message


def _read(message: EmailMessage) -> Extraction:
    return read(message.as_bytes(), "a.eml")


HEADER = (
    "From: Ann Ö <ann@example.org>\nTo: bob@example.org, cy@example.org\n"
    "Date: Mon, 02 Mar 2026 10:00:00 +0100\nSubject: Delivery\n"
)


def test_the_header_comes_first_decoded_and_named() -> None:
    message = _message()
    message.set_content("We deliver on Friday.\nOr Monday.\n\n> when?\n> soon?\n")
    extraction = _read(message)
    assert extraction.text.text == (
        HEADER + "We deliver on Friday.\nOr Monday.\n> when?\n> soon?\f"
    )
    assert [b.name for b in extraction.blocks if b.kind == "header"] == [
        "From", "To", "Date", "Subject",
    ]  # fmt: skip
    place = block_of(extraction, "> when?\n> soon?").place
    assert place is not None
    assert (place.part, place.paragraph) == ("1", 2)
    assert extraction.pipeline.name == "unstructured-eml@0.27.32+canon-1"


@pytest.mark.parametrize("transfer", ["base64", "quoted-printable", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_every_transfer_encoding_gives_the_same_text(transfer: str, charset: str) -> None:
    message = _message()
    message.set_content("Größe = 5 Stück", charset=charset, cte=transfer)
    assert _read(message).text.text == HEADER + "Größe = 5 Stück\f"


def test_of_alternatives_the_plain_text_counts_and_stands_once() -> None:
    message = _message()
    message.set_content("We deliver on Friday.")
    message.add_alternative("<p>We deliver on <b>Friday</b>.</p>", subtype="html")
    extraction = _read(message)
    assert extraction.text.text == HEADER + "We deliver on Friday.\f"
    assert extraction.pages[0].status == "ok"


def test_html_is_read_where_there_is_no_plain_text() -> None:
    message = _message()
    message.set_content(" ")
    message.add_alternative(
        "<html><head><title>Not shown</title></head><h1>Hi</h1></html>", subtype="html"
    )
    extraction = _read(message)
    assert extraction.text.text == HEADER + "Hi\f"
    place = block_of(extraction, "Hi").place
    assert place is not None
    assert place.part == "2"


def test_attachments_are_named_and_not_opened() -> None:
    message = _message()
    message.set_content("See the attachment.")
    message.add_attachment(b"secret text", maintype="text", subtype="plain", filename="Zähler.txt")
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="a.pdf")
    extraction = _read(message)
    assert extraction.text.text == HEADER + "See the attachment.\nZähler.txt\na.pdf\f"
    assert of_kind(extraction, "attachment") == ["Zähler.txt", "a.pdf"]
    block = block_of(extraction, "a.pdf")
    assert block.name == "a.pdf"
    assert block.place is not None
    assert block.place.part == "3"


def test_a_forwarded_message_is_read_like_the_outer_one() -> None:
    inner = _message("Original")
    inner.set_content("The first offer.")
    outer = _message()
    outer.set_content("See below.")
    outer.add_attachment(inner, disposition="inline")
    extraction = _read(outer)
    assert extraction.text.text == (
        HEADER + "See below.\n" + HEADER.replace("Delivery", "Original") + "The first offer.\f"
    )
    place = block_of(extraction, "The first offer.").place
    assert place is not None
    assert place.part == "2.1"


def test_an_encrypted_message_is_refused_as_such() -> None:
    data = (
        b"From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/encrypted;"
        b' protocol="application/pgp-encrypted"; boundary=x\r\n\r\n--x\r\nContent-Type:'
        b" application/pgp-encrypted\r\n\r\nVersion: 1\r\n--x\r\nContent-Type:"
        b" application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----\r\n--x--\r\n"
    )
    with pytest.raises(EncryptedDocumentError):
        extract(data, filename="a.eml")


def test_a_charset_that_nobody_knows_still_gives_a_text() -> None:
    data = (
        b"From: a@example.org\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/plain; charset=x-unknown\r\n\r\nGr\xf6\xdfe\r\n"
    )
    assert extract(data, filename="a.eml").text.text == "From: a@example.org\nGröße\f"


def test_a_malformed_field_is_shown_as_it_stands() -> None:
    data = b"From: <<a@@b>,,\r\nDate: yesterday\r\nMIME-Version: 1.0\r\n\r\nBody\r\n"
    text = extract(data, filename="a.eml").text.text
    assert text.endswith("Date: yesterday\nBody\f")


def test_a_date_stands_as_its_sender_wrote_it() -> None:
    data = b"From: a@example.org\r\nDate: Mon, 2 Mar 2026 9:05:00 GMT (noon)\r\n\r\nBody\r\n"
    text = extract(data, filename="a.eml").text.text
    assert text == "From: a@example.org\nDate: Mon, 2 Mar 2026 9:05:00 GMT (noon)\nBody\f"
