"""Words by which a heading, a label or another sentence turns what it stands over or speaks of.

"Myth: …", "The following are prohibited: …", "This clause is void." Data only, lower case, by the
kind of operator that each word is.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind

_ENGLISH: Mapping[OperatorKind, str] = MappingProxyType(
    {
        "falsehood": (
            "false untrue incorrect wrong inaccurate erroneous myth myths misconception"
            " misconceptions hoax hoaxes fake lie lies fiction fictional debunked disproved refuted"
            " fabricated reject rejects dispute disputes deny denies refute refutes"
            " forged bogus nonsense baseless unfounded retracted misquoted"
        ),
        "negation": (
            "prohibited forbidden banned repealed revoked void invalid withdrawn cancelled canceled"
            " rejected excluded exclusion exclusions abandoned superseded obsolete deprecated"
            " discontinued suspended terminated"
            " deleted abolished disallowed annulled overturned quashed unlawful illegal illicit"
            " unacceptable impermissible expired replaced struck outdated uninsured unsupported"
        ),
        "exception": "exception exceptions exempt exemption exemptions",
        "condition": "hypothetical hypothetically suppose supposing imagine assume assumption",
        "modality": (
            "draft drafts proposed proposal proposals planned tentative simulation simulated"
            " fictitious example examples sample template satire joke unconfirmed unverified"
        ),
        "attribution": "alleged allegation allegations allegedly rumour rumours rumor rumors",
        "question": "question questions quiz unknown unclear undecided undetermined unproven",
    }
)
_WORDS: Mapping[Locale, Mapping[str, OperatorKind]] = MappingProxyType(
    {
        "en": MappingProxyType(
            {word: kind for kind, words in _ENGLISH.items() for word in words.split()}
        )
    }
)


def turns_of(locale: Locale) -> Mapping[str, OperatorKind]:
    """Every word that turns, with its kind."""
    return _WORDS[locale]
