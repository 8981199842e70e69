"""Statements that the issuer's own key signed and its log holds, and that are no receipts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.receipt.check.report import CheckOutcome, Question
from spanproof.receipt.forms.bundle import bundle_to_json
from tests.receipt.attacks.register import Register
from tests.receipt.statements import (
    SENTENCE,
    SOURCE,
    make_document,
    make_predicate,
    make_result,
    make_statement,
    make_summary,
    make_verdict,
    sha256,
)

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Bundle
    from tests.receipt.attacks.scene import Scene

_REGISTER = Register()
ATTACKS = _REGISTER.attacks
_malformed = _REGISTER.add(CheckOutcome.MALFORMED)
_unlogged = _REGISTER.add(CheckOutcome.FAILED, Question.LOG)


def _change(scene: Scene, change: dict[str, Any]) -> Bundle:
    """A receipt whose statement has other fields beside its predicate."""
    return bundle_to_json(scene.sign(canonical_json.dumps(scene.say() | change)))


@_malformed
def name_twice_in_payload(scene: Scene, bundle: Bundle) -> Bundle:
    """The result stands there twice, both signed: a reader that takes the first sees a pass."""
    del bundle
    return bundle_to_json(scene.sign_text(b'"result":', b'"result":"fail","result":'))


@_malformed
def float_in_payload(scene: Scene, bundle: Bundle) -> Bundle:
    """A probability as a number: two printers, two receipts."""
    del bundle
    return bundle_to_json(scene.sign_text(b'"0.970000"', b"0.97"))


@_malformed
def big_number_in_payload(scene: Scene, bundle: Bundle) -> Bundle:
    """A length beyond 2**53: readers with doubles see its neighbour."""
    del bundle
    length = f'"byte_length":{len(SOURCE)}'.encode()
    return bundle_to_json(scene.sign_text(length, b'"byte_length":9007199254740993'))


@_malformed
def unknown_field_in_payload(scene: Scene, bundle: Bundle) -> Bundle:
    """A field that this version does not have: it would be signed and never checked."""
    del bundle
    return bundle_to_json(scene.issue(verified=True))


@_malformed
def missing_field_in_payload(scene: Scene, bundle: Bundle) -> Bundle:
    """No policy: a pass under none."""
    del bundle
    statement = scene.say()
    del statement["predicate"]["policy"]
    return bundle_to_json(scene.sign(canonical_json.dumps(statement)))


@_malformed
def payload_not_canonical(scene: Scene, bundle: Bundle) -> Bundle:
    """Signed with blanks between the words: one statement has one form."""
    del bundle
    return bundle_to_json(scene.sign_text(b'","', b'", "'))


@_malformed
def payload_no_json(scene: Scene, bundle: Bundle) -> Bundle:
    """Signed, logged, and no JSON at all."""
    del bundle
    return bundle_to_json(scene.sign(b"pass"))


@_malformed
def payload_deeply_nested(scene: Scene, bundle: Bundle) -> Bundle:
    """Signed brackets, a hundred thousand of them."""
    del bundle
    return bundle_to_json(scene.sign(b"[" * 100_000))


@_malformed
def digest_in_capitals(scene: Scene, bundle: Bundle) -> Bundle:
    """A digest in capitals: compared as text it is another, compared as a number the same."""
    del bundle
    digest = sha256(SOURCE)
    old, new = f"sha256:{digest}", f"sha256:{digest.upper()}"
    return bundle_to_json(scene.sign_text(old.encode(), new.encode()))


@_malformed
def digest_prefix_in_capitals(scene: Scene, bundle: Bundle) -> Bundle:
    """'SHA256:' is no algorithm of ours."""
    del bundle
    old = f"sha256:{sha256(SOURCE)}".encode()
    return bundle_to_json(scene.sign_text(old, old.replace(b"sha256", b"SHA256")))


@_malformed
def digest_cut_short(scene: Scene, bundle: Bundle) -> Bundle:
    """Eight digits of a digest: another document with the same eight takes minutes to make."""
    del bundle
    digest = sha256(SOURCE)
    old, new = f"sha256:{digest}", f"sha256:{digest[:8]}"
    return bundle_to_json(scene.sign_text(old.encode(), new.encode()))


@_malformed
def statement_of_another_kind(scene: Scene, bundle: Bundle) -> Bundle:
    """The intake's statement in a bundle: signed, logged, and nothing was verified yet."""
    del bundle
    statement = make_statement("urn:spanproof:attestation:intake:v1", {})
    return bundle_to_json(scene.sign(canonical_json.dumps(statement)))


@_malformed
def predicate_under_another_type(scene: Scene, bundle: Bundle) -> Bundle:
    """A good predicate, announced as a later version of its type."""
    del bundle
    return _change(scene, {"predicateType": "urn:spanproof:attestation:span-verification:v2"})


@_malformed
def later_schema_version(scene: Scene, bundle: Bundle) -> Bundle:
    """What a later version means by its fields nobody here knows."""
    del bundle
    return bundle_to_json(scene.issue(schema_version=2))


@_malformed
def subject_is_another_answer(scene: Scene, bundle: Bundle) -> Bundle:
    """Tools that look at subjects alone would take it for a receipt of another answer."""
    statement = scene.say()
    statement["subject"][0]["digest"]["sha256"] = sha256("Another answer.")
    del bundle
    return bundle_to_json(scene.sign(canonical_json.dumps(statement)))


@_malformed
def pass_with_a_failed_verdict(scene: Scene, bundle: Bundle) -> Bundle:
    """The words are not in the source, and the whole is called a pass."""
    verdict = make_verdict()
    verdict["existence"]["status"] = "ABSENT"
    del bundle
    return bundle_to_json(scene.issue(verdicts=[verdict]))


@_malformed
def pass_without_a_verdict(scene: Scene, bundle: Bundle) -> Bundle:
    """Nothing was judged, and nothing failed: that is no pass."""
    counts = dict.fromkeys(("verdicts", "pass", "fail", "review", "error"), 0)
    del bundle
    return bundle_to_json(scene.issue(verdicts=[], summary=make_summary() | {"counts": counts}))


@_malformed
def verdict_on_an_unlisted_document(scene: Scene, bundle: Bundle) -> Bundle:
    """The verdict's document is none of those that the receipt lists."""
    document = make_document() | {"doc_hash": "sha256:" + sha256("another")}
    del bundle
    return bundle_to_json(scene.issue(documents=[document]))


@_malformed
def span_beyond_its_text(scene: Scene, bundle: Bundle) -> Bundle:
    """A span that ends behind the end of the text."""
    verdict = make_verdict()
    verdict["existence"]["char_end"] += len(SENTENCE)
    del bundle
    return bundle_to_json(scene.issue(verdicts=[verdict]))


@_malformed
def control_characters_in_a_name(scene: Scene, bundle: Bundle) -> Bundle:
    """A name that turns the terminal green and writes OK."""
    predicate = make_predicate(LoggedLeaf(origin="x", index=0, leaf_hash=bytes(32)))
    model = predicate["model"] | {"name": "\x1b[2K\x1b[32mOK"}
    del bundle
    return bundle_to_json(scene.issue(model=model))


@_unlogged
def intake_after_the_result(scene: Scene, bundle: Bundle) -> Bundle:
    """What came in was logged after it was judged: it may have been chosen by then."""
    index = len(scene.issuer.log.entries)
    later = LoggedLeaf(origin=scene.issuer.log.origin, index=index, leaf_hash=bytes(32))
    del bundle
    return bundle_to_json(scene.sign(canonical_json.dumps(make_result(later))))


@_unlogged
def intake_in_another_log(scene: Scene, bundle: Bundle) -> Bundle:
    """The statement names another log than the one that it stands in."""
    leaf = LoggedLeaf(origin="log.example.org", index=0, leaf_hash=bytes(32))
    del bundle
    return bundle_to_json(scene.sign(canonical_json.dumps(make_result(leaf))))


@_unlogged
def intake_of_another_hash(scene: Scene, bundle: Bundle) -> Bundle:
    """The neighbour's leaf, which the proof shows, has another hash than is said."""
    index = scene.issuer.add_intake().index
    leaf = LoggedLeaf(origin=scene.issuer.log.origin, index=index, leaf_hash=bytes(32))
    del bundle
    return bundle_to_json(scene.sign(canonical_json.dumps(make_result(leaf))))
