"""An answer as it was read → the judgement, of which nothing is kept or logged yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.budget import BUDGET_SPENT, spending
from spanproof.core.digest import PREFIX, Digest
from spanproof.operations.documents.cross_check import SampledCrossCheck
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.documents.source_states import with_states
from spanproof.operations.indexes.facts import with_indexes
from spanproof.operations.metrics.verifier import TimedEntailment
from spanproof.operations.verification.budget import make_budget
from spanproof.operations.verification.fields import count_field_remarks
from spanproof.operations.verification.repairing import repair_answer
from spanproof.operations.verification.request import PLAIN_REQUEST
from spanproof.operations.verification.snippets import find_holders, with_snippets

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.documents.document import Library
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context
    from spanproof.operations.verification.request import VerificationRequest
    from spanproof.verifier.formats.parsed import Attachment, ParsedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A block and what it was made from; ``answer`` has the citations that were judged."""

    block: VerificationBlock
    answer: Answer
    library: Library
    model: EntailmentModel

    def with_code(self, code: str) -> Judged:
        """The same with another code of the answer."""
        return replace(self, block=replace(self.block, codes=(*self.block.codes, code)))


def judge(
    context: Context,
    parsed: ParsedAnswer,
    policy: Policy,
    request: VerificationRequest = PLAIN_REQUEST,
) -> Judged:
    """Ask the model: the judgement, of which nothing is kept or logged yet.

    What is not judged within the settings' CPU time is NOT_RUN, and the block says so.
    """
    from spanproof.verifier.identity.names import choose_names, list_names
    from spanproof.verifier.verify import verify

    for attachment in parsed.attachments:
        ingest_attachment(context, attachment)
    verified_at = datetime.now(UTC)
    hashes, names = list_documents(parsed.answer)
    names = list(dict.fromkeys([*names, *list_names(parsed.answer)]))
    known = context.store.documents.load_library(hashes, names)
    given = choose_names(parsed.answer, known)
    library = with_snippets(known, given)
    if holders := find_holders(context, given, library):
        known = context.store.documents.load_library([*hashes, *holders], names)
        library = with_snippets(known, given)
    library = with_states(context, library, until=verified_at)
    library = with_indexes(context, library, given, until=verified_at)
    model = request.deadline.choose_model(context)
    budget = make_budget(context.settings, request.on_checkpoint)
    with spending(budget):
        answer, report = repair_answer(given, library, model, policy, request.repair)
        block = verify(
            answer,
            library,
            TimedEntailment(model, context.metrics.verifier),
            policy,
            verified_at=verified_at,
            imported=parsed.imported,
            cross_checker=SampledCrossCheck(context),
        )
    block = request.deadline.mark_passed(replace(block, repair=report), model)
    if budget.is_spent:
        block = replace(block, codes=(*block.codes, BUDGET_SPENT))
    context.metrics.count_verification(block.result.value)
    context.metrics.sampling.count_verdicts(block.verdicts)
    context.metrics.sampling.record_success(block.verified_at)
    count_field_remarks(parsed, context.metrics)
    context.metrics.fields.count_block(block)
    context.metrics.verifier.set_verifier_info(block.verifier_version, block.model)
    context.metrics.count_calibration(block.calibration.status.value)
    return Judged(block=block, answer=answer, library=library, model=model)


def ingest_attachment(context: Context, attachment: Attachment) -> None:
    """Keep a document that came inside a payload; raise what refuses it."""
    ingest_stream(
        context,
        [attachment.data],
        filename=None,
        media_type=attachment.media_type,
        doc_id=None,
        title=attachment.title,
    )


def load_named_policy(name: str) -> Policy:
    """The policy of that name; raise UnknownPolicyError for any other."""
    from spanproof.verifier.policies import load_policy

    return load_policy(name)


def list_documents(answer: Answer) -> tuple[list[Digest], list[str]]:
    """The hashes and the names of every document supplied with the answer, each once."""
    hashes = [Digest.parse(ref) for ref in answer.documents if ref.startswith(PREFIX)]
    names = [ref for ref in answer.documents if not ref.startswith(PREFIX)]
    parts: list[Retrieval | Citation] = [*answer.retrieved, *answer.citations]
    hashes += [part.doc_hash for part in parts if part.doc_hash is not None]
    names += [part.doc_id for part in parts if part.doc_id is not None]
    return list(dict.fromkeys(hashes)), list(dict.fromkeys(names))
