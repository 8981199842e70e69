"""A name comes with a document and is its author's: it chooses a reader, never a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import UnsupportedMediaTypeError
from spanproof.ingest import extract
from spanproof.ingest.sandbox import Parser
from tests.spread import thin_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Stems that would leave a folder, name a device, end early, run or expand, were one a path.
STEMS = (
    "../../etc/passwd",
    "..\\..\\windows\\system32\\config",
    "/etc/passwd",
    "//server/share/x",
    "C:\\boot",
    "file:///etc/passwd",
    "/proc/self/environ",
    "/dev/stdin",
    "~/.ssh/id_rsa",
    "$HOME/x",
    "$(touch made)",
    "`touch made`",
    "; touch made ;",
    "| touch made",
    "x\x00y",
    "\x00",
    "x\ny",
    "x\r\nSet-Header: y",
    "\x1b[2Jx",
    "-rf",
    "--help",
    ".",
    "..",
    "...",
    ".hidden",
    "a/b/../../../c",
    "%2e%2e%2fx",
    "..%c0%af..%c0%afx",
    "\u202egpj.x",
    "\ud800",
    "x" * 5000,
    "con",
    "{{7*7}}",
    "%s%s%n",
    # An attachment's name joined to a folder wrote outside of it: CVE-2025-64712.
    "../../../../tmp/made",
    "/tmp/made",  # noqa: S108 - never made
)
SUFFIXES = (".txt", ".md")


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as opened:
        yield opened


@pytest.mark.parametrize("suffix", thin_out(SUFFIXES, every=3))
@pytest.mark.parametrize("stem", STEMS, ids=range(len(STEMS)))
def test_a_hostile_name_changes_nothing_of_the_text(
    stem: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert extract(b"A sentence.", filename=stem + suffix).text.text == "A sentence."
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_cross_into_the_cage_as_words(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for stem in STEMS[::6]:
        assert parser.extract(b"A sentence.", filename=f"{stem}.txt").text.text == "A sentence."
    with pytest.raises(UnsupportedMediaTypeError):
        parser.extract(b"MZ\x00\x00", filename="../../x.exe")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.usefixtures("parser")
def test_an_attachment_with_a_path_for_a_name_is_not_written(
    parser: Parser, tmp_path: Path
) -> None:
    target = tmp_path / "made"
    mail = (
        b"From: a@b.example\r\nTo: c@d.example\r\nSubject: s\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n'
        b"--x\r\nContent-Type: text/plain\r\n\r\nA sentence of the mail.\r\n"
        b"--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="
        + f'"../../../../../..{target}"'.encode()
        + b"\r\n\r\ninside\r\n--x--\r\n"
    )
    assert "A sentence of the mail." in parser.extract(mail, filename="x.eml").text.text
    assert not target.exists()
