"""MSG → canonical text: the header a reader sees, the body, attachments named (python-oxmsg).

The plain body counts; the HTML counts only without a plain body. Attachments and messages inside
the message are not opened. Dates are written as mail programs write them, in UTC.
"""

from __future__ import annotations

import io
import struct
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.elements.decoding import decode_part
from spanproof.ingest.elements.mail import SHOWN_FIELDS, split_text
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.web import label_pieces, read_page
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.media_type import MSG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

# Properties by their ids (MS-OXPROPS 2).
_BODY, _RTF, _HTML = 0x1000, 0x1009, 0x1013
_RECIPIENT_TYPE = 0x0C15
_DISPLAYED = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_RECIPIENT_TYPES = {1: "To", 2: "Cc", 3: "Bcc"}
#: An attachment's names, the best first.
_ATTACHMENT_NAMES = (0x3707, 0x3704, 0x3001)
#: What the library and the one below it raise for containers that do not hold together.
_FAULTS = (
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    LookupError,
    struct.error,
    OverflowError,
)


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a message; raise ExtractionError where it is broken, too large or without text."""
    del charset
    try:
        parts, problem = _read_message(data)
    except _FAULTS as error:
        msg = f"Expected an Outlook message that holds together, got a fault ({error})."
        hint = "Save it again in Outlook, or as EML."
        raise BrokenDocumentError(msg, hint=hint) from error
    reading = partition(MSG, data)
    writer = TextWriter(limits=limits)
    for part, pieces in parts:
        write_pieces(writer, label_pieces(pieces, reading), part)
    problem = problem or reading.find_problem(writer.page_text())
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    libraries = ("lxml", "olefile", "python-oxmsg")
    return writer.finish(document, unstructured_pipeline("msg", libraries))


def _read_message(data: bytes) -> tuple[list[tuple[str, list[Piece]]], str | None]:
    # Here and not above: it belongs to this one format.
    from oxmsg import Message

    message = Message.load(io.BytesIO(data))
    body, problem = _read_body(message)
    header = [
        Piece(kind="header", text=f"{name}: {value}", name=name)
        for name, value in _read_header(message)
        if value
    ]
    parts = [("header", header), ("body", body)]
    for number, attachment in enumerate(message.attachments, start=1):
        text = _attachment_name(attachment)
        name = f"attachment {number}"
        parts.append((name, [Piece(kind="attachment", text=text or f"({name})", name=text)]))
    return parts, problem


def _read_body(message: Any) -> tuple[list[Piece], str | None]:  # noqa: ANN401 - no types
    properties = message.properties
    plain = properties.str_prop_value(_BODY) or ""
    if plain.strip():
        return split_text(plain.replace("\x00", "")), None
    html = properties.binary_prop_value(_HTML)
    text = decode_part(html, properties.body_encoding) if html else message.html_body or ""
    if text.strip():
        return read_page(text).pieces, None
    if properties.binary_prop_value(_RTF):
        return [], "The body is kept as RTF only, which is not read in a message."
    return [], None


def _read_header(message: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - see above
    recipients: dict[str, list[str]] = {}
    for recipient in message.recipients:
        kind = _RECIPIENT_TYPES.get(recipient.properties.int_prop_value(_RECIPIENT_TYPE) or 1, "To")
        name, address = _clean(recipient.name), _clean(recipient.email_address)
        both = f"{name} <{address}>" if name and address and name != address else name or address
        recipients.setdefault(kind, []).append(both)
    sent = message.sent_date
    found = {
        "From": _clean(_decode_words(message.sender or "")),
        "Date": format_datetime(sent) if sent is not None else "",
        "Subject": _clean(message.subject),
    }
    for kind, displayed in _DISPLAYED.items():
        shown = _clean(message.properties.str_prop_value(displayed))
        found[kind] = ", ".join(one for one in recipients.get(kind, ()) if one) or shown
    for name in SHOWN_FIELDS:
        yield name, found[name]


def _attachment_name(attachment: Any) -> str | None:  # noqa: ANN401 - see above
    for name in _ATTACHMENT_NAMES:
        found = _clean(attachment.properties.str_prop_value(name))
        if found:
            return found
    return None


def _decode_words(text: str) -> str:
    """A field of the transport's header, with its encoded words (RFC 2047) decoded."""
    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, ValueError, LookupError):
        return text


def _clean(text: str | None) -> str:
    """One line without the NUL that some programs leave at the end of a string."""
    return " ".join((text or "").replace("\x00", "").split())
