"""Witness policies: the file of tlog-policy, its quorums, and which files are none."""

from __future__ import annotations

from itertools import combinations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedTrustError, NoteSignatureError
from spanproof.receipt.forms.signed_note import Signature, parse_note, write_note
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.receipt.witness.cosignature import LocalCosigner, format_cosigner_key
from spanproof.receipt.witness.policy import (
    MAX_ENTRIES,
    MAX_POLICY_BYTES,
    WitnessPolicy,
    find_witnesses,
    parse_policy,
)


def make_witness(number: int, name: str | None = None) -> LocalCosigner:
    seed = number.to_bytes(32, "big")
    return LocalCosigner(Ed25519PrivateKey.from_private_bytes(seed), name or f"w{number}.example")


LOG = LocalLogKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))), "log.example.com")
WITNESSES = [make_witness(number) for number in range(6)]
VKEYS = [format_cosigner_key(each.verifier) for each in WITNESSES]
TEXT = "log.example.com\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
LINES = "".join(f"witness {name} {vkey}\n" for name, vkey in zip("ABCDEF", VKEYS, strict=True))


def read(text: str) -> WitnessPolicy:
    return parse_policy(text.encode("utf-8", "surrogateescape"))


def is_met(policy: WitnessPolicy, names: str) -> bool:
    return policy.is_met([WITNESSES["ABCDEF".index(name)].verifier for name in names])


def test_a_policy_is_as_long_as_it_may_be_and_no_longer() -> None:
    whole = b"quorum none\n#".ljust(MAX_POLICY_BYTES - 1, b"x") + b"\n"
    assert parse_policy(whole).quorum == "none"
    with pytest.raises(MalformedTrustError, match=f"got {MAX_POLICY_BYTES + 1}"):
        parse_policy(b"#" + whole)


def test_the_example_of_the_specification_is_read() -> None:
    policy = read(
        f"log {format_log_key(LOG.verifier)}\n\n"
        f"witness X1 {VKEYS[0]}\nwitness X2 {VKEYS[1]}\nwitness X3 {VKEYS[2]}\n"
        "group X-witnesses 2 X1 X2 X3\n\n"
        f"witness Y1 {VKEYS[3]}\nwitness Y2 {VKEYS[4]}\nwitness Y3 {VKEYS[5]}\n"
        "group Y-witnesses any Y1 Y2 Y3\n\n"
        "group X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y\n"
    )
    assert [log.key for log in policy.logs] == [LOG.verifier]
    for count in range(7):
        for names in combinations("ABCDEF", count):
            wanted = len(set(names) & set("ABC")) >= 2 and bool(set(names) & set("DEF"))
            assert is_met(policy, "".join(names)) is wanted


def test_blanks_tabs_comments_urls_and_order_are_as_specified() -> None:
    policy = read(
        "# a comment\n  \t\n \t# another\n"
        f"\twitness\tÄ  {VKEYS[0]} https://w.example/sub \n"
        "quorum Ä\n"
        f"witness late {VKEYS[1]}\nlog {format_log_key(LOG.verifier)} https://log.example.com/\n"
    )
    assert policy.quorum == "Ä"
    assert [each.url for each in policy.witnesses] == ["https://w.example/sub", None]
    assert policy.logs[0].url == "https://log.example.com/"
    assert is_met(policy, "A")
    assert not is_met(policy, "B")


def test_names_are_octets() -> None:
    kelvin = "\u212a"
    policy = read(
        f"witness K {VKEYS[0]}\nwitness {kelvin} {VKEYS[1]}\nwitness \udcff {VKEYS[2]}\n"
        f"group any any {kelvin} \udcff\nquorum any\n"
    )
    assert not is_met(policy, "A")
    assert is_met(policy, "B")
    assert is_met(policy, "C")


@pytest.mark.parametrize(
    ("quorum", "met", "unmet"),
    [
        ("quorum none\n", ["", "A"], []),
        ("quorum A\n", ["A", "AB"], ["", "B", "BCDEF"]),
        ("group g any A B\nquorum g\n", ["A", "B", "AB"], ["", "C"]),
        ("group g all A B\nquorum g\n", ["AB", "ABC"], ["A", "B", ""]),
        ("group g 2 A B C\nquorum g\n", ["AB", "BC", "AC"], ["A", "AD", "DEF"]),
        ("group g 1 A\ngroup h all g B\nquorum h\n", ["AB"], ["A", "B"]),
        ("group 2 any A B\nquorum 2\n", ["A"], ["C"]),
        ("group g any A B\nquorum A\n", ["A"], ["B"]),
    ],
)
def test_quorums(quorum: str, met: list[str], unmet: list[str]) -> None:
    policy = read(LINES + quorum)
    assert all(is_met(policy, names) for names in met)
    assert not any(is_met(policy, names) for names in unmet)


def test_the_same_key_under_another_name_is_another_cosigner() -> None:
    policy = read(LINES + "quorum A\n")
    assert not policy.is_met([make_witness(0, "else").verifier])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "exactly one line 'quorum', got none"),
        ("quorum none", "end in a newline"),
        ("quorum none\r\n", "no other control"),
        ("quorum none\n\x00", "no other control"),
        ("quorum none\n\x7f\n", "no other control"),
        ("quorum none\nquorum none\n", "got another, in line 2"),
        ("quorum\n", "quorum NAME"),
        ("quorum A B\n", "quorum NAME"),
        ("quorum A\n" + LINES, "a line above defines, got 'A', in line 1"),
        ("Quorum none\n", "got 'Quorum'"),
        ("policy x\nquorum none\n", "got 'policy'"),
        ("log\nquorum none\n", "VKEY"),
        (f"log {VKEYS[0]}\nquorum none\n", "for a log"),
        (f"log {format_log_key(LOG.verifier)} a b\nquorum none\n", "got 3 words"),
        (f"log {format_log_key(LOG.verifier)}\n" * 2 + "quorum none\n", "each log's key once"),
        (f"witness A {format_log_key(LOG.verifier)}\nquorum none\n", "for a witness"),
        ("witness A\nquorum none\n", "got 1 words"),
        (f"witness A {VKEYS[0]} url more\nquorum none\n", "got 4 words"),
        (f"witness A {VKEYS[0][:-1]}\nquorum none\n", "verifier key"),
        (LINES + f"witness A {format_cosigner_key(make_witness(9).verifier)}\nquorum A\n", "'A'"),
        (
            LINES
            + f"witness G {format_cosigner_key(make_witness(0, 'else').verifier)}\nquorum A\n",
            "each witness's key once",
        ),
        (f"witness none {VKEYS[0]}\nquorum none\n", "a name of its own"),
        (LINES + "group none any A\nquorum none\n", "a name of its own"),
        (LINES + "group A any B\nquorum A\n", "a name of its own"),
        (LINES + "group g\nquorum A\n", "fewer words"),
        (LINES + "group g any\nquorum A\n", "fewer words"),
        (LINES + "group g 0 A\nquorum g\n", "a number from 1 to 1, got '0'"),
        (LINES + "group g 3 A B\nquorum g\n", "a number from 1 to 2, got '3'"),
        (LINES + "group g 01 A B\nquorum g\n", "got '01'"),
        (LINES + "group g ١ A B\nquorum g\n", "a number from 1"),
        (LINES + "group g some A B\nquorum g\n", "got 'some'"),
        (LINES + "group g any A A\nquorum g\n", "each name in one group, got 'A'"),
        (LINES + "group g any A\ngroup h any A B\nquorum h\n", "each name in one group"),
        (LINES + "group g any g\nquorum g\n", "a line above defines, got 'g'"),
        (LINES + "group g any none\nquorum g\n", "a line above defines, got 'none'"),
        (LINES + "group g any h\ngroup h any A\nquorum g\n", "a line above defines, got 'h'"),
        (LINES + "quorum a\n", "a line above defines, got 'a'"),
        ("#" * MAX_POLICY_BYTES + "\n", "at most"),
    ],
)
def test_nothing_else_is_a_policy(text: str, what: str) -> None:
    with pytest.raises(MalformedTrustError, match="Expected") as caught:
        read(text)
    assert what in str(caught.value)


def test_more_entries_than_anybody_needs_are_refused() -> None:
    groups = "".join(
        f"group g{at} any {f'g{at - 1}' if at else 'A'}\n" for at in range(MAX_ENTRIES)
    )
    policy = read(LINES + groups + f"quorum g{MAX_ENTRIES - 1}\n")
    assert is_met(policy, "A")
    assert not is_met(policy, "B")
    with pytest.raises(MalformedTrustError, match="at most 1024 groups"):
        read(LINES + groups + f"group more any g{MAX_ENTRIES - 1}\nquorum more\n")


@given(
    raw=st.one_of(st.binary(), st.text("quorum none\ngrpwit#A \t12", max_size=60).map(str.encode))
)
def test_whatever_is_given_is_a_policy_or_malformed(raw: bytes) -> None:
    try:
        policy = parse_policy(raw)
    except MalformedTrustError:
        return
    assert policy.quorum == "none"


def test_a_note_is_held_against_the_policy() -> None:
    policy = read(LINES + "group g 2 A B C\nquorum g\n")
    own = Signature(
        name=LOG.origin, key_id=LOG.verifier.key_id, content=LOG.private.sign(TEXT.encode())
    )
    lines = [WITNESSES[at].cosign(TEXT, 100 + at) for at in (0, 2)]
    note = parse_note(write_note(TEXT, [own, *lines]))
    found = find_witnesses(note, policy)
    assert found.is_met
    assert [each.timestamp for each in found.cosignatures] == [100, 102]
    # One witness twice is one witness.
    twice = [WITNESSES[0].cosign(TEXT, 100), WITNESSES[0].cosign(TEXT, 101)]
    note = parse_note(write_note(TEXT, [own, *twice]))
    assert not find_witnesses(note, policy).is_met
    assert not find_witnesses(parse_note(write_note(TEXT, [own])), policy).is_met
    false = Signature(name="w1.example", key_id=WITNESSES[1].verifier.key_id, content=bytes(72))
    with pytest.raises(NoteSignatureError):
        find_witnesses(parse_note(write_note(TEXT, [own, *lines, false])), policy)
