"""All sets, and the table of docs/reference/conformance.md that counts them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.conformance import forms, signatures, sigstore, timestamps, trees
from tests.pages import find_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conformance.vectors import LeftOut, VectorSet

PAGE = find_page("conformance.md")
BEGIN, END = "<!-- vectors -->\n", "<!-- /vectors -->"

#: Folder of ``vectors/`` → who reads it; in the order of the table.
LOADERS: dict[str, Callable[[Path], Iterator[VectorSet]]] = {
    trees.MERKLE: trees.load_merkle,
    trees.TESSERA: trees.load_tessera,
    forms.C2SP: forms.load_c2sp,
    sigstore.SIGSTORE: sigstore.load_sigstore,
    forms.DSSE: forms.load_dsse,
    forms.JCS: forms.load_jcs,
    signatures.WYCHEPROOF: signatures.load_wycheproof,
    signatures.CCTV: signatures.load_cctv,
    timestamps.RFC3161: timestamps.load_rfc3161,
}
_LEFT_OUT: dict[str, Callable[[Path], Iterator[LeftOut]]] = {
    trees.MERKLE: trees.list_left_out,
    sigstore.SIGSTORE: sigstore.list_left_out,
}


def load_all(vectors: Path) -> list[VectorSet]:
    """Every set of every folder."""
    return [found for folder, load in LOADERS.items() for found in load(vectors / folder)]


def to_text(vectors: Path) -> str:
    """Where the vectors come from, how many there are of each set, and what was left out."""
    found = load_all(vectors)
    lines = [
        "| Set | Question | Answered by | Vectors | Of these accepted |",
        "|---|---|---|---|---|",
        *(
            f"| {each.folder} | {each.question} | `{each.ours.replace(', ', '`, `')}` "
            f"| {len(each.vectors)} | {'–' if each.accepted is None else each.accepted} |"
            for each in found
        ),
        f"| **in all** | | | **{sum(len(each.vectors) for each in found)}** | |",
        "",
        "Sources:",
        "",
        *_list_sources(vectors),
        "",
        "Left out:",
        "",
        *(
            f"- {left.folder}, {left.count}: {left.reason}"
            for folder, list_left_out in _LEFT_OUT.items()
            for left in list_left_out(vectors / folder)
        ),
    ]
    return "".join(line + "\n" for line in lines)


def read_page() -> str:
    """What stands in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write_page(vectors: Path) -> None:
    """Put the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + to_text(vectors) + END + after, encoding="utf-8")


def _list_sources(vectors: Path) -> Iterator[str]:
    manifest = json.loads((vectors / "MANIFEST.json").read_text(encoding="utf-8"))
    by_set = {each["set"]: each for each in manifest}
    for folder in LOADERS:
        source = by_set[folder]
        yield f"- {folder}: `{source['repo']}` at `{source['commit']}` ({source['date']})"
