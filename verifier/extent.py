"""How much one request may ask for, and how long its response and its block may be.

An answer repeats a mark for three characters, and each verdict holds a claim and a thousand bytes
more. So what an answer asks for is counted before anything is judged, and it is refused where even
the shortest block would be longer than ``most_block_bytes``. What a judgement adds beyond that
(places, edits, texts that were read) is left out where the block is too long, and codes say so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import AnswerTooDenseError
from spanproof.core.verdicts.block_json import block_to_json, digest_verdicts
from spanproof.core.verdicts.verdict_json import verdict_to_json
from spanproof.verifier.claims.pairing import pair_claims
from spanproof.verifier.formats.native import FORMAT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Claim
    from spanproof.core.verdicts.verdict import Existence, Support, Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.verifier.formats.parsed import ParsedAnswer

#: A response has at most so many bytes for each byte of the answer's payload, and so many beside.
BYTES_FOR_EACH, BYTES_BESIDE = 8, 64 * 1024
#: Bytes of a response beside its payload, its block and its receipt: names and ids.
_FRAME_BYTES = 512
#: The code of a verdict, and of a block, that would have been too long.
DETAIL_LEFT_OUT = "DETAIL_LEFT_OUT"
#: Bytes of a short verdict without its claim, of an orphan anchor, and of a block without either.
VERDICT_BYTES, ORPHAN_BYTES, BLOCK_BYTES = 1536, 48, 16 * 1024
#: Entries of each list of a verdict, and of a block, that are left where it is too long.
_FEW, _SOME = 4, 32
_SHORT_NOTE = "The verdict is shortened: its details made the block too long."


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The most citations, distinct claims, verdicts, and supplied documents of one answer.

    A retrieved text counts as a document.
    """

    citations: int
    claims: int
    verdicts: int
    documents: int


def most_response_bytes(size: int) -> int:
    """The most bytes of the response to a payload of ``size`` bytes, as compact JSON in UTF-8."""
    return BYTES_FOR_EACH * size + BYTES_BESIDE


def most_block_bytes(parsed: ParsedAnswer, size: int) -> int:
    """The most bytes of the block: what the payload, which goes back, leaves of the response."""
    return most_response_bytes(size) - measure(parsed.payload) - _FRAME_BYTES


def require_extent(parsed: ParsedAnswer, extent: Extent, *, size: int) -> None:
    """Raise AnswerTooDenseError for an answer that asks for too much; ``size`` in bytes.

    The pointer names the place in the payload: a provider's citations are in its ``response``.
    """
    answer, is_native = parsed.answer, parsed.imported.format == FORMAT
    cited, prose = ("/citations", "/answer") if is_native else ("/response", "/response")
    require_at_most("/documents", "documents", most=extent.documents, got=len(answer.documents))
    supplied = len(answer.retrieved)
    require_at_most("/retrieved", "retrieved texts", most=extent.documents, got=supplied)
    require_at_most(cited, "citations", most=extent.citations, got=len(answer.citations))
    pairing = pair_claims(answer, most=extent.verdicts, pointer=prose)
    claims = {claim.span for claim, _ in pairing.pairs}
    require_at_most(prose, "claims with citations", most=extent.claims, got=len(claims))
    needed = BLOCK_BYTES + ORPHAN_BYTES * len(pairing.orphans)
    needed += sum(VERDICT_BYTES + _measure_claim(claim) for claim, _ in pairing.pairs)
    what = f"bytes of verdicts for a payload of {size} bytes"
    require_at_most(prose, what, most=most_block_bytes(parsed, size), got=needed)


def fit_block(block: VerificationBlock, most: int) -> VerificationBlock:
    """The same block, or one with less detail if it has more than ``most`` bytes.

    The longest verdicts lose most. No status, outcome, code or probability changes.
    """
    length = measure(block_to_json(block))
    if length <= most:
        return block
    block = _shorten_lists(block)
    verdicts = list(block.verdicts)
    length = measure(block_to_json(block))
    for shorten in (_leave_out, _leave_out_more):
        sizes = {index: measure(verdict_to_json(each)) for index, each in enumerate(verdicts)}
        for index in sorted(sizes, key=lambda index: (-sizes[index], index)):
            if length <= most:
                break
            verdicts[index] = shorten(verdicts[index])
            length += measure(verdict_to_json(verdicts[index])) - sizes[index]
    shorter = tuple(verdicts)
    return replace(
        block,
        verdicts=shorter,
        verdicts_digest=digest_verdicts(shorter, block.policy, block.model),
    )


def measure(value: object) -> int:
    """Bytes as compact JSON in UTF-8, lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return len(text.encode("utf-8", "backslashreplace"))


def require_at_most(pointer: str, what: str, *, most: int, got: int) -> None:
    """Raise AnswerTooDenseError for more of ``what``; the pointer names its place."""
    if got > most:
        raise AnswerTooDenseError.of(pointer, what, most=most, got=got)


def require_short(
    response: dict[str, Any], pointer: str, what: str, *, size: int
) -> dict[str, Any]:
    """The response to a payload of ``size`` bytes; raise AnswerTooDenseError if it is too long."""
    most, what = most_response_bytes(size), f"bytes of {what} for a payload of {size} bytes"
    require_at_most(pointer, what, most=most, got=measure(response))
    return response


def _measure_claim(claim: Claim) -> int:
    return measure(claim.text) + measure(claim.hypothesis)


def _shorten_lists(block: VerificationBlock) -> VerificationBlock:
    imported = block.imported
    return replace(
        block,
        unread_citations=block.unread_citations[:_SOME],
        uncited_sentences=block.uncited_sentences[:_SOME],
        over_cited=tuple(
            replace(each, anchors=each.anchors[:_FEW], redundant=each.redundant[:_FEW])
            for each in block.over_cited[:_SOME]
        ),
        unused_citations=block.unused_citations[:_SOME],
        imported=replace(
            imported, unmapped=imported.unmapped[:_SOME], remarks=imported.remarks[:_SOME]
        ),
        codes=_with_code(block.codes),
    )


def _leave_out(verdict: Verdict) -> Verdict:
    """Without the lists that grow with the quote, the claim and the documents."""
    locator, attribution = verdict.locator, verdict.attribution
    return replace(
        verdict,
        existence=_shorten_existence(verdict.existence),
        locator=replace(locator, quads=locator.quads[:_FEW]),
        support=_shorten_support(verdict.support),
        attribution=replace(attribution, supported_by=attribution.supported_by[:_FEW]),
        quotations=(),
        codes=_with_code(verdict.codes),
    )


def _leave_out_more(verdict: Verdict) -> Verdict:
    """What is decided, and little else."""
    short, locator = _leave_out(verdict), verdict.locator
    return replace(
        short,
        existence=replace(short.existence, candidates=(), difference=None, folds=()),
        locator=replace(
            locator, quads=(), bbox=None, cross_check=replace(locator.cross_check, read=None)
        ),
        support=replace(short.support, vetoes=(), logits=(), terms=(), joint=None),
        attribution=replace(short.attribution, supported_by=()),
        notes=_SHORT_NOTE,
        view_url=None,
    )


def _shorten_existence(existence: Existence) -> Existence:
    difference = existence.difference
    if difference is not None:
        short = (e for e in difference.edits if max(len(e.quote), len(e.source)) <= _SOME)
        edits = tuple(replace(e, touches=e.touches[:_FEW]) for e in islice(short, _FEW))
        difference = replace(difference, source="", edits=edits)
    return replace(existence, candidates=existence.candidates[:_FEW], difference=difference)


def _shorten_support(support: Support) -> Support:
    joint = support.joint
    return replace(
        support,
        vetoes=support.vetoes[:_FEW],
        subclaims=(),
        read=None,
        joint=None if joint is None else replace(joint, citations=joint.citations[:_FEW]),
        unsupported_parts=(),
    )


def _with_code(codes: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*codes, DETAIL_LEFT_OUT)))
