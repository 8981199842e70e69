"""``spanproof.verify``: an answer and its texts → a block, in this process and without a store."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from spanproof.core.arguments import check_type
from spanproof.core.citation import Answer
from spanproof.core.contexts import encode_answer, read_contexts
from spanproof.core.documents.document import Extraction, Library, Source
from spanproof.core.extras import need_extra
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.core.verdicts.verified_answer import VerifiedAnswer
from spanproof.operations.verification.repairing import repair_answer
from spanproof.operations.verification.request import EVERY_SENTENCE
from spanproof.operations.verification.snippets import with_snippets
from spanproof.verifier import verify as verifier
from spanproof.verifier.formats.native import cite_retrieved
from spanproof.verifier.formats.native_parts import read_retrieved
from spanproof.verifier.formats.parsed import ParsedAnswer
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.identity.names import choose_names
from spanproof.verifier.policies import DEFAULT, load_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.verification.request import RepairRequest


NO_DOCUMENTS = Library()
_OF_A_STORE = frozenset({IdentityStatus.UNKNOWN_DOCUMENT, IdentityStatus.UNKNOWN_EXTRACTION})


def verify(  # noqa: PLR0913 - what a caller may choose; all but the first have a default
    answer: str | Mapping[str, Any] | bytes | Answer,
    contexts: Iterable[str | Mapping[str, Any]] = (),
    policy: str | None = None,
    model: EntailmentModel | Path | None = None,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    attribute: bool = False,
    documents: Iterable[Extraction] = (),
) -> VerifiedAnswer:
    """Check what an answer cites against the texts that it was made from.

    ``[n]`` in the answer names the n-th context, where no citation of the answer says otherwise. A
    context is a text, or a mapping with ``text`` and, where known, ``id``, ``source`` and ``page``.
    ``answer`` is a text, an ``Answer``, or a payload of the named ``format`` (as bytes it takes no
    contexts), whose own texts are contexts too. ``policy`` is the name of one (None: the answer's
    own, or balanced). ``model`` is a loaded model, or the folder of one (None: the embedded model,
    loaded once for the process). With ``attribute`` each sentence of an answer without citations is
    checked against all contexts; a person decides on what passes so. ``documents`` are what
    ``extract`` read: citations name them by ``doc_hash``, and a context that one of them holds is
    judged as a part of it.

    Nothing is kept, and no receipt is made. Raises TypeError for values of other types, and
    InputError for a malformed answer or an unknown policy.
    """
    check_type("policy", policy, (str, NoneType), "the name of one, such as 'balanced'")
    check_type("format", format, str, "the name of one, such as 'native'")
    check_type("attribute", attribute, bool, "True or False")
    judging = _find_model(model)
    if isinstance(answer, Answer):
        parsed = _to_parsed(answer, contexts)
    else:
        parsed = parse_payload(encode_answer(answer, contexts), format)
    chosen = load_policy(policy or parsed.answer.policy or DEFAULT)
    library = Library(sources=tuple(map(_to_source, documents)))
    choice = EVERY_SENTENCE if attribute else None
    block = judge_texts(parsed, chosen, judging, library=library, choice=choice)
    return VerifiedAnswer(raw={"answer": block.answer.prose, "verification": write_unkept(block)})


def write_unkept(block: VerificationBlock) -> dict[str, Any]:
    """The block as HTTP gives it under ``verification``, and that nothing keeps it."""
    return {**block_to_json(block), "kept": False}


def judge_texts(
    parsed: ParsedAnswer,
    policy: Policy,
    model: EntailmentModel,
    *,
    library: Library = NO_DOCUMENTS,
    choice: RepairRequest | None = None,
) -> VerificationBlock:
    """Judge an answer by the texts that came with it, and by the documents of a library."""
    # A document inside the payload is a text of the request here: nothing keeps it.
    others = [each.data.decode("utf-8") for each in parsed.attachments]
    given = choose_names(parsed.answer, library)
    library = with_snippets(library, given, others)
    answer, report = repair_answer(given, library, model, policy, choice)
    block = verifier.verify(
        answer,
        library,
        model,
        policy,
        verified_at=datetime.now(UTC),
        imported=parsed.imported,
    )
    return replace(block, repair=report)


def judge_without_store(
    parsed: ParsedAnswer,
    policy: Policy,
    model: EntailmentModel,
    choice: RepairRequest | None = None,
) -> VerificationBlock:
    """The same for an install without a store; raise ExtraMissingError where one is needed.

    It is needed for each cited document whose text the answer does not bring.
    """
    block = judge_texts(parsed, policy, model, choice=choice)
    unknown = (each for each in block.verdicts if each.identity.status in _OF_A_STORE)
    missing = next(unknown, None)
    if missing is not None:
        why = f"[{missing.anchor}] cites a document of a store and the answer has no text of it"
        raise need_extra(why, extra="server")
    return block


@cache
def load_shared_model(folder: Path | None = None) -> EntailmentModel:
    """The model of a folder, or the embedded one, loaded once for the process."""
    from spanproof.verifier.entailment import load_model

    return load_model(folder)


def _to_source(extraction: Extraction) -> Source:
    check_type("documents", extraction, Extraction, "what extract() gives")
    return Source(document=extraction.document, extractions=(extraction,))


def _find_model(model: EntailmentModel | Path | None) -> EntailmentModel:
    if model is None or isinstance(model, Path):
        return load_shared_model(model)
    if isinstance(model, str) or not hasattr(model, "judge"):
        msg = f"model: expected a loaded model, a pathlib.Path or None, got {type(model).__name__}"
        raise TypeError(msg)
    return model


def _to_parsed(answer: Answer, contexts: object) -> ParsedAnswer:
    """An ``Answer`` with the texts that its anchors may name."""
    retrieved = answer.retrieved + read_retrieved(read_contexts(contexts))
    citations = cite_retrieved(answer.prose, answer.citations, retrieved)
    named = replace(answer, retrieved=retrieved, citations=citations)
    return ParsedAnswer(answer=named, imported=verifier.NATIVE, payload={})
