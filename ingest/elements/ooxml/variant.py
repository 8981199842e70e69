"""OOXML of the rarer kinds (strict, with macros, templates, shows) as the usual kind.

The libraries below unstructured open only the usual one. The words are the same: what differs are
namespaces and the main part's content type.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.ingest.elements.ooxml.container import Package

_TYPES = "[Content_Types].xml"
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(_STRICT.replace(b".", rb"\.") + rb"([A-Za-z]+)/")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/"
_OOXML = b"application/vnd.openxmlformats-officedocument."
#: By what appears in the content type of a main part of another kind.
_MAIN_TYPES = (
    (
        re.compile(
            rb"application/vnd\.(?:ms-word\.|[a-z.-]+wordprocessingml\.template)[^\"']*main\+xml"
        ),
        _OOXML + b"wordprocessingml.document.main+xml",
    ),
    (
        re.compile(
            rb"application/vnd\.(?:ms-powerpoint\.|[a-z.-]+presentationml\.(?:template|slideshow))"
            rb"[^\"']*main\+xml"
        ),
        _OOXML + b"presentationml.presentation.main+xml",
    ),
    (
        re.compile(
            rb"application/vnd\.(?:ms-excel\.|[a-z.-]+spreadsheetml\.template)[^\"']*main\+xml"
        ),
        _OOXML + b"spreadsheetml.sheet.main+xml",
    ),
)


def to_usual(package: Package, data: bytes) -> bytes:
    """A container of the usual kind; the bytes themselves where they are one."""
    types = package.read(_TYPES) if _TYPES in package else b""
    changed = types
    for pattern, usual in _MAIN_TYPES:
        changed = pattern.sub(usual, changed)
    is_strict = _STRICT in package.read(package.main_part())
    if changed == types and not is_strict:
        return data
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as target,
    ):
        for name in dict.fromkeys(source.namelist()):
            content = changed if name == _TYPES else package.read(name)
            if name.endswith((".xml", ".rels")):
                content = _STRICT_NAME.sub(_USUAL_NAME, content)
            target.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()
