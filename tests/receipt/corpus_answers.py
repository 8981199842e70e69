"""The answers of the golden corpus: each comes to something else, or was given in another form."""

from __future__ import annotations

from typing import Any

from spanproof.core.digest import Digest

#: Two texts, one with characters beyond the BMP before what is cited.
RULES = (
    "1. Payment 😀\n"
    "Approved invoices are paid within four business days of their receipt.\n"
    "Late payments carry interest of 3.5 per cent a year.\n"
    "Approved invoices are archived.\n"
    "2. Safety\n"
    "Fire alarms are tested every week, on the same day and at the same hour.\n"
    "Fire doors are inspected every six months by a competent person.\n"
    "Approved invoices are archived.\n"
)
LEASE = (
    "The tenant pays the rent on the first day of each month.\n"
    "The landlord insures the building against fire.\n"
)
TEXTS = {"rules": RULES, "lease": LEASE}
PAID = "Approved invoices are paid within four business days of their receipt."
INTEREST = "Late payments carry interest of 3.5 per cent a year."
ALARMS = "Fire alarms are tested every week, on the same day and at the same hour."
DOORS = "Fire doors are inspected every six months by a competent person."
RENT = "The tenant pays the rent on the first day of each month."
CLAIM = "Approved invoices are paid within four business days"


def list_answers() -> dict[str, tuple[dict[str, Any], tuple[str, ...]]]:
    """Payload and options of 'spanproof verify', by the name of the receipt."""
    start = RULES.index(PAID)
    exact = span(PAID, start)
    rules = str(Digest.of(RULES.encode()))
    lease = str(Digest.of(LEASE.encode()))
    return {
        "exact": (answer(f"{CLAIM} [1].", cite(1, **exact)), ()),
        "exact_under_strict": (
            answer(f"{CLAIM} [1].", cite(1, doc_hash=rules, **exact)),
            ("--policy", "strict"),
        ),
        "exact_under_review": (answer(f"{CLAIM} [1].", cite(1, **exact)), ("--policy", "review")),
        "without_offsets": (answer(f"{CLAIM} [1].", cite(1, text=PAID)), ()),
        "moved": (answer(f"{CLAIM} [1].", cite(1, **span(PAID, start + 9))), ()),
        "offsets_in_utf16": (
            answer(f"{CLAIM} [1].", cite(1, unit="utf16", **span(PAID, start + 1))),
            (),
        ),
        "folded_white_space": (
            answer(f"{CLAIM} [1].", cite(1, text=PAID.replace("business ", "business\n"))),
            (),
        ),
        "ambiguous": (
            answer(
                "Approved invoices are archived [1].",
                cite(1, text="Approved invoices are archived."),
            ),
            (),
        ),
        "altered_number": (
            answer(
                "Late payments carry interest of 5.5 per cent a year [1].",
                cite(1, text=INTEREST.replace("3.5", "5.5")),
            ),
            (),
        ),
        "absent": (
            answer(
                "Suppliers are paid in gold [1].",
                cite(1, text="Every supplier is paid in gold coins at noon."),
            ),
            (),
        ),
        "stitched": (
            answer(f"{CLAIM}, and alarms are tested [1].", cite(1, text=f"{PAID} {ALARMS}")),
            (),
        ),
        "misattributed": (
            answer("The tenant pays the rent monthly [1].", cite(1, text=RENT))
            | {"documents": [rules, lease]},
            (),
        ),
        "hash_mismatch": (
            answer(f"{CLAIM} [1].", cite(1, doc_hash=str(Digest.of(b"other")), **exact)),
            (),
        ),
        "unknown_document": (
            answer(f"{CLAIM} [1].", cite(1, doc_id="nobody", **exact)),
            (),
        ),
        "contradicted": (answer("Fire alarms are never tested [1].", cite(1, text=ALARMS)), ()),
        "neutral": (answer("Fire doors are painted red [1].", cite(1, text=DOORS)), ()),
        "orphan_anchor": (answer(f"{CLAIM} [1][2].", cite(1, **exact)), ()),
        "without_citations": (answer(f"{CLAIM}."), ()),
        "abstention": (answer("I cannot say.") | {"answer_kind": "abstention"}, ()),
        "repaired": (
            answer(f"{CLAIM}.") | {"documents": [rules]},
            ("--repair",),
        ),
        "two_documents": (
            answer(
                f"{CLAIM} [1]. The rent is paid on the first day of each month [2].",
                cite(1, **exact),
                cite(2, doc_id="lease", text=RENT),
            ),
            (),
        ),
        "thirty_citations": (
            answer(
                " ".join(f"{CLAIM} [{number}]." for number in range(1, 31)),
                *(cite(number, **exact) for number in range(1, 31)),
            ),
            (),
        ),
        "markers": (
            {
                "response": f"{CLAIM} [citation:rules:c1].",
                "retrieved": [
                    {
                        "chunk_id": "c1",
                        "doc_id": "rules",
                        "char_start": start,
                        "char_end": start + len(PAID),
                        "text": PAID,
                    }
                ],
            },
            ("--format", "chunk"),
        ),
        "anthropic": (
            {
                "response": {
                    "type": "message",
                    "role": "assistant",
                    "content": [
                        {
                            "type": "text",
                            "text": f"{CLAIM}.",
                            "citations": [
                                {
                                    "type": "char_location",
                                    "cited_text": PAID,
                                    "document_index": 0,
                                    "document_title": None,
                                    "start_char_index": start,
                                    "end_char_index": start + len(PAID),
                                }
                            ],
                        }
                    ],
                },
                "documents": [{"index": 0, "doc_id": "rules"}],
            },
            ("--format", "anthropic"),
        ),
    }


def answer(prose: str, *citations: dict[str, Any]) -> dict[str, Any]:
    """An answer in the native format."""
    return {"answer": prose, "citations": list(citations)}


def cite(anchor: int, *, doc_id: str = "rules", **given: Any) -> dict[str, Any]:
    """A citation; ``doc_hash`` goes beside ``doc_id``, all else into the span."""
    hashed = {"doc_hash": given.pop("doc_hash")} if "doc_hash" in given else {}
    return {"anchor": anchor, "doc_id": doc_id, **hashed, "span": given}


def span(text: str, start: int) -> dict[str, Any]:
    """A quote at offsets."""
    return {"text": text, "char_start": start, "char_end": start + len(text)}
