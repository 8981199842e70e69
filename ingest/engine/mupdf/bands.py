"""Bands of a page: boxes far apart from each other in height, each as wide as what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanproof.ingest.assembly.stream import Floats

#: Left, top, right and bottom in the frame of the unrotated page.
Box = tuple[float, float, float, float]

# What lies nearer than this, in points, is one band; of more bands than these the page is one.
_APART, _MOST = 24.0, 6
_FARTHEST = 1e6


def gather_bands(boxes: Floats) -> list[Box]:
    """The bands that hold the boxes, given as rows of left, top, right and bottom."""
    left, top, right, bottom = np.clip(np.nan_to_num(boxes), -_FARTHEST, _FARTHEST)
    order = np.argsort(top, kind="stable")
    reach = np.maximum.accumulate(bottom[order])
    starts = np.flatnonzero(np.concatenate([[True], top[order][1:] > reach[:-1] + _APART]))
    if len(starts) > _MOST:
        starts = starts[:1]
    return [
        (
            float(left[part].min()),
            float(top[part].min()),
            float(right[part].max()),
            float(bottom[part].max()),
        )
        for part in np.split(order, starts[1:])
    ]
