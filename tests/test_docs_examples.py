"""The examples of the documentation are executed: what they show is what comes out."""

from __future__ import annotations

import json
import re
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.documents.layout import Layout
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verified_answer import VerifiedAnswer
from spanproof.ingest import extract
from spanproof.verifier.formats.grammars import table
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_library
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at
from tests.pages import ROOT, find_page, matches_output, read_page

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.packed_numbers import Ints


def read_example(page: str, name: str) -> str:
    """What stands between the example's markers, without its fence."""
    pattern = (
        rf"<!-- example: {re.escape(name)} -->\n(?:```\w*\n)?(.*?)(?:\n```)?\n<!-- /example -->"
    )
    found = re.search(pattern, read_page(page), re.DOTALL)
    assert found, f"no example {name!r} in {page}"
    return found.group(1)


def test_the_identity_example_is_what_ingesting_gives() -> None:
    document = read_example("canonical-text.md", "document") + "\n"
    expected = json.loads(read_example("canonical-text.md", "identity"))
    extraction = extract(document.encode("utf-8"), filename="policy.txt")
    got = {
        "doc_hash": str(extraction.document.doc_hash),
        "pipeline_config": extraction.pipeline.config_json,
        "pipeline_digest": str(extraction.pipeline.digest),
        "text_sha256": str(extraction.text.digest),
        "extraction_id": str(extraction.extraction_id),
    }
    assert got == expected
    parts = [expected[name] for name in ("doc_hash", "pipeline_digest", "text_sha256")]
    assert str(canonical_json.digest(parts)) == expected["extraction_id"]
    assert str(Digest.of(document.encode("utf-8"))) == expected["doc_hash"]


def test_the_answer_example_comes_out_as_its_table_says() -> None:
    document = read_example("canonical-text.md", "document") + "\n"
    extraction = extract(document.encode("utf-8"), filename="policy.txt")
    parsed = parse_answer(read_example("answer-format.md", "answer").encode("utf-8"))
    block = verify(
        parsed.answer,
        make_library(extraction),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
    table = re.findall(
        r"^\| (\d+) \| ([A-Z_]+) \| (\d+)\.\.(\d+) \|$",
        read_example("answer-format.md", "statuses"),
        re.MULTILINE,
    )
    got = [
        (
            str(v.anchor),
            v.existence.status.value,
            str(v.existence.span.start),
            str(v.existence.span.end),
        )
        for v in block.verdicts
        if v.existence.span is not None
    ]
    assert got == table
    spans = [sentence.span for sentence in block.uncited_sentences]
    uncited = [parsed.answer.prose[span.start : span.end] for span in spans]
    assert uncited == ["Nobody objects."]


def test_the_python_examples_of_attribution_run() -> None:
    exec(read_example("attribution.md", "attribute"), {"model": ScriptedModel()})  # noqa: S102
    exec(read_example("attribution.md", "collect"), {})  # noqa: S102


def test_the_layout_example_is_read_and_written() -> None:
    stored = bytes.fromhex("".join(read_example("canonical-text.md", "SPL1").split()))
    expected = json.loads(read_example("canonical-text.md", "layout"))
    layout = Layout.from_bytes(stored)
    assert {name: getattr(layout, name).tolist() for name in expected} == expected

    written = layout_of(expected).to_bytes()
    # Builds of zlib may deflate to other bytes: what they inflate to is the format.
    assert inflate(written) == inflate(stored)


def layout_of(columns: dict[str, list[float]]) -> Layout:
    """A layout of these columns."""

    def whole(name: str) -> Ints:
        return np.array(columns[name], dtype=np.int32)

    return Layout(
        run_start=whole("run_start"),
        run_end=whole("run_end"),
        run_x=whole("run_x"),
        run_y=whole("run_y"),
        run_cos=np.array(columns["run_cos"], dtype=np.float32),
        run_sin=np.array(columns["run_sin"], dtype=np.float32),
        run_ascent=whole("run_ascent"),
        run_descent=whole("run_descent"),
        left=whole("left"),
        right=whole("right"),
        flags=np.array(columns["flags"], dtype=np.uint16),
    )


def inflate(stored: bytes) -> tuple[bytes, list[bytes]]:
    """The head up to the lengths, and the columns' bytes before deflating."""
    lengths = struct.unpack_from("<11I", stored, 12)
    position, columns = 56, []
    for length in lengths:
        columns.append(zlib.decompress(stored[position : position + length]))
        position += length
    assert position == len(stored)
    return stored[:12], columns


def test_the_examples_of_the_grammars_run(monkeypatch: pytest.MonkeyPatch) -> None:
    # What it registers is gone afterwards.
    monkeypatch.setattr(table, "GRAMMARS", dict(table.GRAMMARS))
    page = read_page("grammars.md")
    samples = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(samples) == 2
    for sample in samples:
        exec(compile(sample, "grammars.md", "exec"), {})  # noqa: S102 - our own page


def test_the_block_that_is_shown_is_one_of_a_verification() -> None:
    found = re.search(r"<!-- block -->\n(.*?)<!-- /block -->", read_page("block.md"), re.DOTALL)
    assert found
    fenced = re.search(r"^```json\n(.*?)^```$", found.group(1), re.DOTALL | re.MULTILINE)
    assert fenced
    verdicts = json.loads(fenced.group(1))["verification"]["verdicts"]
    assert verdicts
    for verdict in verdicts:
        assert verdict["existence"]["status"] in ExistenceStatus.__members__
        assert verdict["outcome"] in {"pass", "fail", "review", "error"}


def read_python(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


@pytest.mark.model
@pytest.mark.parametrize(
    "path", [ROOT / "README.md", find_page("python.md")], ids=["README", "python"]
)
def test_the_three_lines_print_what_the_page_says(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = path.read_text(encoding="utf-8")
    code = read_python(page)[0]
    exec(compile(code, path.name, "exec"), {})  # noqa: S102 - our own page
    printed = re.search(r"<!-- printed -->\n```text\n(.*?)```", page, re.DOTALL)
    assert printed is not None
    out = capsys.readouterr().out
    assert matches_output(printed.group(1), out), out


def test_a_shown_output_leaves_lines_out_only_where_it_says_so() -> None:
    shown = "Result FAIL …\n…\nNothing is kept.\n"
    assert matches_output(shown, "Result FAIL (policy)\nOne.\nTwo.\nNothing is kept.\n")
    for printed in (
        "Result FAIL (policy)\nNothing is kept.\n",
        "Result FAIL (policy)\nOne.\nNothing is kept.\nOne more.\n",
        "Before.\nResult FAIL (policy)\nOne.\nNothing is kept.\n",
        "Result FAIL (policy)\nOne.\nNothing is kept here.\n",
    ):
        assert not matches_output(shown, printed)


def test_the_readme_has_no_block_that_no_test_knows() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in kinds] == ["python", "text", "sh"]
    commands = [line for kind, body in kinds if kind == "sh" for line in body.splitlines()]
    assert {line.split()[0] for line in commands} == {"make"}


@pytest.mark.model
def test_the_python_sample_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, code = read_python(read_page("python.md"))
    quote = "Approved invoices are paid within four business days of their receipt."
    pdf = build_pdf(PageSpec(content=text_at(40, 700, quote, size=10)))
    answer = {
        "answer": f"{quote[:-1]} [1].",
        "citations": [
            {"anchor": 1, "doc_hash": str(Digest.of(pdf)), "span": {"text": quote}},
        ],
    }
    (tmp_path / "policy.pdf").write_bytes(pdf)
    (tmp_path / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    exec(compile(code, "python.md", "exec"), scope)  # noqa: S102 - our own page
    block = scope["block"]
    assert isinstance(block, VerifiedAnswer)
    assert [verdict.existence.status for verdict in block.verdicts] == [ExistenceStatus.EXACT]


@pytest.mark.parametrize("page", ["monitoring.md", "reanchoring.md"])
def test_python_examples_run(page: str) -> None:
    exec(compile(read_example(page, "run"), page, "exec"), {})  # noqa: S102 - our own pages
