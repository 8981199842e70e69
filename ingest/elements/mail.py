"""EML → canonical text: the header that is shown, the parts of the body, attachments by name.

Parts are numbered as in IMAP (``1``, ``1.2``). Of alternatives the plain text counts, or the HTML
if there is no plain text, so that nothing appears twice. Attachments are not opened; a message
inside a message is read like the outer one.
"""

from __future__ import annotations

import email
import email.errors
import email.policy
import re
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, cast

from spanproof.core.documents.layout import CharFlag
from spanproof.core.errors import BrokenDocumentError, EncryptedDocumentError, LimitExceededError
from spanproof.ingest.elements.decoding import decode_part
from spanproof.ingest.elements.inline import Mark
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import UNSEEN, VISIBILITY
from spanproof.ingest.elements.web import label_pieces, read_page
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.media_detection import is_wide
from spanproof.ingest.media_type import EML

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from email.message import EmailMessage

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

#: In this order; the message's own order does not count.
SHOWN_FIELDS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
# People forward a forward a few times; the parser itself gives up far deeper.
_MOST_NESTED = 30
_MOST_PARTS = 10_000
_CONTROL_TYPES = frozenset({"application/pgp-encrypted", "application/pgp-signature"})
_ENCRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a message; raise ExtractionError where it is encrypted, too large or without text."""
    del charset
    message = _parse(_to_ascii(data))
    reader = _MessageReader()
    reader.message(message, "")
    if reader.encrypted and not reader.has_body:
        msg = "Expected a message that can be read without a key, got an encrypted one."
        raise EncryptedDocumentError(msg, hint="Decrypt it in the mail program and save it again.")
    reading = partition(EML, data)
    writer = TextWriter(limits=limits)
    for part, pieces in reader.parts:
        write_pieces(writer, label_pieces(pieces, reading), part)
    problem = reading.find_problem(writer.page_text(), unseen=reader.unseen)
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    return writer.finish(document, unstructured_pipeline("eml", ("lxml",), visibility=VISIBILITY))


def split_text(text: str) -> list[Piece]:
    """The paragraphs of a plain text: what blank lines part, their own line breaks kept."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    pieces: list[Piece] = []
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line.rstrip())
        elif block:
            pieces.append(Piece(kind="paragraph", text="\n".join(block)))
            block = []
    return pieces


def _to_ascii(data: bytes) -> bytes:
    """A message saved as UTF-16 in UTF-8: its fields have to be ASCII."""
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(name, "replace").encode("utf-8")
    if is_wide(data):
        return data.decode("utf-16-le" if data[1] == 0 else "utf-16-be", "replace").encode("utf-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def _parse(data: bytes) -> EmailMessage:
    try:
        return email.message_from_bytes(data, policy=email.policy.default)
    except (email.errors.MessageError, ValueError, LookupError) as error:
        msg = f"Expected a message in RFC 5322 form, got a fault ({error})."
        raise BrokenDocumentError(msg, hint="Save it again in the mail program.") from error


@dataclass(slots=True, kw_only=True)
class _MessageReader:
    """Gathers the pieces of every part that is shown, with the part's number."""

    parts: list[tuple[str, list[Piece]]] = field(default_factory=list)
    encrypted: bool = False
    has_body: bool = False
    seen: int = 0
    unseen: str = ""

    def message(self, message: EmailMessage, number: str) -> None:
        """A whole message: its header, then its body; a single part is number 1."""
        shown = (_show_field(message, name) for name in SHOWN_FIELDS)
        self.parts.append((number or "0", [piece for piece in shown if piece is not None]))
        inside = f"{number}." if number else ""
        if message.is_multipart() and message.get_content_maintype() == "multipart":
            self._multipart(message, inside)
        else:
            self._part(message, f"{inside}1")

    def _part(self, part: EmailMessage, number: str) -> None:
        self.seen += 1
        if self.seen > _MOST_PARTS or number.count(".") > _MOST_NESTED:
            msg = f"Expected at most {_MOST_PARTS} parts, {_MOST_NESTED} deep, got more."
            raise LimitExceededError(msg, hint="Save the messages inside it one by one.")
        kind = part.get_content_type()
        attached = part.get_content_disposition() == "attachment"
        if kind == "message/rfc822" and not attached and part.is_multipart():
            self.message(cast("EmailMessage", part.get_payload(0)), number)
        elif part.is_multipart():
            self._multipart(part, f"{number}.")
        elif kind in {"text/plain", "text/html"} and not attached:
            self._text(part, number, kind)
        else:
            self._attachment(part, number, kind)

    def _multipart(self, part: EmailMessage, inside: str) -> None:
        kind = part.get_content_type()
        self.encrypted |= kind == "multipart/encrypted"
        numbered = [
            (inner, f"{inside}{index}")
            for index, inner in enumerate(part.get_payload(), start=1)
            if not isinstance(inner, str)
        ]
        if kind != "multipart/alternative":
            for inner, number in numbered:
                self._part(inner, number)
            return
        for inner, number in _choose(numbered):
            first = len(self.parts)
            self._part(inner, number)
            if inner.get_content_type() == "text/plain":
                others = [other for other, _ in numbered if other is not inner]
                self._mark_differences(first, others)

    def _mark_differences(self, first: int, others: list[EmailMessage]) -> None:
        """Flag the words of a plain text that the message's HTML does not show."""
        pages = [page for other in others for page in _html_of(other)]
        if pages and len(self.parts) > first:
            number, pieces = self.parts[first]
            self.parts[first] = (number, mark_unshown(pieces, read_page(pages[0]).pieces))

    def _text(self, part: EmailMessage, number: str, kind: str) -> None:
        text = _text_of(part)
        if kind == "text/html":
            # The page's title is shown nowhere in a mail program.
            page = read_page(text) if text.strip() else None
            pieces = page.pieces if page is not None else []
            self.unseen += page.unseen if page is not None else ""
        else:
            pieces = split_text(text)
        self.has_body |= bool(pieces)
        self.parts.append((number, pieces))

    def _attachment(self, part: EmailMessage, number: str, kind: str) -> None:
        self.encrypted |= kind in _ENCRYPTED
        name = _file_name(part)
        if kind in _CONTROL_TYPES and name is None:
            return
        text = name or f"({kind})"
        self.parts.append((number, [Piece(kind="attachment", text=text, name=name)]))


def _choose(parts: list[tuple[EmailMessage, str]]) -> list[tuple[EmailMessage, str]]:
    """Of alternatives the one to read: plain text that says something, else HTML, else the last."""
    for kind in ("text/plain", "text/html"):
        for part, number in parts:
            if part.get_content_type() == kind and _text_of(part).strip():
                return [(part, number)]
    # What holds parts of its own (HTML with its pictures) is richer than what does not.
    whole = [one for one in parts if one[0].is_multipart()]
    return (whole or parts)[-1:]


def _html_of(part: EmailMessage) -> list[str]:
    """The page of an alternative, by itself or with its pictures; empty where it has none."""
    texts = (_text_of(p) for p in part.walk() if p.get_content_type() == "text/html")
    return [text for text in texts if text.strip()][:1]


def _text_of(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    return decode_part(payload, part.get_content_charset()) if isinstance(payload, bytes) else ""


def _show_field(message: EmailMessage, name: str) -> Piece | None:
    """One line of the header, as mail programs show it; a field that cannot be parsed as it is."""
    try:
        # A date as its sender wrote it: the library would write it again.
        raw = _raw_field(message, name) if name == "Date" else message.get(name)
        value = " ".join(str(raw).split()) if raw is not None else ""
    except (ValueError, IndexError, LookupError, AttributeError, TypeError):
        # The library fails on some malformed addresses and dates; their text is still there.
        value = _raw_field(message, name) or ""
    return Piece(kind="header", text=f"{name}: {value}", name=name) if value else None


def _raw_field(message: EmailMessage, name: str) -> str | None:
    values = [str(v) for k, v in message.raw_items() if k.lower() == name.lower()]
    return values[0] if values else None


def _file_name(part: EmailMessage) -> str | None:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, AttributeError, TypeError):
        return None
    return " ".join(name.split()) or None if name else None


_WORD = re.compile(r"\w+")
# Longer alternatives are compared word by word without their order.
_MOST_WORDS = 8_000


def mark_unshown(plain: Sequence[Piece], shown: Sequence[Piece]) -> list[Piece]:
    """The plain pieces, with marks on words that differ from those of the pieces that are shown.

    Where the shown ones have words that the plain ones lack, their neighbours are marked.
    """
    words = [
        (index, found.start(), found.end(), found.group().casefold())
        for index, piece in enumerate(plain)
        for found in _WORD.finditer(piece.text)
    ]
    differing = _find_differing([word for *_, word in words], list(_shown_words(shown)))
    marks: dict[int, list[Mark]] = {}
    for place in sorted(differing):
        index, start, end, _ = words[place]
        marks.setdefault(index, []).append(Mark(start, end, UNSEEN))
    return [
        replace(piece, marks=(*piece.marks, *marks.get(index, ())))
        for index, piece in enumerate(plain)
    ]


def _shown_words(pieces: Sequence[Piece]) -> Iterator[str]:
    for piece in pieces:
        hidden = [mark for mark in piece.marks if mark.flags & CharFlag.INVISIBLE]
        for found in _WORD.finditer(piece.text):
            if not any(mark.start <= found.start() < mark.end for mark in hidden):
                yield found.group().casefold()
        yield from _shown_words(piece.inner)


def _find_differing(plain: list[str], shown: list[str]) -> set[int]:
    if max(len(plain), len(shown)) > _MOST_WORDS:
        known = set(shown)
        return {place for place, word in enumerate(plain) if word not in known}
    found: set[int] = set()
    for kind, start, end, _, _ in SequenceMatcher(None, plain, shown).get_opcodes():
        if kind in {"replace", "delete"}:
            found.update(range(start, end))
        elif kind == "insert":
            found.update(place for place in (start - 1, start) if 0 <= place < len(plain))
    return found
