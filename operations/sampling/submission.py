"""A submitted payload → the facts that are stored before its verification."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.monitor.sampling import Randomness, RandomnessSource, draw, read_trace
from spanproof.store.names import MAX_LABEL_CHARACTERS, check_name
from spanproof.store.samples.records import NewAnswer

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.verifier.formats.parsed import AnswerFacts

#: W3C trace context, version 00: https://www.w3.org/TR/trace-context/#traceparent-header
_TRACE_PARENT = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
_TRACE_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
#: What W3C asks everybody to carry.
MAX_TRACE_STATE_CHARACTERS = 512
#: Where an answer cites several versions of indexes.
SEVERAL = "several"
#: Stands in the row of an answer that is drawn later; it decides nothing.
_UNDRAWN = Randomness(value=0, source=RandomnessSource.COSIGNATURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One answer that came in, well formed; ``trace_id`` is a real one or None."""

    raw: bytes
    digest: Digest
    answer_id: str
    format: str
    policy: str | None
    given_at: datetime | None
    model: str | None
    index_version: str | None
    trace_id: str | None
    trace_state: str | None

    def decide(
        self, plan: MonitoringPlan, key: bytes, *, tenant: str, keeps_words: bool = True
    ) -> NewAnswer:
        """The answer with its decision: the same plan, key and answer decide alike for ever.

        Where a witness draws, the decision comes later: till then the bytes of each are kept. So
        are those of a chosen answer until it is judged, also where the store keeps no words.
        """
        keeps_every = keeps_words and plan.keeps_every_payload
        is_late = plan.draw is not None and plan.draw.witness is not None
        fields = {"tenant": tenant, "model": self.model, "index_version": self.index_version}
        is_traced = plan.trusts_trace_ids and self.trace_id is not None
        randomness = (
            _UNDRAWN
            if is_late
            else draw_answer(
                key,
                self.answer_id,
                trace_id=self.trace_id if is_traced else None,
                trace_state=self.trace_state,
            )
        )
        decision = plan.sampling.decide(plan.find_stratum(fields), randomness)
        return NewAnswer(
            answer_id=self.answer_id,
            given_at=self.given_at,
            payload_digest=self.digest,
            byte_length=len(self.raw),
            format=self.format,
            policy=self.policy,
            tenant=tenant,
            model=self.model,
            index_version=self.index_version,
            stratum=decision.stratum,
            # Kept where it does not decide too: the answers of one trace are counted as one.
            trace_id=self.trace_id,
            trace_state=self.trace_state if is_traced else None,
            source=randomness.source.value,
            randomness=randomness.value,
            threshold=decision.threshold,
            is_sampled=decision.is_sampled and not is_late,
            raw=self.raw if decision.is_sampled or is_late or keeps_every else None,
            is_drawn=not is_late,
        )


def draw_answer(
    key: bytes, answer_id: str, *, trace_id: str | None, trace_state: str | None
) -> Randomness:
    """The bits of an answer: its trace's, or without one the key's."""
    if trace_id is None:
        return draw(key, answer_id)
    return read_trace(trace_id, trace_state or "")


def read_submission(  # noqa: PLR0913 - what a caller may choose
    raw: bytes,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    default_policy: str = "balanced",
    trace_parent: str | None = None,
    trace_state: str | None = None,
    answer_id: str | None = None,
) -> Submission:
    """Read a payload as ``POST /v1/verifications`` does; InputError for anything but an answer.

    ``answer_id`` is given to an answer that names none, instead of a random one.
    The answer's own trace id wins over the request's; ``trace_state`` is the request's, and counts
    for the trace that it came with.
    """
    from spanproof.verifier.formats.registry import parse_names, read_facts

    answer = read_facts(raw, format)
    # What cannot be verified later is refused now.
    _check_policy(policy or answer.policy or default_policy)
    trace_id, state = _find_trace(answer.trace_id, trace_parent, trace_state)
    model = None if answer.generator is None else answer.generator.model
    return Submission(
        raw=raw,
        digest=Digest.of(raw),
        answer_id=check_name("answer_id", answer.answer_id or answer_id or str(uuid.uuid4())),
        format=",".join(parse_names(format)),
        policy=policy,
        given_at=answer.generated_at,
        model=_shorten(model),
        index_version=_shorten(_find_index_version(answer)),
        trace_id=trace_id,
        trace_state=state,
    )


@cache
def _check_policy(name: str) -> None:
    """Raise UnknownPolicyError for an unknown name; look up a known name once."""
    from spanproof.verifier.policies import load_policy

    load_policy(name)


def _find_trace(
    own: str | None, parent: str | None, state: str | None
) -> tuple[str | None, str | None]:
    match = _TRACE_PARENT.fullmatch(parent or "")
    of_request = match[1] if match else None
    trace_id = next((each for each in (own, of_request) if _is_trace(each)), None)
    # A state that is too long or of another trace counts as none, as a malformed one does.
    # So does one without its traceparent: W3C asks to leave it aside.
    is_fitting = of_request == trace_id and len(state or "") <= MAX_TRACE_STATE_CHARACTERS
    return trace_id, state if trace_id is not None and is_fitting else None


def _is_trace(text: str | None) -> bool:
    """Whether it is a W3C trace id: other names of traces are names, and no randomness."""
    return text is not None and _TRACE_ID.fullmatch(text) is not None and int(text, 16) > 0


def _find_index_version(answer: AnswerFacts) -> str | None:
    found = {each.index_version for each in answer.citations if each.index_version is not None}
    return None if not found else found.pop() if len(found) == 1 else SEVERAL


def _shorten(label: str | None) -> str | None:
    return None if label is None else label[:MAX_LABEL_CHARACTERS]
