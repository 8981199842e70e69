"""Runs in the peers' environment, without this project: cases in, one line of answers for each.

``python peer_runner.py NAME < cases.jsonl`` prints the peer's version, then ``[lie, truth]`` for
each case: whether it believes the mutated quote, and whether it believes the true one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def load_linkml() -> Callable[[str, str], bool]:
    """The validator as it is used without fetching: text in, found or not out."""
    from linkml_reference_validator.models import ReferenceContent, ReferenceValidationConfig
    from linkml_reference_validator.validation.supporting_text_validator import (
        SupportingTextValidator,
    )

    validator = SupportingTextValidator(ReferenceValidationConfig())

    def judge(quote: str, text: str) -> bool:
        reference = ReferenceContent(reference_id="TEXT:1", content=text)
        return bool(validator.find_text_in_reference(quote, reference).found)

    return judge


def load_ragas() -> Callable[[str, str], bool]:
    """The metric on an answer that consists of the quote alone: a score of one accepts it."""
    from ragas.metrics.collections.quoted_spans import QuotedSpansAlignment

    metric = QuotedSpansAlignment()
    loop = asyncio.new_event_loop()

    def judge(quote: str, text: str) -> bool:
        answer = f"It says “{quote}”."
        score = loop.run_until_complete(metric.ascore(response=answer, retrieved_contexts=[text]))
        return bool(score.value == 1.0)

    return judge


def load_langextract(*, exact: bool) -> Callable[[str, str], bool]:
    """The aligner with its defaults: any interval is grounding, or only MATCH_EXACT."""
    from langextract.core.data import AlignmentStatus, Extraction
    from langextract.resolver import WordAligner

    def judge(quote: str, text: str) -> bool:
        extraction = Extraction(extraction_class="quote", extraction_text=quote)
        ((aligned,),) = WordAligner().align_extractions([[extraction]], text)
        if exact:
            return bool(aligned.alignment_status is AlignmentStatus.MATCH_EXACT)
        return aligned.char_interval is not None

    return judge


LOADERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "linkml-reference-validator": ("linkml-reference-validator", load_linkml),
    "ragas": ("ragas", load_ragas),
    "langextract": ("langextract", lambda: load_langextract(exact=False)),
    "langextract-exact": ("langextract", lambda: load_langextract(exact=True)),
}


def main() -> None:
    """Answer every case of standard input."""
    package, load = LOADERS[sys.argv[1]]
    logging.disable(logging.CRITICAL)
    judge = load()
    print(metadata.version(package))
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps([judge(case[key], case["text"]) for key in ("mutated", "quote")]))


if __name__ == "__main__":
    main()
