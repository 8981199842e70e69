"""The table of docs/how-to/other-tools.md: who refuses which tampering.

    python -m tests.oracles.table

writes it into the page.
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
    """A line for each tampering, and how many each verifier refuses."""
    names = [NAMES[each] for each in VERIFIERS]
    counts = [str(sum(each in done.refused_by for done in ALL)) for each in VERIFIERS]
    lines = [
        f"| What was done | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
        *(
            f"| {done.what} | "
            + " | ".join("refuses" if each in done.refused_by else "–" for each in VERIFIERS)
            + " |"
            for done in ALL
        ),
        f"| **{len(ALL)} tamperings, refused** | {' | '.join(counts)} |",
    ]
    return "".join(line + "\n" for line in lines)


def read_page() -> str:
    """What stands in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write_page() -> None:
    """Put the table into the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(before + BEGIN + to_table() + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    write_page()
