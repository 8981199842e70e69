"""The lists of docs/how-to/other-tools.md: who refuses which tampering.

    python -m tests.oracles.table

writes them into the page.
"""

from __future__ import annotations

from tests.oracles.tamperings import ALL
from tests.oracles.verifiers import VERIFIERS
from tests.pages import find_page

PAGE = find_page("other-tools.md")
BEGIN, END = "<!-- tamperings -->\n", "<!-- /tamperings -->"
#: As the page calls them.
NAMES = {
    "sigstore": "@sigstore/verify",
    "sumdb": "sumdb",
    "openssl": "openssl",
    "securesystemslib": "securesystemslib",
}


def to_table() -> str:
    """How many each verifier refuses, and a list for each group that the same ones refuse."""
    counts = [str(sum(each in done.refused_by for done in ALL)) for each in VERIFIERS]
    lines = [
        f"| of {len(ALL)} tamperings | {' | '.join(NAMES[each] for each in VERIFIERS)} |",
        f"|---|{'---|' * len(VERIFIERS)}",
        f"| refused | {' | '.join(counts)} |",
    ]
    groups: dict[str, list[str]] = {}
    for done in ALL:
        who = ", ".join(NAMES[each] for each in VERIFIERS if each in done.refused_by)
        groups.setdefault(who, []).append(done.what)
    for who, tamperings in groups.items():
        title = f"Refused by {who}" if who else "Refused by none of them"
        lines += ["", f"{title}:", "", *(f"- {what}" for what in tamperings)]
    return "".join(line + "\n" for line in lines)


def read_page() -> str:
    """What stands in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write_page() -> None:
    """Put the lists into the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(before + BEGIN + to_table() + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    write_page()
