"""What applications take their chunks from: six readers of PDF, each as its own pages show it.

A reader gets the file's first pages and gives their texts. Each file is read in a child process,
because these libraries can take minutes for a page or end the process; what a file gives is kept
under ``build/`` with the versions that gave it.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import subprocess
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Mapping

_Reader = Callable[[Path, int], list[str]]
CACHE = Path(__file__).parents[2] / "build" / "foreign"
#: One file by one reader takes no longer.
_MOST_SECONDS = 40
_OF_PDFTOTEXT = "pdftotext"


def _read_pypdf(path: Path, pages: int) -> list[str]:
    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(path).pages[:pages]]


def _read_pdfium(path: Path, pages: int) -> list[str]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    count = min(pages, len(document))
    return [document[index].get_textpage().get_text_bounded() for index in range(count)]


def _read_pymupdf(path: Path, pages: int) -> list[str]:
    from spanproof.ingest.engine.mupdf.library import load_pymupdf

    with load_pymupdf().open(path) as opened:
        return [opened[index].get_text() for index in range(min(pages, len(opened)))]


def _read_pdfminer(path: Path, pages: int) -> list[str]:
    from pdfminer.high_level import extract_text

    text: str = extract_text(path, maxpages=pages)
    return text.split("\f")[:-1]


def _read_pdftotext(path: Path, pages: int) -> list[str]:
    command = [_OF_PDFTOTEXT, "-l", str(pages), "-enc", "UTF-8", str(path), "-"]
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace").split("\f")[:-1]


def _read_pdfplumber(path: Path, pages: int) -> list[str]:
    import pdfplumber

    with pdfplumber.open(path, pages=range(1, pages + 1)) as opened:
        return [page.extract_text() for page in opened.pages]


READERS: Mapping[str, _Reader] = {
    "pypdf": _read_pypdf,
    "pdfium": _read_pdfium,
    "PyMuPDF": _read_pymupdf,
    "pdfminer": _read_pdfminer,
    "pdftotext": _read_pdftotext,
    "pdfplumber": _read_pdfplumber,
}
_PACKAGES = {"pdfium": "pypdfium2", "PyMuPDF": "pymupdf", "pdfminer": "pdfminer.six"}


def find_versions() -> dict[str, str | None]:
    """The version of each reader; None where it is missing here."""
    found: dict[str, str | None] = {}
    for name in READERS:
        try:
            found[name] = (
                _version_of_pdftotext()
                if name == _OF_PDFTOTEXT
                else metadata.version(_PACKAGES.get(name, name))
            )
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _version_of_pdftotext() -> str | None:
    if which(_OF_PDFTOTEXT) is None:
        return None
    said = subprocess.run([_OF_PDFTOTEXT, "-v"], check=False, capture_output=True, text=True)
    return said.stderr.split()[2]


def read_pages(name: str, version: str, path: Path, pages: int) -> list[str] | None:
    """The texts of a file's first pages; None where the reader fails or is too slow."""
    digest = Digest.of(path.read_bytes()).hex[:32]
    kept = CACHE / f"{digest}-{name}-{version}-{pages}-1.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        child = multiprocessing.get_context("fork").Process(
            target=_read_into, args=(READERS[name], path, pages, kept)
        )
        child.start()
        child.join(_MOST_SECONDS)
        if child.is_alive():
            child.kill()
            child.join()
        if not kept.exists():
            kept.write_text("null", encoding="utf-8")
    texts: list[str] | None = json.loads(kept.read_text(encoding="utf-8"))
    return texts


def _read_into(reader: _Reader, path: Path, pages: int, kept: Path) -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    texts: list[str] | None = None
    # Such a file gives this reader no chunks; it is counted.
    with suppress(Exception):
        texts = reader(path, pages)
    kept.write_text(json.dumps(texts), encoding="utf-8")
