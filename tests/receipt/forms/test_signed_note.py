"""Signed notes: what stands in one, who signed it, and that nothing else is read as one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedNoteError, NoteSignatureError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.receipt.forms.signed_note import (
    ED25519,
    MAX_NOTE_BYTES,
    MAX_SIGNATURES,
    Note,
    NoteKey,
    Signature,
    check_note,
    hash_key,
    is_key_name,
    make_key_id,
    parse_lines,
    parse_note,
    verify_lines,
    write_line,
    write_note,
)
from spanproof.receipt.keys.signing_keys import LocalLogKey
from tests.strategies import unhurried

KEY = LocalLogKey.generate("log.example.com")
OTHER = LocalLogKey.generate("other.example.com")
TEXT = "log.example.com\n3\nAAAA\n"
NAMES = st.text(min_size=1, max_size=20).filter(is_key_name)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="".join(map(chr, range(0x20)))),
    max_size=30,
)
SIGNATURES = st.builds(
    Signature,
    name=NAMES,
    key_id=st.binary(min_size=4, max_size=4),
    content=st.binary(min_size=1, max_size=80),
)


def sign(text: str, key: LocalLogKey = KEY) -> Signature:
    content = key.private.sign(text.encode())
    return Signature(name=key.origin, key_id=key.verifier.key_id, content=content)


@unhurried
@given(lines=st.lists(TEXTS, min_size=1), signatures=st.lists(SIGNATURES, min_size=1, max_size=5))
def test_notes_go_there_and_back(lines: list[str], signatures: list[Signature]) -> None:
    text = "\n".join(lines) + "\n"
    whole = write_note(text, signatures)
    note = parse_note(whole)
    assert note == Note(text=text, signatures=tuple(signatures))
    assert parse_note(whole.encode()) == note
    assert write_note(note.text, note.signatures) == whole
    assert parse_lines("".join(map(write_line, signatures))) == tuple(signatures)


def test_the_text_ends_at_the_last_empty_line() -> None:
    text = "one\n\n\ntwo\n\n"
    assert parse_note(write_note(text, [sign(text)])).text == text
    assert parse_note(write_note("\n", [sign("\n")])).text == "\n"


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "\n",
        "\n\n",
        "text\n",
        "text\n\n",
        "text\n\n\n",
        "text\n— a AAAAAAA=\n",
        "text\n\n— a AAAAAAA=",
        "text\n\n— a AAAAAAA=\n\n",
        "text\n\n— a AAAAAAA=\ntail\n",
        "text\n\n- a AAAAAAA=\n",
        "text\n\n—a AAAAAAA=\n",
        "text\n\n—  a AAAAAAA=\n",
        "text\n\n— a  AAAAAAA=\n",
        "text\n\n— a AAAAAAA= \n",
        "text\n\n— AAAAAAA=\n",
        "text\n\n— a b AAAAAAA=\n",
        "text\n\n— a+b AAAAAAA=\n",
        "text\n\n— a\u00a0b AAAAAAA=\n",
        "text\n\n— a\u2028b AAAAAAA=\n",
        "text\n\n— a\u3000b AAAAAAA=\n",
        "text\n\n— a\u0085b AAAAAAA=\n",
        "text\n\n— a AAAAAA==\n",  # a number, no signature
        "text\n\n— a AAAA\n",
        "text\n\n— a \n",
        "text\n\n— a AAAAAAA\n",  # no padding
        "text\n\n— a AAAAAAB=\n",  # bits behind the last byte
        "text\n\n— a AAAAAA-_\n",  # the alphabet for addresses
        "text\n\n— a AAAA=AAA\n",
        "text\n\n— a AAA\u0410AAA=\n",
        "te\x00xt\n\n— a AAAAAAA=\n",
        "te\txt\n\n— a AAAAAAA=\n",
        "text\r\n\r\n— a AAAAAAA=\r\n",
        "te\x1bxt\n\n— a AAAAAAA=\n",
        "te\ud800xt\n\n— a AAAAAAA=\n",
        "text\n\n— a\x01b AAAAAAA=\n",
        b"te\xffxt\n\n" + "— a AAAAAAA=\n".encode(),
        "text\n\n— a AAAAAAA=\n".encode("utf-16"),
        "text\n\n" + "— a AAAAAAA=\n" * (MAX_SIGNATURES + 1),
        "x" * MAX_NOTE_BYTES + "\n\n— a AAAAAAA=\n",
    ],
)
def test_nothing_else_is_a_note(raw: str | bytes) -> None:
    with pytest.raises(MalformedNoteError, match="Expected") as caught:
        parse_note(raw)
    assert caught.value.hint


def test_a_note_is_as_long_as_it_may_be_and_no_longer() -> None:
    end = "\n\n— a AAAAAAA=\n"
    whole = "x" * (1_048_576 - len(end)) + end
    assert len(parse_note(whole).text) == 1_048_577 - len(end)
    with pytest.raises(MalformedNoteError, match="at most 1048576 bytes, got 1048577"):
        parse_note("x" + whole)


def test_what_is_no_note_is_said_in_words() -> None:
    for raw, words in (
        (b"\xff", "Expected a note in UTF-8, got other bytes."),
        ("\ud800", "Expected a note in UTF-8, got other bytes."),
        ("text\n\n", "Expected a text, an empty line and signature lines, got something else."),
        ("text\n\n— a AAAA\n", "Expected a signature line '— NAME BASE64', got another line."),
        ("t\n\n" + "— a AAAAAAA=\n" * 65, "Expected 1 to 64 signature lines, got 65."),
    ):
        with pytest.raises(MalformedNoteError) as caught:
            parse_note(raw)
        assert caught.value.message == words
        assert caught.value.hint == "Give the note as the log served it, byte for byte."


@pytest.mark.parametrize("raw", ["", "— a AAAAAAA=", "— a AAAAAAA=\n\n", "\n"])
def test_lines_that_are_none_are_refused(raw: str) -> None:
    with pytest.raises(MalformedNoteError):
        parse_lines(raw)


def test_a_keys_hash_is_that_of_the_specification() -> None:
    # C2SP signed-note: SHA-256(<name> || 0x0A || 0x01 || 32-byte Ed25519 public key).
    expected = hashlib.sha256(b"a\n\x01" + bytes(32)).digest()
    assert hash_key("a", ED25519, bytes(32)) == expected
    assert make_key_id("a", ED25519, bytes(32)) == expected[:4]


def test_the_keys_that_were_asked_for_are_named_once() -> None:
    note = parse_note(write_note(TEXT, [sign(TEXT, LocalLogKey.generate("nobody.example.com"))]))
    with pytest.raises(NoteSignatureError) as caught:
        check_note(note, [KEY.verifier, OTHER.verifier, KEY.verifier])
    assert caught.value.message == (
        "Expected a signature by one of 'log.example.com', 'other.example.com', got none."
    )


def test_a_delete_and_controls_past_ascii_stand_in_a_text() -> None:
    # signed-note forbids what is below U+0020 alone.
    text = "a\x7f\x80b\n"
    assert parse_note(write_note(text, [sign(text)])).text == text


def test_as_many_signatures_are_read_as_the_specification_demands() -> None:
    assert MAX_SIGNATURES >= 16
    lines = [sign(TEXT)] * MAX_SIGNATURES
    assert len(parse_note(write_note(TEXT, lines)).signatures) == MAX_SIGNATURES


@pytest.mark.parametrize("text", ["", "no newline", "a\tb\n", "a\x00\n", "a\r\n", "\ud800\n"])
def test_a_text_that_no_note_has_is_not_written(text: str) -> None:
    with pytest.raises(ValueError, match="Expected a text that ends in a newline"):
        write_note(text, [sign(TEXT)])


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\x00b", "a\ud800"])
def test_a_name_that_no_key_has_is_not_written(name: str) -> None:
    assert not is_key_name(name)
    with pytest.raises(ValueError, match="Expected a key's name"):
        write_line(Signature(name=name, key_id=bytes(4), content=b"x"))


@pytest.mark.parametrize(("key_id", "content"), [(b"123", b"x"), (b"12345", b"x"), (b"1234", b"")])
def test_a_signature_that_is_none_is_not_written(key_id: bytes, content: bytes) -> None:
    with pytest.raises(ValueError, match="Expected a key's number of four bytes"):
        write_line(Signature(name="a", key_id=key_id, content=content))


@pytest.mark.parametrize("count", [0, MAX_SIGNATURES + 1])
def test_a_note_without_or_with_too_many_signatures_is_not_written(count: int) -> None:
    with pytest.raises(ValueError, match=f"Expected 1 to {MAX_SIGNATURES} signatures, got {count}"):
        write_note(TEXT, [sign(TEXT)] * count)


def test_the_keys_that_signed_are_named_once_in_order() -> None:
    unknown = LocalLogKey.generate("nobody.example.com")
    note = parse_note(
        write_note(TEXT, [sign(TEXT, unknown), sign(TEXT, OTHER), sign(TEXT), sign(TEXT)])
    )
    keys = [KEY.verifier, OTHER.verifier]
    assert check_note(note, keys) == (OTHER.verifier, KEY.verifier)
    assert check_note(note, iter(keys)) == (OTHER.verifier, KEY.verifier)
    assert check_note(note, [KEY.verifier]) == (KEY.verifier,)
    assert [line for _, line in verify_lines(note, keys)] == list(note.signatures[1:])


def test_a_false_line_of_a_known_key_refuses_the_note() -> None:
    false = Signature(name=KEY.origin, key_id=KEY.verifier.key_id, content=bytes(64))
    for lines in ([false], [sign(TEXT), false], [false, sign(TEXT)], [sign(TEXT, OTHER), false]):
        note = parse_note(write_note(TEXT, lines))
        with pytest.raises(
            NoteSignatureError, match=r"Expected a signature of 'log\.example\.com'"
        ):
            check_note(note, [KEY.verifier, OTHER.verifier])


def test_a_false_line_of_an_unknown_key_is_left_out() -> None:
    false = Signature(name=KEY.origin, key_id=KEY.verifier.key_id, content=bytes(64))
    note = parse_note(write_note(TEXT, [false, sign(TEXT, OTHER)]))
    assert check_note(note, [OTHER.verifier]) == (OTHER.verifier,)


def test_a_line_that_shares_the_name_or_the_number_alone_is_unknown() -> None:
    renamed = Signature(name="else", key_id=KEY.verifier.key_id, content=sign(TEXT).content)
    renumbered = Signature(name=KEY.origin, key_id=b"1234", content=sign(TEXT).content)
    note = parse_note(write_note(TEXT, [renamed, renumbered]))
    with pytest.raises(NoteSignatureError, match=r"one of 'log\.example\.com', got none"):
        check_note(note, [KEY.verifier])


def test_a_note_is_not_checked_by_no_key() -> None:
    with pytest.raises(NoteSignatureError, match="one of no key, got none"):
        check_note(parse_note(write_note(TEXT, [sign(TEXT)])), [])


@dataclass(frozen=True, slots=True)
class Twin:
    """A key whose number collides with KEY's, as anybody can make one."""

    private: LocalLogKey
    name: str = KEY.origin
    key_id: bytes = KEY.verifier.key_id

    def verify(self, text: str, content: bytes) -> bool:
        return self.private.verifier.verify(text, content)


def test_two_keys_of_one_name_and_number_each_sign() -> None:
    twin = Twin(OTHER)
    by_twin = Signature(name=twin.name, key_id=twin.key_id, content=sign(TEXT, OTHER).content)
    note = parse_note(write_note(TEXT, [by_twin]))
    both: list[NoteKey] = [KEY.verifier, twin]
    assert check_note(note, both) == (twin,)
    with pytest.raises(NoteSignatureError):
        check_note(note, [KEY.verifier])


@unhurried
@given(data=st.data())
def test_a_note_with_a_flipped_bit_is_never_checked(data: st.DataObject) -> None:
    raw = bytearray(write_note(TEXT, [sign(TEXT)]).encode())
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[at // 8] ^= 1 << at % 8
    try:
        note = parse_note(bytes(raw))
    except MalformedNoteError:
        return
    with pytest.raises(NoteSignatureError):
        check_note(note, [KEY.verifier])


@given(raw=st.one_of(st.text(), st.binary(), st.text("— a\n=A+", max_size=40)))
def test_whatever_is_given_is_a_note_or_malformed(raw: str | bytes) -> None:
    try:
        note = parse_note(raw)
    except MalformedNoteError:
        return
    assert parse_note(write_note(note.text, note.signatures)) == note


def test_a_number_is_the_beginning_of_the_keys_hash() -> None:
    public = KEY.verifier.public_key
    assert make_key_id("a", ED25519, public) == hash_key("a", ED25519, public)[:4]
    assert make_key_id("a", 4, public) != make_key_id("a", ED25519, public)


@given(content=st.binary(max_size=70))
def test_base64_has_one_spelling(content: bytes) -> None:
    text = encode_base64(content)
    assert decode_base64(text) == content
    for other in (text + "=", text + "\n", " " + text, text.rstrip("=") + "\n", text + "A"):
        assert decode_base64(other) != content
    found = [each for each in _spell(text) if decode_base64(each) == content]
    assert found == [text]


def _spell(text: str) -> list[str]:
    """The text with every other last letter before its padding, as a lenient reader takes it."""
    if not text:
        return [text]
    body = text.rstrip("=")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return [body[:-1] + letter + text[len(body) :] for letter in alphabet]


@pytest.mark.parametrize(
    "text", ["AA", "AAA", "=", "AA==\n", "A A=", "AB==", "ééé=", "AA=A", "-_8="]
)
def test_what_a_lenient_reader_takes_is_no_base64(text: str) -> None:
    assert decode_base64(text) is None
