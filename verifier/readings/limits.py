"""One wording for two texts: limits of amounts and time, duties, permissions, who is counted.

"No later than 30 June" is "by 30 June", "aged 12 or over" is "at least 12 years", "is prohibited
from leaving" is "must not leaving": forms of a verb are compared by their root.
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType

_NUMBER = (
    r"(?:(?:[$€£]\s?|(?-i:[A-Z]{3}) )?\d(?:[\d.,]*\d)?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|sixteen|eighteen"
    r"|twenty|thirty|forty|fifty|sixty)"
)
_SPAN = r"(?:hours?|(?:working |business |calendar )?days?|weeks?|months?|years?)"
#: What begins a period that is counted from it.
_EVENT = (
    r"(?=(?:the )?(?:receiving|receipt|notification|notice|delivery|purchase|publication|arrival"
    r"|discharge|expiry|termination|signing|signature|completion|learning|date of)\b)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_POINT = (
    rf"(?:\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH}(?: \d{{4}})?|[-−]?\d[\d.,]*(?:\s?(?:%|°C|°F))?)"
)
_DATE = rf"(?:\d{{1,2}} {_MONTH}|{_MONTH} \d|\d{{4}}\b)"
_SINCE = r"as (?:of|from) |(?:starting|beginning) (?:(?:from|on) )?"
_MOST = "not exceeding|at most|(?:up to )?a maximum of"
_OVER = "over|above|in excess of|exceeding|greater than"
#: "Every day" tells how often.
_PERIOD = r"day|week|month|year|time|second|minute|hour|other"
_AMOUNT = rf"(?={_NUMBER}\b)"
#: A wording and what it is written as; each says the same to any reader.
_WORDINGS = tuple(
    (re.compile(rf"\b(?:{wording})", re.IGNORECASE), plain)
    for wording, plain in (
        # Time.
        (rf"(?:no|not) later than (?={_NUMBER} {_SPAN} after\b)", "within "),
        (r"(?:no|not) later than ", "by "),
        (rf"(within {_NUMBER} {_SPAN}) of {_EVENT}", r"\1 after "),
        (
            rf"(?:effective (?:(?:from|on|as of) )?|with effect from |{_SINCE})(?={_DATE})",
            "from ",
        ),
        (
            rf"({_NUMBER}) ((?:calendar |working |business )?{_SPAN}) in a row\b",
            r"\1 consecutive \2",
        ),
        (rf"one (?={_SPAN} (?:earlier|later|ago|before|after)\b)", "a "),
        (r"preceding (?=(?:the|a|an|this|its|his|her|their) )", "before "),
        (rf"between ({_POINT}) and (?={_POINT})", r"from \1 to "),
        # Amounts.
        (
            rf"aged ({_NUMBER})(?: years)?(?: or|, or| and) (?:older|above|over)\b",
            r"aged at least \1 years",
        ),
        (
            rf"({_NUMBER})( ?%| {_SPAN})? (?:or|and) (?:more|above|over|older|longer|higher)\b",
            r"at least \1\2",
        ),
        (rf"(?:(?:no|not) (?:less|fewer) than|a minimum of) {_AMOUNT}", "at least "),
        (
            rf"(?:(?:no|not) (?:more|longer|later|higher|greater) than|{_MOST}) {_AMOUNT}",
            "up to ",
        ),
        (rf"(?:under|below) the age of {_AMOUNT}", "under "),
        (rf"younger than {_AMOUNT}(?!\S+ (?:months|weeks|days))", "under "),
        (rf"(?:over|above) the age of {_AMOUNT}", "over "),
        (rf"older than {_AMOUNT}(?!\S+ (?:months|weeks|days))", "over "),
        # "Over 3 hours" may be during them.
        (rf"(?<!no )(?<!not )(?:{_OVER}) {_AMOUNT}(?!{_NUMBER} {_SPAN})", "more than "),
        (rf"(?<!no )(?<!not )(?:under|fewer than|below) {_AMOUNT}", "less than "),
        (rf"(?:stood at|amounted to|came to|totalled) {_AMOUNT}", "was "),
        (r"(?:compared to|versus|vs\.?) (?=\S)", "compared with "),
        # Duties and permissions.
        (r"(?:has|have) the right to ", "may "),
        (r"(?:has|have) to (?=[a-z])", "must "),
        (r"(?:is|are) (?:obliged|obligated|required) to ", "must "),
        (r"(?:is|are) (?:prohibited|forbidden|barred) from (?=[a-z]+ing\b)", "must not "),
        (r"shall ", "must "),
        (r"(?:is|are) not (?:allowed|permitted) to ", "may not "),
        (r"subject to (?=(?:[\w’']+ ){0,3}(?:approval|consent|permission|agreement)\b)", "with "),
        # Who and what.
        (
            r"((?:meeting|hearing|session|election|conference|ceremony|event)s?) held (?=on|in|at)",
            r"\1 ",
        ),
        (r"(?:with the exception of|apart from|other than|except for) ", "except "),
        (rf"every (?!{_PERIOD}|{_NUMBER}\b)", "all "),
        (r"(?:anyone|anybody|any person) ", "a person "),
        (r"either (?=[^,;:.]{1,80} or )", ""),
        (r"both (?=[^,;:.]{1,80} and )", ""),
        (r"not (?=(?:known|certain|clear|able)\b)", "un"),
    )
)
_ONE_IN = re.compile(
    r"\b(?:one|1) (?:in|out of)(?: every)? (?P<n>two|three|four|five|eight|ten|twenty|\d{1,4})\b"
    r"(?=(?: of the)? [a-z])",
    re.IGNORECASE,
)
_COUNTS = MappingProxyType(
    {"two": 2, "three": 3, "four": 4, "five": 5, "eight": 8, "ten": 10, "twenty": 20}
)
_MOST_DIGITS = 4


def write_limits(text: str) -> str:
    """The text with one wording for each of these; what is written so already stays as it is."""
    for wording, plain in _WORDINGS:
        text = wording.sub(plain, text)
    return _ONE_IN.sub(_to_share, text)


def _to_share(found: re.Match[str]) -> str:
    count = _COUNTS.get(found["n"].lower()) or int(found["n"])
    share = str((Decimal(100) / count).normalize()) if count else "."
    # One in three is no round share.
    return f"{share} % of" if len(share) <= _MOST_DIGITS and "E" not in share else found.group()
