"""Fingerprints of a text: a few hashes by which a longer text that holds it is found.

Winnowing (Schleimer, Wilkerson and Aiken, 2003): of each ``WINDOW`` hashes of neighbouring
``WIDTH`` characters the smallest is chosen. Two texts that share ``GUARANTEED`` characters share a
fingerprint. Characters are those of the match view, so line breaks, hyphens and ligatures do not
matter. A fingerprint proves nothing: the text is read where one is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spanproof.core.documents.match_views import MatchView, to_codes

#: Stands in each row: a store filled by another method is filled again.
METHOD = "winnow-16-32-1"
WIDTH, WINDOW = 16, 32
#: Characters of a match view from which on a shared text shares a fingerprint.
GUARANTEED = WIDTH + WINDOW - 1
#: A fingerprint's lowest bits choose its bucket; the next 32 stand there.
BUCKETS = 128

Hashes = np.ndarray[Any, np.dtype[np.uint64]]
_BASE, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def to_skeleton(text: str) -> str:
    """The characters of a text that count."""
    return MatchView.of(text).text


def choose_fingerprints(skeleton: str) -> Hashes:
    """The chosen hashes, each once; none of a text shorter than ``GUARANTEED`` characters."""
    if len(skeleton) < GUARANTEED:
        return np.empty(0, dtype=np.uint64)
    codes = to_codes(skeleton).astype(np.uint64)
    size = len(codes) - WIDTH + 1
    hashes = np.zeros(size, dtype=np.uint64)
    for offset in range(WIDTH):
        hashes = hashes * _BASE + codes[offset : offset + size]
    # Neighbours differ in few bits until they are mixed.
    hashes = (hashes ^ (hashes >> np.uint64(31))) * _MIX
    hashes ^= hashes >> np.uint64(29)
    smallest = hashes
    span = 1
    while span < WINDOW:
        smallest = np.minimum(smallest[:-span], smallest[span:])
        span *= 2
    return np.unique(smallest)


def to_row(fingerprint: np.uint64) -> tuple[int, bytes]:
    """The bucket of a fingerprint, and what stands there for it."""
    bucket, rest = int(fingerprint) % BUCKETS, int(fingerprint) // BUCKETS
    return bucket, (rest & 0xFFFF_FFFF).to_bytes(4, "big")


def to_rows(hashes: Hashes) -> list[tuple[int, bytes]]:
    """Each bucket that holds some of the fingerprints, and what stands there for all of them."""
    buckets = hashes % np.uint64(BUCKETS)
    order = np.argsort(buckets, kind="stable")
    held = (hashes // np.uint64(BUCKETS))[order].astype(">u4").tobytes()
    found, starts = np.unique(buckets[order], return_index=True)
    ends = [*starts[1:].tolist(), len(hashes)]
    places = zip(found.tolist(), starts.tolist(), ends, strict=False)
    return [(bucket, held[4 * start : 4 * end]) for bucket, start, end in places]
