"""A text-embeddings-inference server: ``POST /predict`` with pairs, raw scores by label name.

The local folder stays the reference: its tokenizer plans the windows, its label map names the
outputs, its weights confirm what comes near a boundary. A failure of the server is an error,
never a verdict; nothing is kept of a failure, so the next call finds a server that is well again.
"""

from __future__ import annotations

import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.errors import ModelError
from spanproof.verifier.entailment.backend import FAST_TOLERANCE
from spanproof.verifier.entailment.backends.remote_http import RemoteHttp, refuse
from spanproof.verifier.entailment.backends.remote_info import ServerInfo, check_info
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.verifier.entailment.backend import Backend, Call, Logits
    from spanproof.verifier.entailment.models.folder import ModelFolder
    from spanproof.verifier.entailment.models.tokenizer import Tokenizer

#: Requests under way at once: the server gathers them into batches of its own.
CONCURRENT_REQUESTS = 8

Pair = tuple[str, str]


class RemoteBackend:
    """A ``Backend`` behind HTTP; ``open`` checks the server's model."""

    tolerance = FAST_TOLERANCE

    def __init__(
        self,
        *,
        http: RemoteHttp,
        folder: ModelFolder,
        info: ServerInfo,
        tokenizer: Tokenizer,
        open_local: Callable[[], Backend],
    ) -> None:
        self._http = http
        self._folder = folder
        self._info = info
        self._tokenizer = tokenizer
        self._open_local = open_local
        self._local: Backend | None = None
        self._lock = threading.Lock()
        # Not the address: a server's address changes no verdict, and stays private.
        self.runtime = f"text-embeddings-inference@{info.version}+{info.precision}+{info.model}"

    @classmethod
    def open(
        cls, folder: ModelFolder, *, url: str | None, open_local: Callable[[], Backend]
    ) -> Self:
        """Ask the server for its model; raise ModelUnavailableError where it does not fit.

        ``open_local`` opens what runs the calls that no text spells (``_spell``).
        """
        tokenizer, _ = load_tokenizer(folder)
        http = RemoteHttp(url)
        try:
            info = check_info(http.get("/info"), folder)
        except ModelError:
            http.close()
            raise
        return cls(http=http, folder=folder, info=info, tokenizer=tokenizer, open_local=open_local)

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """The logits of each call, in batches as large as the server takes."""
        if not calls:
            return []
        info = check_info(self._http.get("/info"), self._folder)
        if info != self._info:
            # Another model behind the same address would answer under this one's name.
            refuse(f"the server of {self._info.model!r} unchanged", f"{info.model!r}")
        texts = {place: self._spell(call) for place, call in enumerate(calls)}
        sent = [(place, pair) for place, pair in texts.items() if pair is not None]
        outputs = dict(
            zip([place for place, _ in sent], self._ask([t for _, t in sent]), strict=True)
        )
        kept = [place for place, pair in texts.items() if pair is None]
        if kept:
            rows = self._find_local().run([calls[place] for place in kept])
            outputs.update(zip(kept, rows, strict=True))
        return [outputs[place] for place in range(len(calls))]

    def close(self) -> None:
        """Close the connections, and the local backend where one was needed."""
        self._http.close()
        with self._lock:
            local, self._local = self._local, None
        if local is not None:
            local.close()

    def _spell(self, call: Call) -> Pair | None:
        """Texts that the server's tokenizer turns into exactly the call's tokens, or None.

        A window's first word may be another token where no space stands before it, and a "word"
        longer than a window is cut inside.
        """
        for premise in (call.premise, f" {call.premise}"):
            if tuple(self._tokenizer.encode(premise, call.claim).ids) == call.ids:
                return premise, call.claim
        return None

    def _find_local(self) -> Backend:
        with self._lock:
            if self._local is None:
                self._local = self._open_local()
            return self._local

    def _ask(self, pairs: Sequence[Pair]) -> list[Logits]:
        size = self._info.batch_size
        batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        if not batches:
            return []
        with ThreadPoolExecutor(min(CONCURRENT_REQUESTS, len(batches))) as pool:
            rows = list(pool.map(self._predict, batches))
        return [logits for batch in rows for logits in batch]

    def _predict(self, pairs: Sequence[Pair]) -> list[Logits]:
        answer = self._http.post(
            "/predict",
            {
                "inputs": [list(pair) for pair in pairs],
                "raw_scores": True,
                # The server refuses texts that are too long; a cut premise would be half read.
                "truncate": False,
            },
        )
        if not isinstance(answer, list) or len(answer) != len(pairs):
            got = f"{len(answer)} of them" if isinstance(answer, list) else type(answer).__name__
            refuse(f"{len(pairs)} predictions", got)
        return [self._read(prediction) for prediction in answer]

    def _read(self, prediction: Any) -> Logits:  # noqa: ANN401 - what a server sent
        """One row of logits in the folder's order; the server sends them sorted by score."""
        scores: dict[int, float] = {}
        if not isinstance(prediction, list):
            refuse("a list of labels and scores", json.dumps(prediction)[:80])
        for part in prediction:
            label, score = (
                (part.get("label"), part.get("score")) if isinstance(part, dict) else (None, None)
            )
            place = self._info.places.get(label) if isinstance(label, str) else None
            if place is None or place in scores:
                refuse(f"each of the labels {sorted(self._info.places)} once", f"{label!r}")
            if not isinstance(score, (int, float)) or not math.isfinite(score):
                refuse("finite scores", f"{score!r}")
            scores[place] = float(score)
        if len(scores) != len(self._info.places):
            refuse(f"{len(self._info.places)} labels", f"{len(scores)}")
        return tuple(scores[place] for place in range(len(scores)))
