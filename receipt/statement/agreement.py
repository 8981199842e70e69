"""Whether the parts of a statement agree with each other: a signature does not make sense of them.

(1) Subjects: the answer, each document, its canonical texts, each snippet, by the predicate.
(2) Citations and verdicts: every index, document, text and offset is one that the predicate has; a
    text's ``extraction_id`` is computed from its document, pipeline and words, so no verdict can
    name one document and be about another's text.
(3) Outcomes: none is better than its axes allow, by the contract that no policy can soften.
(4) Summary: counts, flags and result follow from the verdicts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.verdicts.status import ExistenceStatus, IdentityStatus, Outcome, SupportStatus

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.predicate import Predicate, SignedText
    from spanproof.receipt.statement.signed_verdict import SignedVerdict

#: The name of the answer among the subjects.
ANSWER = "answer"
_HINT = "The signer of this did not use this verifier: do not rely on it."
_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.REVIEW, Outcome.PASS)
_PRESENT = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL, ExistenceStatus.EDITORIAL})
_FAILING_EXISTENCE = frozenset(
    {
        ExistenceStatus.MISATTRIBUTED,
        ExistenceStatus.STITCHED,
        ExistenceStatus.ALTERED,
        ExistenceStatus.ABSENT,
    }
)
_FAILING_SUPPORT = frozenset({SupportStatus.CONTRADICTED, SupportStatus.NEUTRAL})
_UNREAD = "UNREAD_CITATION"
#: Codes of the answer that a policy may let fail, however good its verdicts are.
_ANSWER_CODES = frozenset({"UNCITED_STATEMENT", _UNREAD})
_KNOWN = frozenset({IdentityStatus.MATCH, IdentityStatus.SUPERSEDED, IdentityStatus.SNIPPET})
_PASSING_EXISTENCE = frozenset({*_PRESENT, ExistenceStatus.MOVED})


def list_subjects(predicate: Predicate) -> tuple[tuple[str, Digest], ...]:
    """Names and digests of the statement's subjects, in their order."""
    subjects = [(ANSWER, predicate.answer.sha256)]
    for position, document in enumerate(predicate.documents):
        subjects.append((f"document-{position}", document.doc_hash))
        subjects += [
            (f"canonical-text-{position}-{number}", text.sha256)
            for number, text in enumerate(document.canonical_texts)
        ]
    for position, snippet in enumerate(predicate.snippets):
        subjects.append((f"snippet-{position}", snippet.doc_hash))
    return tuple(subjects)


def check_agreement(predicate: Predicate, subjects: tuple[tuple[str, Digest], ...]) -> None:
    """Raise MalformedReceiptError where a part of the statement contradicts another."""
    # (1) Subjects.
    _demand(subjects == list_subjects(predicate), "subjects that are the predicate's own")
    sources = (*predicate.documents, *predicate.snippets)
    hashes = [source.doc_hash for source in sources]
    texts = {text.extraction_id: text for source in sources for text in source.canonical_texts}
    # No text is a document and a snippet, or a verdict could be about either.
    _demand(len(set(hashes)) == len(hashes), "each document and snippet once")
    _demand(
        len(texts) == sum(len(source.canonical_texts) for source in sources),
        "each canonical text once",
    )
    owners = {
        text.extraction_id: source.doc_hash for source in sources for text in source.canonical_texts
    }
    for extraction_id, doc_hash in owners.items():
        _demand(
            extraction_id == _identify(doc_hash, texts[extraction_id]),
            f"the id of document, pipeline and text as extraction_id, not {extraction_id},",
        )
    _demand(predicate.log.origin == predicate.tenant_log, "the intake in the tenant's log")
    # (2) Citations and verdicts.
    for verdict in predicate.verdicts:
        _check_verdict(verdict, predicate, texts)
        identity = verdict.identity
        # An extraction that is not listed was not read: nothing was found in it, and nothing of it
        # (neither pipeline nor text) is signed from which its id could be computed.
        owner = None if identity.extraction_id is None else owners.get(identity.extraction_id)
        _demand(
            owner is None or owner == identity.doc_hash,
            f"an extraction of the verdict's own document in the verdict on {verdict.citation}",
        )
    repaired = tuple(i for i, citation in enumerate(predicate.citations) if citation.repaired)
    _demand(predicate.repaired == repaired, "the repaired citations' own indexes")
    # (4) Summary.
    _check_summary(predicate)


def _identify(doc_hash: Digest, text: SignedText) -> Digest:
    """The extraction_id of a document, a pipeline and a text (``core.documents.document``)."""
    pipeline = str(text.pipeline_config_sha256)
    return canonical_json.digest([str(doc_hash), pipeline, str(text.sha256)])


def _check_verdict(
    verdict: SignedVerdict,
    predicate: Predicate,
    texts: dict[Digest, SignedText],
) -> None:
    where = f"in the verdict on citation {verdict.citation}"
    _demand(verdict.citation < len(predicate.citations), f"a citation that is there {where}")
    citation = predicate.citations[verdict.citation]
    _demand(citation.anchor == verdict.anchor, f"the citation's anchor {where}")
    _demand(citation.repaired == verdict.repaired, f"the citation's 'repaired' {where}")
    claim, identity, existence = verdict.claim, verdict.identity, verdict.existence
    _demand(
        claim.start <= claim.end <= predicate.answer.code_points, f"a claim in the answer {where}"
    )
    _demand(
        (existence.char_start is None)
        == (existence.char_end is None)
        == (existence.span_sha256 is None),
        f"offsets and digest of the span, or none of them, {where}",
    )
    if identity.status in _KNOWN:
        is_snippet = identity.status is IdentityStatus.SNIPPET
        listed = predicate.snippets if is_snippet else predicate.documents
        kind = "snippet" if is_snippet else "document"
        known = {source.doc_hash for source in listed}
        _demand(identity.doc_hash in known, f"a {kind} that is listed {where}")
    if (offsets := existence.offsets) is not None:
        text = None if identity.extraction_id is None else texts.get(identity.extraction_id)
        _demand(text is not None, f"a canonical text that is listed {where}")
        length = 0 if text is None else text.code_points
        _demand(offsets[0] <= offsets[1] <= length, f"a span in its canonical text {where}")
    # (3) Outcomes.
    codes = (
        f"IDENTITY_{identity.status}",
        f"EXISTENCE_{existence.status}",
        f"LOCATOR_{verdict.locator.status}",
        f"SUPPORT_{verdict.support.status}",
        f"ATTRIBUTION_{verdict.attribution.status}",
    )
    _demand(verdict.codes[: len(codes)] == codes, f"the codes of the axes {where}")
    _demand(
        verdict.outcome in _allowed_outcomes(verdict),
        f"an outcome that the axes allow {where}",
    )


def _allowed_outcomes(verdict: SignedVerdict) -> frozenset[Outcome]:
    """What the axes leave open to the policy; it may only make things worse."""
    identity, existence = verdict.identity.status, verdict.existence.status
    support = verdict.support.status
    if (
        identity is IdentityStatus.HASH_MISMATCH
        or existence in _FAILING_EXISTENCE
        or support in _FAILING_SUPPORT
    ):
        return frozenset({Outcome.FAIL})
    if (
        identity in _KNOWN
        and existence in _PASSING_EXISTENCE
        and support is SupportStatus.ENTAILED
        and verdict.existence.offsets is not None
    ):
        return frozenset(Outcome)
    ran = existence is ExistenceStatus.AMBIGUOUS or support is not SupportStatus.NOT_RUN
    can_err = identity not in _KNOWN or existence in {
        ExistenceStatus.UNVERIFIABLE,
        ExistenceStatus.NOT_RUN,
    }
    if can_err or not ran:
        return frozenset({Outcome.FAIL, Outcome.ERROR})
    return frozenset({Outcome.FAIL, Outcome.REVIEW})


def _check_summary(predicate: Predicate) -> None:
    summary, verdicts = predicate.summary, predicate.verdicts
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    counts = {outcome.value: outcomes[outcome] for outcome in Outcome}
    _demand(summary.counts == {"verdicts": len(verdicts)} | counts, "the counts of the verdicts")
    present = all(verdict.existence.status in _PRESENT for verdict in verdicts)
    judged = {verdict.citation for verdict in verdicts} == set(range(len(predicate.citations)))
    _demand(
        summary.all_spans_present == (bool(verdicts) and judged and present),
        "'all_spans_present' as the verdicts say",
    )
    entailed = all(verdict.support.status is SupportStatus.ENTAILED for verdict in verdicts)
    _demand(
        summary.all_claims_entailed == (bool(verdicts) and entailed),
        "'all_claims_entailed' as the verdicts say",
    )
    worst = next((outcome for outcome in _WORST_FIRST if outcome in outcomes), None)
    if summary.orphan_anchors:
        allowed = {Outcome.FAIL}
    elif worst is None:
        allowed = {Outcome.FAIL, Outcome.REVIEW}
    elif worst is Outcome.PASS:
        # A person decides on unread citations, on non-answers and on citations that only we made.
        allowed = {Outcome.PASS, Outcome.REVIEW}
    else:
        allowed = {worst}
    allowed |= {Outcome.FAIL} if _ANSWER_CODES & set(summary.codes) else set()
    allowed -= {Outcome.PASS} if _UNREAD in summary.codes else set()
    _demand(summary.result in allowed, "a result that follows from the verdicts")


def _demand(holds: bool, expected: str) -> None:  # noqa: FBT001 - the condition itself
    if not holds:
        msg = f"Expected {expected} of the statement, got a contradiction."
        raise MalformedReceiptError(msg, hint=_HINT)
