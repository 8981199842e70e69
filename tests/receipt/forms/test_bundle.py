from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import (
    EvidenceError,
    MalformedNoteError,
    MalformedReceiptError,
    SpanproofError,
)
from spanproof.core.json_reader.base64_text import encode_base64 as encode
from spanproof.receipt.forms.bundle import MAX_BUNDLE_BYTES, Receipt, bundle_to_json, parse_bundle
from tests.receipt.samples import Issuer, to_bytes
from tests.strategies import unhurried

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def make_receipt() -> Receipt:
    """The third receipt of a log: its proof has hashes on both sides."""
    issuer = Issuer()
    for _ in range(2):
        issuer.issue()
    return issuer.issue()


RECEIPT = make_receipt()
RAW = to_bytes(RECEIPT)


def entry_of(value: Any) -> Any:
    """The log entry."""
    return value["verificationMaterial"]["tlogEntries"][0]


def proof_of(value: Any) -> Any:
    """The inclusion proof."""
    return entry_of(value)["inclusionProof"]


def test_a_bundle_that_was_written_is_read() -> None:
    assert parse_bundle(RAW) == RECEIPT
    assert bundle_to_json(parse_bundle(RAW)) == json.loads(RAW)


@unhurried
@given(
    payload=st.binary(min_size=1, max_size=50),
    tokens=st.lists(st.binary(min_size=1, max_size=20), max_size=3),
    earlier=st.integers(0, 8),
)
def test_bundles_go_there_and_back(payload: bytes, tokens: list[bytes], earlier: int) -> None:
    issuer = Issuer()
    for number in range(earlier):
        issuer.log.append(b"%d" % number)
    made = issuer.include(issuer.sign(payload))
    receipt = Receipt(
        envelope=made.envelope,
        key_id=made.key_id,
        entry=made.entry,
        included=made.included,
        log_id=made.log_id,
        timestamps=tuple(tokens),
    )
    raw = to_bytes(receipt)
    assert parse_bundle(raw) == receipt
    assert bundle_to_json(parse_bundle(raw)) == json.loads(raw)


MALFORMED: dict[str, Callable[[Any], object]] = {
    "other_media_type": lambda v: v.update(
        mediaType="application/vnd.dev.sigstore.bundle+json;version=0.2"
    ),
    "no_media_type": lambda v: v.pop("mediaType"),
    "unknown_field": lambda v: v.update(extra=None),
    "message_signature": lambda v: v.update(messageSignature=v.pop("dsseEnvelope")),
    "message_signature_too": lambda v: v.update(messageSignature={}),
    "certificate": lambda v: v["verificationMaterial"].update(certificate={"rawBytes": "YQ=="}),
    "no_key": lambda v: v["verificationMaterial"].pop("publicKey"),
    "key_with_bytes": lambda v: v["verificationMaterial"]["publicKey"].update(rawBytes="YQ=="),
    "empty_hint": lambda v: v["verificationMaterial"]["publicKey"].update(hint=""),
    "two_log_entries": lambda v: v["verificationMaterial"]["tlogEntries"].append(entry_of(v)),
    "promise": lambda v: entry_of(v).update(inclusionPromise={"signedEntryTimestamp": "YQ=="}),
    "integrated_time": lambda v: entry_of(v).update(integratedTime="1"),
    "other_kind": lambda v: entry_of(v)["kindVersion"].update(kind="dsse"),
    "other_kind_version": lambda v: entry_of(v)["kindVersion"].update(version="0.0.1"),
    "no_proof": lambda v: entry_of(v).pop("inclusionProof"),
    "index_as_a_number": lambda v: entry_of(v).update(logIndex=5),
    "index_with_a_zero": lambda v: entry_of(v).update(logIndex="05"),
    "negative_index": lambda v: proof_of(v).update(logIndex="-1"),
    "size_beyond_64_bits": lambda v: proof_of(v).update(treeSize=str(2**63)),
    "short_log_id": lambda v: entry_of(v)["logId"].update(keyId=encode(b"1" * 31)),
    "short_root": lambda v: proof_of(v).update(rootHash=encode(b"1" * 31)),
    "short_hash": lambda v: proof_of(v)["hashes"].__setitem__(0, encode(b"1" * 31)),
    "url_base64": lambda v: proof_of(v).update(rootHash="_" * 43 + "="),
    "64_hashes": lambda v: proof_of(v).update(hashes=[encode(b"1" * 32)] * 64),
    "no_body": lambda v: entry_of(v).update(canonicalizedBody=""),
    "no_signature": lambda v: v["dsseEnvelope"].update(signatures=[]),
    "two_signatures": lambda v: v["dsseEnvelope"]["signatures"].append({"sig": "YQ=="}),
    "signature_with_a_key_id": lambda v: v["dsseEnvelope"]["signatures"][0].update(keyid="a"),
    "empty_signature": lambda v: v["dsseEnvelope"]["signatures"][0].update(sig=""),
    "empty_payload": lambda v: v["dsseEnvelope"].update(payload=""),
    "payload_without_padding": lambda v: v["dsseEnvelope"].update(payload="YQ"),
    "empty_payload_type": lambda v: v["dsseEnvelope"].update(payloadType=""),
    "no_timestamps_in_a_list": lambda v: v["verificationMaterial"].update(
        timestampVerificationData={"rfc3161Timestamps": []}
    ),
    "nine_timestamps": lambda v: v["verificationMaterial"].update(
        timestampVerificationData={"rfc3161Timestamps": [{"signedTimestamp": "YQ=="}] * 9}
    ),
    "null_timestamps": lambda v: v["verificationMaterial"].update(timestampVerificationData=None),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_any_other_shape_is_refused(case: str) -> None:
    value = json.loads(RAW)
    MALFORMED[case](value)
    with pytest.raises(MalformedReceiptError) as caught:
        parse_bundle(json.dumps(value).encode())
    assert caught.value.message.startswith("Expected ")


def other_note(value: Any) -> str:
    """The checkpoint of another size."""
    issuer = Issuer()
    issuer.issue()
    del value
    return issuer.log.note()


CONTRADICTIONS: dict[str, Callable[[Any], object]] = {
    "other_index_in_the_proof": lambda v: proof_of(v).update(logIndex="4"),
    "other_index_outside": lambda v: entry_of(v).update(logIndex="4"),
    "other_size": lambda v: proof_of(v).update(treeSize="7"),
    "other_root": lambda v: proof_of(v).update(rootHash=encode(b"1" * 32)),
    "other_checkpoint": lambda v: proof_of(v)["checkpoint"].update(envelope=other_note(v)),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_parts_that_contradict_one_another_are_no_evidence(case: str) -> None:
    value = json.loads(RAW)
    CONTRADICTIONS[case](value)
    with pytest.raises(EvidenceError, match=r"^Expected \w+ as the (leaf|tree)"):
        parse_bundle(json.dumps(value).encode())


def test_what_was_never_logged_is_no_evidence() -> None:
    value = json.loads(RAW)
    value["verificationMaterial"]["tlogEntries"] = []
    with pytest.raises(EvidenceError, match="never logged"):
        parse_bundle(json.dumps(value).encode())


@pytest.mark.parametrize("note", ["text", "a\n1\n\n— a YQ==\n", "\n\n"])
def test_a_checkpoint_that_is_none_is_refused(note: str) -> None:
    value = json.loads(RAW)
    proof_of(value)["checkpoint"]["envelope"] = note
    with pytest.raises(MalformedNoteError):
        parse_bundle(json.dumps(value).encode())


def test_another_payload_type_is_read_for_the_check_to_refuse() -> None:
    value = json.loads(RAW)
    value["dsseEnvelope"]["payloadType"] = "text/plain"
    assert parse_bundle(json.dumps(value).encode()).envelope.payload_type == "text/plain"


@pytest.mark.parametrize("end", [0, 1, 10, len(RAW) // 2, len(RAW) - 3])
def test_a_cut_bundle_is_refused(end: int) -> None:
    with pytest.raises(MalformedReceiptError, match=r"a Sigstore bundle v0\.3"):
        parse_bundle(RAW[:end])


def test_a_huge_bundle_is_refused_unread() -> None:
    assert MAX_BUNDLE_BYTES == 33_554_432
    with pytest.raises(MalformedReceiptError, match="not JSON"):
        parse_bundle(b" " * MAX_BUNDLE_BYTES)
    with pytest.raises(MalformedReceiptError, match="33554433 bytes, more than 33554432"):
        parse_bundle(b" " * (MAX_BUNDLE_BYTES + 1))


def test_nesting_and_values_are_bounded_before_anything_is_looked_at() -> None:
    for raw, got in (
        (b"[" * 8 + b"0" + b"]" * 8, "Expected an object at '/'"),
        (b"[" * 9 + b"0" + b"]" * 9, "more than 8 levels"),
        (b"[" + b"0," * 999 + b"0]", "Expected an object at '/'"),
        (b"[" + b"0," * 1000 + b"0]", "more than 1000 values"),
    ):
        with pytest.raises(MalformedReceiptError, match=got):
            parse_bundle(raw)


def set_tokens(value: Any, tokens: list[bytes]) -> None:
    """Put these timestamps in."""
    value["verificationMaterial"]["timestampVerificationData"] = {
        "rfc3161Timestamps": [{"signedTimestamp": encode(token)} for token in tokens]
    }


#: Each part as long as it may be, and one longer.
BOUNDS: dict[str, tuple[int, Callable[[Any, int], object]]] = {
    "hint": (256, lambda v, n: v["verificationMaterial"]["publicKey"].update(hint="k" * n)),
    "payload": (16_777_216, lambda v, n: v["dsseEnvelope"].update(payload=encode(bytes(n)))),
    "payload_type": (1024, lambda v, n: v["dsseEnvelope"].update(payloadType="t" * n)),
    "signature": (
        256,
        lambda v, n: v["dsseEnvelope"].update(signatures=[{"sig": encode(bytes(n))}]),
    ),
    "entry": (65_535, lambda v, n: entry_of(v).update(canonicalizedBody=encode(bytes(n)))),
    "hashes": (63, lambda v, n: proof_of(v).update(hashes=[encode(b"1" * 32)] * n)),
    "timestamps": (8, lambda v, n: set_tokens(v, [b"token"] * n)),
    "timestamp": (65_536, lambda v, n: set_tokens(v, [bytes(n)])),
}


@pytest.mark.parametrize("part", BOUNDS)
def test_each_part_is_as_long_as_it_may_be_and_no_longer(part: str) -> None:
    most, change = BOUNDS[part]
    value = json.loads(RAW)
    change(value, most)
    assert bundle_to_json(parse_bundle(json.dumps(value).encode())) == value
    change(value, most + 1)
    with pytest.raises(MalformedReceiptError, match=r"(bytes|characters|array of .*) at '/"):
        parse_bundle(json.dumps(value).encode())


def test_a_checkpoint_is_as_long_as_a_note_may_be() -> None:
    value = json.loads(RAW)
    proof_of(value)["checkpoint"]["envelope"] = "a" * 1_048_576
    with pytest.raises(MalformedNoteError):
        parse_bundle(json.dumps(value).encode())
    proof_of(value)["checkpoint"]["envelope"] = "a" * 1_048_577
    with pytest.raises(MalformedReceiptError, match="a text of 1 to 1048576 characters"):
        parse_bundle(json.dumps(value).encode())


def test_every_refusal_says_what_to_give() -> None:
    for raw in (b"", b"{}", RAW.replace(b'"treeSize": "6"', b'"treeSize": "7"')):
        assert raw != RAW
        with pytest.raises(SpanproofError) as caught:
            parse_bundle(raw)
        assert caught.value.hint == "Give the receipt as it was issued."


def test_numbers_with_a_fraction_and_names_twice_are_refused() -> None:
    for raw in (RAW.replace(b'"5"', b"5.0", 1), RAW.replace(b"{", b'{"mediaType": "",', 1)):
        assert raw != RAW
        with pytest.raises(MalformedReceiptError):
            parse_bundle(raw)


@unhurried
@given(data=st.data())
def test_a_changed_bundle_is_refused_or_is_another_receipt(data: st.DataObject) -> None:
    changed = bytearray(RAW)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "copy", "add"]))
        if kind == "set":
            changed[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del changed[at : at + data.draw(st.integers(1, 40))]
        elif kind == "copy":
            changed[at:at] = changed[at : at + data.draw(st.integers(1, 40))]
        else:
            changed[at:at] = data.draw(st.sampled_from([b'"', b"{}", b",", b"0", b" ", b"\\u0041"]))
        if not changed:
            break
    try:
        receipt = parse_bundle(bytes(changed))
    except SpanproofError:
        return
    # Nothing that is read is dropped: the same receipt comes from the same JSON value only.
    assert bundle_to_json(receipt) == json.loads(bytes(changed))


@unhurried
@given(data=st.data())
def test_no_value_of_a_bundle_can_be_exchanged_unseen(data: st.DataObject) -> None:
    value = json.loads(RAW)
    place: Any = value
    names: list[tuple[Any, Any]] = []
    while isinstance(place, dict | list) and place and (not names or data.draw(st.booleans())):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        names.append((place, data.draw(st.sampled_from(keys))))
        place = names[-1][0][names[-1][1]]
    holder, name = names[-1]
    holder[name] = data.draw(
        st.none()
        | st.booleans()
        | st.integers(-5, 5)
        | st.text(max_size=4)
        | st.just([])
        | st.just({})
        | st.just({"rawBytes": "YQ=="})
        | st.floats()
    )
    raw = json.dumps(value).encode()
    try:
        receipt = parse_bundle(raw)
    except SpanproofError:
        return
    assert bundle_to_json(receipt) == value


def test_every_published_bundle_with_a_certificate_or_an_artifact_is_refused(
    test_data: Path,
) -> None:
    # Ours sign statements with a key that the auditor knows; the parts are in tests/conformance.
    folder = test_data / "vectors" / "sigstore-rekor2" / "test" / "assets" / "bundle-verify"
    paths = sorted(folder.glob("*/bundle.sigstore.json"))
    assert len(paths) == 39
    for path in paths:
        with pytest.raises(MalformedReceiptError):
            parse_bundle(path.read_bytes())
