"""Sources and pairs in the groups that a reader asks about: grounding, and premises by length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.evaluation.metrics import Array
    from training.pairs import Pair

#: What the product meets: a sentence of an answer or a summary against the passage that it cites.
#: Each with why it counts as such; what is not here is a caption, a table, a question turned into
#: a claim, or a sentence against one other sentence.
GROUNDING = {
    "attrbench_attributedqa": "a model's answer against the passage it cites",
    "attrbench_expertqa": "a sentence of a model's answer against the page it cites",
    "attrbench_lfqa": "a sentence of a long answer against retrieved passages",
    "attrbench_stanford_gensearch": "a sentence of an answer engine against the page it cites",
    "begin_cmu": "a dialogue reply against the passage it was given",
    "begin_tc": "a dialogue reply against the passage it was given",
    "begin_wow": "a dialogue reply against the sentence it was given",
    "bump": "a summary sentence, one error written into it by a person, against the news text",
    "expertqa": "a claim of a model's answer against the evidence it cites",
    "factcg_cg2c_doc": "a generated claim against the news text it needs several sentences of",
    "scu_pyrxsum": "a content unit against a system's summary",
    "scu_realsumm": "a content unit against a system's summary",
    "sufficientfacts_hover": "a claim that needs several sentences against the cited passages",
    "summedits_news": "an edited summary against its text",
    "summedits_podcast": "an edited summary against its transcript",
    "summedits_sales_call": "an edited summary against its transcript",
    "summedits_scitldr": "an edited summary against its abstract",
    "wice_claim": "a sentence of an encyclopaedia against the web page it cites",
    "wice_subclaim_partial": "a part of such a sentence against the web page it cites",
}

#: Words of a premise, half-open.
LENGTHS = ((0, 50), (50, 150), (150, 300), (300, 600), (600, 1200), (1200, None))


def name_length(low: int, high: int | None) -> str:
    """``50 to 149`` or ``1200 and more``."""
    return f"{low} and more" if high is None else f"{low} to {high - 1}"


def count_words(pairs: Sequence[Pair]) -> Array:
    """Words of each premise."""
    return np.array([len(pair.premise.split()) for pair in pairs])
