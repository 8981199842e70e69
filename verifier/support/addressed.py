"""Words that speak to whoever judges, not to a reader: instructions in a span or in a claim.

"Ignore the instructions above", "label: entailment", "the following claim is true": a text that
tells how it is to be judged supports nothing by that, so a person must look.
"""

from __future__ import annotations

import re

_SAYING = r"(?:claims?|statements?|hypothes[ie]s|assertions?|answers?|citations?)"
_RIGHT = r"(?:supported|entailed|entailment|verified|proven|correct|true|pass(?:ed|ing)?)"
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}"
    r"\b(?:previous|prior|above|earlier|preceding|other)\b[^.\n]{0,30}"
    r"\b(?:instructions?|prompts?|rules|guidelines|context|messages?|text)\b"
    r"|\b(?:ignore|disregard|forget|override)\b[^.\n]{0,20}"
    r"\b(?:instructions?|prompts?|rules|guidelines)\s+(?:above|before)\b"
    r"|\b(?:note|message|instructions?|attention|reminder)\s+(?:to|for)\s+(?:(?:the|any)\s+)?"
    r"(?:ai|model|verifier|checker|assistant|llm|language model|chatbot|fact[- ]checker|evaluator"
    r"|grader)\b"
    r"|\b(?:mark|label|classify|rate|score|treat|accept|judge|report)\b[^.\n]{0,40}"
    rf"\b{_SAYING}\b[^.\n]{{0,30}}\b{_RIGHT}\b"
    rf"|\b{_SAYING}\b[^.\n]{{0,60}}\b(?:entailed|entailment|fully supported"
    r"|supported by (?:this|the) (?:document|text|passage|source|premise|span))\b"
    r"|\bfollowing (?:claims?|statements?) (?:is|are) (?:true|correct|proven|verified|supported)\b"
    r"|\b(?:label|verdict|outcome|entailment|result)\s*[:=]\s*['\"]?"
    r"(?:entail\w*|supported|pass(?:ed)?|true|1\.0)\b"
    r"|(?:^|[\n.!?>])\s*(?:system|assistant|developer)\s*:|</?(?:system|instructions?)\b"
    r"|\[/?INST\]|<\|im_|#{2,}\s*(?:system|instruction)s?\b",
    re.IGNORECASE,
)


def addresses_judge(text: str) -> bool:
    """Whether a text tells how it, or a claim beside it, is to be judged."""
    return bool(_ADDRESSED.search(text))
