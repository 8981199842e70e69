"""Tesseract's language data: where it lies on this machine, and the digest that names it."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import OcrUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.limits import OcrChoice

# Where packages put the data: Debian and its kin by Tesseract's major version, others without one.
_USUAL_PLACES = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tesseract*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/*/share/tessdata",
)


def find_tessdata(choice: OcrChoice) -> Path:
    """The folder with the choice's languages; raise OcrUnavailableError without one.

    A folder that the choice or ``TESSDATA_PREFIX`` names is taken or refused, never passed over.
    """
    named = choice.tessdata or os.environ.get("TESSDATA_PREFIX")
    for folder in [Path(named)] if named else _usual_folders():
        if all(path.is_file() for path in language_files(choice, folder)):
            return folder
    packages = " ".join(f"tesseract-ocr-{part.replace('_', '-')}" for part in _languages(choice))
    where = f"in {named}" if named else "in the usual places"
    msg = f"Expected Tesseract's data for {choice.language!r} {where}, got none."
    hint = f"Install Debian's {packages}, or set SPANPROOF_TESSDATA to the folder of the data."
    raise OcrUnavailableError(msg, hint=hint)


def language_files(choice: OcrChoice, folder: Path) -> list[Path]:
    """The data files of the choice's languages."""
    return [folder / f"{part}.traineddata" for part in _languages(choice)]


def tessdata_digest(choice: OcrChoice) -> str:
    """SHA-256 over the languages' files: that of the file itself where there is one language."""
    folder = find_tessdata(choice)
    try:
        digests = [
            _file_digest(str(path), (status := path.stat()).st_mtime_ns, status.st_size)
            for path in language_files(choice, folder)
        ]
    except OSError as error:
        msg = f"Expected readable language data in {folder}, got an error ({error.strerror})."
        raise OcrUnavailableError(msg, hint="Make the folder readable.") from error
    return digests[0] if len(digests) == 1 else str(Digest.of("\n".join(digests).encode()))


@lru_cache(maxsize=32)
def _file_digest(path: str, changed: int, size: int) -> str:
    del changed, size  # another file of the same name is another entry
    with Path(path).open("rb") as data:
        return f"sha256:{file_digest(data, 'sha256').hexdigest()}"


def _languages(choice: OcrChoice) -> list[str]:
    return [part for part in choice.language.split("+") if part]


def _usual_folders() -> Iterator[Path]:
    root = Path("/")
    for place in _USUAL_PLACES:
        # The newest version's folder first.
        yield from sorted(root.glob(place[1:]), reverse=True)
