"""A file of cases → a run: each answer judged as ``verify`` would, nothing of it kept or logged.

Without the extra ``server`` there is no store: an answer is judged by the texts that it brings, and
one that cites a document is a case that says which extra it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ExtractionError, ExtraMissingError, InputError, OutputError
from spanproof.core.extras import is_installed
from spanproof.core.verdicts.block_json import model_to_json, policy_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.monitor.case_result import CaseResult
from spanproof.monitor.evaluation_run import MAX_RUN_BYTES, EvaluationRun, dump_run, parse_run
from spanproof.operations.evaluation.cases import check_cases, read_cases
from spanproof.operations.verification.request import EVERY_SENTENCE, VerificationRequest
from spanproof.verifier.answers.feedback import write_failure
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.core.citation import Answer, Retrieval
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context
    from spanproof.operations.evaluation.cases import Case
    from spanproof.operations.verification.request import RepairRequest
    from spanproof.verifier.formats.parsed import ParsedAnswer

_TOP = 3
#: Cases whose reasons are held for a report.
_MOST_EXPLAINED = 1000
_OUTPUT_HINT = "Give --output a file in a folder of yours."


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """``policy`` wins over a case's and its answer's; ``trusted_tiers`` adds to the policy's."""

    policy: str | None = None
    repair: RepairRequest | None = None
    trusted_tiers: tuple[str, ...] = ()


class Evaluation:
    """A run in the making: iterate it, a result a case, then ask for the ``run``.

    Every line is read before the first is judged. Raises MalformedCasesError for lines that are no
    cases, ModelError where there is no model: a run that could judge nothing is no run.
    """

    def __init__(self, context: Context, cases: Path, options: EvaluationOptions) -> None:
        self._context = context
        self._path = cases
        self._options = options
        self._has_store = is_installed("server")
        self._most_bytes = context.settings.max_answer_bytes
        if options.policy is not None:
            load_policy(options.policy)
        self.total = check_cases(cases, most_bytes=self._most_bytes)
        self._model = context.require_model().identity
        self._policies: dict[str, Policy] = {}
        self._results: list[CaseResult] = []
        #: Why a case did not pass, in words of its answer: for reports, never for the run.
        self.reasons: dict[str, tuple[str, ...]] = {}

    def __iter__(self) -> Iterator[CaseResult]:
        """Judge one case after the other."""
        for case in read_cases(self._path, most_bytes=self._most_bytes):
            result = self._judge(case)
            self._results.append(result)
            yield result

    @property
    def run(self) -> EvaluationRun:
        """What was judged, and by what."""
        return EvaluationRun(header=self._describe(), cases=tuple(self._results))

    def _judge(self, case: Case) -> CaseResult:
        parsed = case.parse()
        policy = self._choose_policy(case, parsed.answer)
        try:
            block = self._judge_answer(parsed, policy, self._choose_repair(case, parsed))
        except (ExtractionError, ExtraMissingError) as error:
            # A document that came with the answer was refused, or it needs a store: this case is an
            # error, not the run.
            return self._describe_case(case, parsed, policy, None, problem=error.code)
        if block.result is not Outcome.PASS and len(self.reasons) < _MOST_EXPLAINED:
            self.reasons[case.case_id] = tuple(write_failure(block).splitlines()[1:])
        return self._describe_case(case, parsed, policy, block, problem=None)

    def _choose_repair(self, case: Case, parsed: ParsedAnswer) -> RepairRequest | None:
        """A row of another tool cites nothing: each of its sentences is looked for."""
        if case.is_foreign and not parsed.answer.citations:
            return EVERY_SENTENCE
        return self._options.repair

    def _judge_answer(
        self, parsed: ParsedAnswer, policy: Policy, repair: RepairRequest | None
    ) -> VerificationBlock:
        if not self._has_store:
            from spanproof.operations.verification.in_process import judge_without_store

            return judge_without_store(parsed, policy, self._context.require_model(), repair)
        from spanproof.operations.verification.judging import judge

        return judge(self._context, parsed, policy, VerificationRequest(repair=repair)).block

    def _choose_policy(self, case: Case, answer: Answer) -> Policy:
        name = self._options.policy or case.policy or answer.policy
        policy = load_policy(name or self._context.settings.policy)
        self._policies[policy.name] = policy
        return policy

    def _describe_case(
        self,
        case: Case,
        parsed: ParsedAnswer,
        policy: Policy,
        block: VerificationBlock | None,
        *,
        problem: str | None,
    ) -> CaseResult:
        answer = parsed.answer
        uncited = [] if block is None else block.uncited_sentences
        worthy = sum(sentence.check_worthy for sentence in uncited)
        tiers = frozenset(policy.source_tiers) | frozenset(self._options.trusted_tiers)
        return CaseResult(
            case_id=case.case_id,
            case_sha256=case.sha256,
            result=Outcome.ERROR.value if block is None else block.result.value,
            expected=case.expected,
            answer_kind=answer.answer_kind,
            abstention_reason=problem if block is None else block.abstention_reason,
            citations=len(answer.citations),
            needing=0 if block is None else block.sentences - len(uncited) + worthy,
            uncited=worthy,
            all_spans_present=block is not None and block.all_spans_present,
            all_claims_entailed=block is not None and block.all_claims_entailed,
            orphan_anchors=0 if block is None else len(block.orphan_anchors),
            repaired=0 if block is None or block.repair is None else block.repair.attached,
            trusted_top_3=find_trusted(answer.retrieved, tiers),
            problem=problem,
        )

    def _describe(self) -> dict[str, Any]:
        from spanproof.verifier.version import verifier_name

        options, settings = self._options, self._context.settings
        repair = options.repair
        return {
            "verifier": verifier_name(),
            "model": model_to_json(self._model),
            "policies": {
                name: policy_to_json(policy) for name, policy in sorted(self._policies.items())
            },
            "options": {
                "policy": options.policy,
                "default_policy": settings.policy,
                "repair": None if repair is None else "sentences" if repair.sentences else "answer",
                "trusted_tiers": sorted(set(options.trusted_tiers)),
                "witness_rate": settings.cross_check_rate,
            },
        }


def find_trusted(retrieved: tuple[Retrieval, ...], tiers: frozenset[str]) -> bool | None:
    """Whether one of the first three chunks is of a trusted tier; None if unknown.

    The first are those of the lowest ranks, where every chunk has one, else of the highest scores,
    where every chunk has one, else as they came. A chunk whose tier is not told is not trusted.
    """
    if not retrieved or not tiers:
        return None
    ranks = [chunk.rank for chunk in retrieved]
    scores = [chunk.score for chunk in retrieved]
    order = list(range(len(retrieved)))
    if all(rank is not None for rank in ranks):
        order.sort(key=lambda index: ranks[index] or 0)
    elif all(score is not None for score in scores):
        order.sort(key=lambda index: -(scores[index] or 0.0))
    return any(retrieved[index].source_tier in tiers for index in order[:_TOP])


def load_run(path: Path) -> EvaluationRun:
    """Read a run file; raise MalformedRunError for other content, InputError if unreadable."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_RUN_BYTES + 1)
    except OSError as error:
        msg = f"Expected a run file, got {str(path)!r} ({error.strerror})."
        raise InputError(msg, hint="Give a file that 'spanproof eval --output' wrote.") from error
    return parse_run(raw)


def check_output(path: Path) -> None:
    """Raise OutputError where no file can be written: before anything is judged, not after."""
    if not path.absolute().parent.is_dir() or (path.exists() and not path.is_file()):
        # A device or a pipe would be replaced by the file, not written to.
        msg = f"Expected a file in a folder that is there, got {str(path)!r}."
        raise OutputError(msg, hint=_OUTPUT_HINT)


def write_run(run: EvaluationRun, path: Path) -> None:
    """Put the run there, whole or not at all; a file of that name is replaced."""
    write_bytes(dump_run(run), path)


def write_bytes(content: bytes, path: Path) -> None:
    """The same for the bytes of a report."""
    from spanproof.receipt.keys.key_files import replace_file

    try:
        replace_file(path, content, mode=0o644)
    except OSError as error:
        msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
        raise OutputError(msg, hint=_OUTPUT_HINT) from error
