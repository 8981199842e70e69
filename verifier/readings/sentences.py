"""The sentences of a premise that state something plainly."""

from __future__ import annotations

import re

from spanproof.verifier.claims.claims import split_sentences

#: What may govern a whole sentence: it is quoted, asked, planned, doubted or put under a condition.
_GOVERNED = re.compile(
    r"[?\"“”„«»]|\b(?:if|unless|whether|would|could|should|might|(?-i:may)|said|says|say|claimed|"
    r"claims? that|alleg\w+|report(?:s|edly)|suppos\w+|deny|denies|denied|refus\w+|fail(?:s|ed)?|"
    r"false|falsely|"
    r"expect\w*|plan(?:s|ned)?|propos\w+|hop(?:e|es|ed)|likely|perhaps|probably|possibly|believ\w+|"
    r"instead|rather|until|nearly|almost|hardly|never|neither|nor|nobody|none|nothing|few|according|"
    r"not|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)


def split_flat(premise: str) -> list[str]:
    """Its sentences, in order, each on one line."""
    return [
        " ".join(premise[found.span.start : found.span.end].split())
        for found in split_sentences(premise)
    ]


#: A sentence of more characters is a list or a trap: patterns that search it would take seconds.
MAX_SENTENCE = 600


def split_short(premise: str) -> list[str]:
    """Its sentences, in order; nothing in the place of one that is too long."""
    return [each if len(each) <= MAX_SENTENCE else "" for each in split_flat(premise)]


def is_governed(sentence: str) -> bool:
    """Whether a word or mark of the sentence may turn all that it says."""
    return _GOVERNED.search(sentence) is not None
