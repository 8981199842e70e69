"""``verify_batch``: rows of citations → rows of verdicts, and nothing else: no row of the store.

A row is judged as an answer would be whose prose is the claim and whose one citation is the quote:
the same procedure, so the same verdict. What several citations say together, and what stands in
other documents, is a matter of whole answers and is not looked for.

The same function serves the command line, Ray, Spark's ``mapInArrow`` and any other engine.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from spanproof.core import canonical_json
from spanproof.core.budget import spending
from spanproof.core.citation import Answer, Citation, Quote
from spanproof.core.digest import Digest
from spanproof.core.span import Span
from spanproof.core.verdicts.calibration import check_calibration
from spanproof.operations.bulk.rows import check_rows, make_output_schema
from spanproof.operations.documents.source_states import with_states
from spanproof.operations.verification.budget import make_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from types import TracebackType

    import pyarrow as pa

    from spanproof.core.documents.document import Library, Source
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context

#: Documents whose text and layout are held at once; rows are judged in the order of documents.
_CACHED_SOURCES = 8
#: Verdicts held for rows that come again: about a kilobyte each.
_CACHED_VERDICTS = 20_000
#: Raised whenever a verdict's key is made of other things.
_KEY_FORMAT = 2

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A row as it is judged; ``unit`` and ``policy`` are never None here."""

    doc_hash: str
    extraction_id: str | None
    start: int | None
    end: int | None
    unit: Any
    text: str
    claim: str
    policy: str


class BatchVerifier:
    """Verifies batches of rows by the documents and the model of a context.

    Safe for several threads. It reads the store and writes nothing into it (the cache of readings
    apart, which ``SPANPROOF_CACHE_ENTRIES=0`` turns off).
    """

    def __init__(
        self,
        context: Context,
        *,
        policy: str,
        verified_at: datetime,
        workers: int | None = None,
        told: Callable[[], None] | None = None,
    ) -> None:
        """``policy`` applies to rows that name none; ``workers`` rows are judged at once.

        ``told`` is called after each row; what it raises ends the batch, and the rows in work too.
        Raises ModelError where there is no model: a run without one would say nothing.
        """
        self._model: EntailmentModel = context.require_model()
        self._context = context
        self._policy = policy
        self._told = told or (lambda: None)
        self._is_ended = threading.Event()
        self._moment = verified_at
        self._sources = _RecentValues(self._load_source, most=_CACHED_SOURCES)
        self._verdicts: OrderedDict[str, Row] = OrderedDict()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(
            workers or context.workers, thread_name_prefix="bulk-verify"
        )

    @property
    def verifier_version(self) -> str:
        """That of rows which name no policy."""
        return _to_version(self._find_policy(self._policy), self._model)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the logits are of, in their order."""
        return self._model.identity.labels

    def verify_batch(
        self, batch: pa.RecordBatch, *, where: str = "the batch", first: int = 0
    ) -> pa.RecordBatch:
        """One row of verdict for each row, in order; equal questions are judged once.

        Raises MalformedBulkError, which names the row, where one is not well formed (``where`` and
        ``first`` are for that message). A citation that cannot be verified is a row that says so.
        """
        import pyarrow as pa

        checked = check_rows(batch, where, first=first)
        pairs = [self._to_pair(fields) for fields in checked.to_pylist()]
        # In the order of documents: each is loaded once, in any order of the rows.
        unique = sorted(set(pairs), key=lambda pair: (pair.doc_hash, pair.start or 0))
        judged: dict[_Pair, Row] = {}
        try:
            for pair, row in zip(unique, self._pool.map(self._verify, unique), strict=True):
                judged[pair] = row
                self._told()
        except BaseException:
            self._is_ended.set()
            raise
        schema = make_output_schema(checked.schema.field("pair_id").type)
        columns = {
            name: [judged[pair][name] for pair in pairs]
            for name in schema.names
            if name != "pair_id"
        }
        arrays = [
            checked.column("pair_id")
            if field.name == "pair_id"
            else pa.array(columns[field.name], field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def close(self) -> None:
        """End the threads; the caller closes the context."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _to_pair(self, fields: Row) -> _Pair:
        return _Pair(
            doc_hash=fields["doc_hash"],
            extraction_id=fields.get("extraction_id"),
            start=fields["char_start"],
            end=fields["char_end"],
            unit=fields.get("unit") or "codepoint",
            text=fields["span_text"],
            claim=fields["claim"],
            policy=fields.get("policy") or self._policy,
        )

    def _verify(self, pair: _Pair) -> Row:
        answer = _to_answer(pair)
        library = self._sources.get(pair.doc_hash)
        policy = self._find_policy(pair.policy)
        key = self._to_key(pair, answer, library, policy)
        with self._lock:
            known = self._verdicts.get(key)
            if known is not None:
                self._verdicts.move_to_end(key)
                return known
        from spanproof.verifier.verify import verify

        budget = make_budget(self._context.settings, self._require_going_on)
        with spending(budget):
            block = verify(answer, library, self._model, policy, verified_at=self._moment)
        row = _to_row(block) | {"verdict_key": key}
        if budget.is_spent:
            # Another time it may come further.
            return row
        with self._lock:
            self._verdicts[key] = row
            while len(self._verdicts) > _CACHED_VERDICTS:
                self._verdicts.popitem(last=False)
        return row

    def _require_going_on(self) -> None:
        if self._is_ended.is_set():
            raise CancelledError

    def _to_key(self, pair: _Pair, answer: Answer, library: Library, policy: Policy) -> str:
        """SHA-256 over everything that decides the verdict: equal keys have equal verdicts.

        The texts in which it was looked stand for the premise: their ids digest their words.
        """
        from spanproof.verifier.identity.standing import check_standing
        from spanproof.verifier.identity.superseded import find_superseding

        identity = self._model.identity
        scope = check_calibration(identity.record, identity.weights_digest, answer, self._moment)
        source: Source | None = next(iter(library.sources), None)
        named = None if pair.extraction_id is None else Digest.parse(pair.extraction_id)
        read = None if source is None else source.find_extraction(named)
        newest = None if source is None or read is None else find_superseding(source, read)
        state = None if source is None else source.state
        standing = check_standing(state, generated_at=None, verified_at=self._moment)
        return str(
            canonical_json.digest(
                [
                    _KEY_FORMAT,
                    _to_version(policy, self._model),
                    scope.status.value,
                    list(standing),
                    pair.doc_hash,
                    pair.extraction_id,
                    None if read is None else str(read.extraction_id),
                    None if newest is None else str(newest.extraction_id),
                    pair.start,
                    pair.end,
                    pair.unit,
                    pair.text,
                    pair.claim,
                ]
            )
        )

    def _load_source(self, doc_hash: str) -> Library:
        known = self._context.store.documents.load_library([Digest.parse(doc_hash)], [])
        return with_states(self._context, known, until=self._moment)

    def _find_policy(self, name: str) -> Policy:
        from spanproof.verifier.policies import load_policy

        return load_policy(name)


class _RecentValues:
    """The newest few values by key; the first caller loads a value, the others wait."""

    def __init__(self, load: Callable[[str], Library], *, most: int) -> None:
        self._load = load
        self._most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[str, _Slot] = OrderedDict()

    def get(self, key: str) -> Library:
        """The value; pass on an error of loading, and load again at the next call."""
        with self._lock:
            slot = self._values.setdefault(key, _Slot())
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        with slot.lock:
            if slot.value is None:
                slot.value = self._load(key)
            return slot.value


class _Slot:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value: Library | None = None


def _to_answer(pair: _Pair) -> Answer:
    from spanproof.verifier.formats.grammars.tokenizer import find_anchors

    citation = Citation(
        anchor=1,
        quote=Quote(text=pair.text, start=pair.start, end=pair.end, unit=pair.unit),
        doc_hash=Digest.parse(pair.doc_hash),
        extraction_id=None if pair.extraction_id is None else Digest.parse(pair.extraction_id),
        segment=Span(0, len(pair.claim)),
    )
    # Markers are blanked out of what the model reads, as in an answer.
    return Answer(prose=pair.claim, anchors=find_anchors(pair.claim), citations=(citation,))


def _to_row(block: VerificationBlock) -> Row:
    (verdict,) = block.verdicts
    support, span = verdict.support, verdict.existence.span
    extraction = verdict.identity.extraction_id
    return {
        "extraction_id": None if extraction is None else str(extraction),
        "identity_status": verdict.identity.status.value,
        "existence_status": verdict.existence.status.value,
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
        "support_status": support.status.value,
        "support_reason": support.reason,
        "p_entailment": support.p_entailment,
        "p_neutral": support.p_neutral,
        "p_contradiction": support.p_contradiction,
        "logits": [logit for _, logit in support.logits],
        "outcome": verdict.outcome.value,
        "codes": list(verdict.codes),
        "verifier_version": block.verifier_version,
    }


def _to_version(policy: Policy, model: EntailmentModel) -> str:
    from spanproof.verifier.version import verifier_version

    return verifier_version(policy, model.identity)


def count_outcomes(batch: pa.RecordBatch) -> dict[str, int]:
    """How many rows came to each outcome, by name, those that did alone."""
    import pyarrow.compute as pc

    counted: Sequence[Row] = pc.value_counts(batch.column("outcome")).to_pylist()
    return {each["values"]: each["counts"] for each in sorted(counted, key=lambda e: e["values"])}
