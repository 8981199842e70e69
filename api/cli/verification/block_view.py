"""A verification block for the terminal: one line a verdict with outcome, axes and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.verdicts.groups import describe_threshold
from spanproof.core.verdicts.headline import count_passing

if TYPE_CHECKING:
    from rich.text import Text

STYLES = {
    "pass": "bold green",
    "review": "bold yellow",
    "fail": "bold red",
    "error": "bold magenta",
}


def render_block(response: dict[str, Any]) -> list[Text]:
    """The lines of a response: the result, each verdict, and uncited text."""
    block = response["verification"]
    lines = [_head(block)]
    lines.extend(render_verdict(verdict, block) for verdict in block["verdicts"])
    lines.extend(_tail(block))
    return lines


def render_verdict(verdict: dict[str, Any], block: dict[str, Any]) -> Text:
    """One line: anchor, outcome, each axis, the reason and the difference."""
    from rich.text import Text

    outcome, support = verdict["outcome"], verdict["support"]
    line = Text.assemble(
        (f"[{verdict['anchor']}] ", "bold"),
        (f"{outcome.upper():<7}", STYLES[outcome]),
        f"{_words(verdict):<34}",
    )
    probability = support["p_entailment"]
    needed = describe_threshold(block, support)
    beside = f"({needed}) " if needed else ""
    line.append("p=  –   " if probability is None else f"p={probability:.3f} {beside}", "dim")
    line.append(verdict["notes"])
    for edit in (verdict["existence"]["difference"] or {"edits": []})["edits"]:
        if edit["quote"] in verdict["notes"] and edit["source"] in verdict["notes"]:
            continue  # the note says it already
        line.append(f" quote {_quoted(edit['quote'])}", "red")
        line.append(f" source {_quoted(edit['source'])}", "green")
    return line


def _head(block: dict[str, Any]) -> Text:
    from rich.text import Text

    return Text.assemble(
        (f"Result {block['result'].upper()}", STYLES[block["result"]]),
        f"   {count_passing(block)}"
        f"   recommended: {block['recommended_action']}   policy {block['policy']['name']}"
        f"   model {block['model']['name']}",
    )


def _tail(block: dict[str, Any]) -> list[Text]:
    from rich.text import Text

    rows = (
        ("Anchors without a citation: ", [f"[{row['anchor']}]" for row in block["orphan_anchors"]]),
        (
            "Marks that look like citations and are not read: ",
            [row["text"] for row in block.get("unread_citations", ())],
        ),
        ("Citations without an anchor: ", [str(index) for index in block["unused_citations"]]),
        (
            "Sentences without a citation: ",
            [f"{row['start']}..{row['end']}" for row in block["uncited_sentences"]],
        ),
        # Blocks of older procedures have none.
        (
            "Texts without a document, which to ingest for a receipt on it: ",
            [str(row["doc_id"] or row["chunk_id"]) for row in block.get("snippets", ())],
        ),
    )
    return [Text(label + ", ".join(items), "yellow") for label, items in rows if items]


def _words(verdict: dict[str, Any]) -> str:
    identity = verdict["identity"]["status"]
    words = [] if identity == "MATCH" else [identity]
    words += [verdict["existence"]["status"], verdict["support"]["status"]]
    if verdict["locator"]["status"] == "MISMATCH":
        words.append("wrong place")
    return " ".join(words)


def _quoted(words: str) -> str:
    return f"“{' '.join(words.split())}”"
