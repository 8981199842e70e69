"""MSG → canonical text: the header a reader sees, the body, attachments named (python-oxmsg).

The plain body counts; the HTML counts only without a plain body. Attachments and messages inside
the message are not opened. Dates are written as mail programs write them, in UTC.
"""

from __future__ import annotations

import codecs
import io
import struct
from contextlib import suppress
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.utils import format_datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.assembly.characters import REPLACEMENT
from spanproof.ingest.elements.decoding import WEB_DEFAULT, decode_part
from spanproof.ingest.elements.mail import SHOWN_FIELDS, split_text
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.web import label_pieces, read_page
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.media_type import MSG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

# Properties by their ids (MS-OXPROPS 2).
_SUBJECT, _BODY, _RTF, _HTML = 0x0037, 0x1000, 0x1009, 0x1013
_CODE_PAGE = 0x3FFD
# The type of strings in a code page, and what the library takes one for that is not named.
_EIGHT_BIT, _LIBRARY_DEFAULT = 0x001E, "iso-8859-15"
_RECIPIENT_TYPE = 0x0C15
_DISPLAYED = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_RECIPIENT_TYPES = {1: "To", 2: "Cc", 3: "Bcc"}
#: An attachment's names, the best first.
_ATTACHMENT_NAMES = (0x3707, 0x3704, 0x3001)
# Names that the library gives to code pages, and Python's own where it has that code.
_CODECS = {
    "dos-720": "cp720",
    "windows-874": "cp874",
    "windows-950": "cp950",
    "x-mac-ce": "mac_latin2",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-greek": "mac_greek",
    "x-mac-icelandic": "mac_iceland",
    "x-mac-turkish": "mac_turkish",
}
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
        found = _read_message(data)
    except _FAULTS as error:
        msg = f"Expected an Outlook message that holds together, got a fault ({error})."
        hint = "Save it again in Outlook, or as EML."
        raise BrokenDocumentError(msg, hint=hint) from error
    reading = partition(MSG, data)
    writer = TextWriter(limits=limits)
    for part, pieces in found.parts:
        write_pieces(writer, label_pieces(pieces, reading), part)
    problem = found.problem
    if problem is None and found.is_comparable:
        problem = reading.find_problem(writer.page_text())
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    libraries = ("lxml", "olefile", "python-oxmsg")
    return writer.finish(document, unstructured_pipeline("msg", libraries))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """The parts by name, what they lack, and whether unstructured decodes the body as we do."""

    parts: list[tuple[str, list[Piece]]]
    problem: str | None
    is_comparable: bool


def _read_message(data: bytes) -> _Message:
    # Here and not above: it belongs to this one format.
    from oxmsg import Message

    _register_codecs()
    message = Message.load(io.BytesIO(data))
    body, problem = _read_body(message)
    header = [
        Piece(kind="header", text=f"{name}: {value}", name=name)
        for name, value in _read_header(message)
        if value
    ]
    parts = [("header", header), ("body", body)]
    for number, attachment in enumerate(message.attachments, start=1):
        text = _attachment_name(attachment, message.properties.body_encoding)
        name = f"attachment {number}"
        parts.append((name, [Piece(kind="attachment", text=text or f"({name})", name=text)]))
    return _Message(parts=parts, problem=problem, is_comparable=_is_comparable(message))


def _is_comparable(message: Any) -> bool:  # noqa: ANN401 - no types
    """Whether unstructured decodes the body, HTML before plain, as we do.

    The library takes an HTML body of 8-bit characters for Latin 9 although the message names
    another code page: the words that come of it are none that our text lacks.
    """
    properties = message.properties
    if properties.binary_prop_value(_HTML):
        return True
    html = _string(properties, _HTML, properties.body_encoding)
    ours = html or _string(properties, _BODY, properties.body_encoding)
    try:
        theirs = message.html_body or message.body or ""
    except UnicodeDecodeError:
        theirs = None
    return theirs == ours or chr(REPLACEMENT) in ours


def _read_body(message: Any) -> tuple[list[Piece], str | None]:  # noqa: ANN401 - see above
    properties = message.properties
    plain = _string(properties, _BODY, properties.body_encoding)
    if plain.strip():
        return split_text(plain.replace("\x00", "")), None
    html = properties.binary_prop_value(_HTML)
    text = (
        decode_part(html, properties.body_encoding)
        if html
        else _decoded(lambda: message.html_body, properties, properties.body_encoding)
    )
    if text.strip():
        return read_page(text).pieces, None
    if properties.binary_prop_value(_RTF):
        return [], "The body is kept as RTF only, which is not read in a message."
    return [], None


def _read_header(message: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - see above
    codec = message.properties.body_encoding
    recipients: dict[str, list[str]] = {}
    for recipient in message.recipients:
        kind = _RECIPIENT_TYPES.get(recipient.properties.int_prop_value(_RECIPIENT_TYPE) or 1, "To")
        own = recipient.properties
        name = _clean(_decoded(partial(getattr, recipient, "name"), own, codec))
        address = _clean(_decoded(partial(getattr, recipient, "email_address"), own, codec))
        both = f"{name} <{address}>" if name and address and name != address else name or address
        recipients.setdefault(kind, []).append(both)
    sent = message.sent_date
    found = {
        "From": _clean(_decode_words(_decoded(lambda: message.sender, message.properties, codec))),
        "Date": format_datetime(sent) if sent is not None else "",
        "Subject": _clean(_string(message.properties, _SUBJECT, codec)),
    }
    for kind, displayed in _DISPLAYED.items():
        shown = _clean(_string(message.properties, displayed, codec))
        found[kind] = ", ".join(one for one in recipients.get(kind, ()) if one) or shown
    for name in SHOWN_FIELDS:
        yield name, found[name]


def _attachment_name(attachment: Any, codec: str) -> str | None:  # noqa: ANN401 - see above
    for name in _ATTACHMENT_NAMES:
        found = _clean(_string(attachment.properties, name, codec))
        if found:
            return found
    return None


def _string(properties: Any, pid: int, codec: str) -> str:  # noqa: ANN401 - see above
    return _decoded(lambda: properties.str_prop_value(pid), properties, codec)


def _decoded(read: Callable[[], str | None], properties: Any, codec: str) -> str:  # noqa: ANN401 - see above
    """A string, by the code page of its own object, else by the message's.

    Some programs name the code page in which the message was sent and keep strings in another; the
    library takes strings without any code page for Latin 9, in which every byte is a character.
    """
    page = properties.int_prop_value(_CODE_PAGE)
    try:
        text = read() or ""
    except UnicodeDecodeError as error:
        return decode_part(error.object, f"cp{page}" if page else WEB_DEFAULT)
    if page is None and any(one.ptyp == _EIGHT_BIT for one in properties):
        with suppress(UnicodeError, LookupError):
            return text.encode(_LIBRARY_DEFAULT).decode(codec)
    return text


@cache
def _register_codecs() -> None:
    def find(name: str) -> codecs.CodecInfo | None:
        found = _CODECS.get(name.replace("_", "-"))
        return codecs.lookup(found) if found else None

    codecs.register(find)


def _decode_words(text: str) -> str:
    """A field of the transport's header, with its encoded words (RFC 2047) decoded."""
    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, ValueError, LookupError):
        return text


def _clean(text: str | None) -> str:
    """One line without the NUL that some programs leave at the end of a string."""
    return " ".join((text or "").replace("\x00", "").split())
