"""Pictures of pages that were drawn lately: people turn to the same pages again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: All pictures of a process: about 300 pages.
MAX_BYTES = 64 * 1024**2


class PageImages:
    """The pictures used last, up to ``max_bytes``. Safe for several threads.

    Keys are of the content alone. Who asks has shown before that the document is kept and may be
    seen; a picture that nobody asks for goes when others come, or with the process.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._images: OrderedDict[tuple[str, ...], bytes] = OrderedDict()
        self._bytes = 0

    def find(self, key: tuple[str, ...], draw: Callable[[], bytes]) -> bytes:
        """The picture of this key; drawn where it is not kept."""
        with self._lock:
            if key in self._images:
                self._images.move_to_end(key)
                return self._images[key]
        image = draw()
        with self._lock:
            if key not in self._images:
                self._images[key] = image
                self._bytes += len(image)
            while self._bytes > self._max_bytes:
                _, gone = self._images.popitem(last=False)
                self._bytes -= len(gone)
        return image


#: Those of this process.
PAGE_IMAGES = PageImages()
