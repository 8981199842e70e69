"""Clients of a running service, each with one request at a time, and what they saw."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field

TERMS = [
    f"The supplier replaces defective goods of class {number} within {number + 2} business days "
    f"of a written notice by the buyer."
    for number in range(40)
]
DOCUMENT = "\n\n".join(TERMS).encode()

#: How often each is asked for.
MIX = {"verification": 5, "ingest": 1, "document": 2, "text": 1, "shown": 1, "receipt": 2}


@dataclass(slots=True)
class Tally:
    """What the clients saw."""

    latencies: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    #: 429 without a Retry-After that is a number of seconds.
    mute_refusals: int = 0
    #: Bodies of 5xx answers, the first of them.
    faults: list[str] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    #: Requests that were sent whole and got no answer, or a part of one; and those that found
    #: nobody who listens.
    lost: int = 0
    cut: int = 0
    refused: int = 0


class Clients:
    """Connections that send requests until they are stopped or the server closes."""

    def __init__(
        self,
        port: int,
        *,
        seed: int = 1,
        most_wait: float = 60.0,
        key: str | None = None,
        pause: float = 0.0,
    ) -> None:
        """``key`` is sent with every request; ``pause`` in seconds before each but the first."""
        self._pause = pause
        self.port = port
        self.tally = Tally()
        self.is_stopped = False
        self._most_wait = most_wait
        self._numbers = itertools.count(seed * 1_000_000)
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._drawn = random.Random(seed)  # noqa: S311 - a mix of requests, not a secret
        self._doc_hash = ""
        self._text = ""

    def prepare(self) -> None:
        """Ingest the document that everything cites, and verify one answer."""
        address = f"http://127.0.0.1:{self.port}"
        put = self._fetch(f"{address}/v1/documents?doc_id=terms", DOCUMENT, "PUT")
        self._doc_hash = json.loads(put)["doc_hash"]
        self._text = self._fetch(f"{address}/v1/documents/terms/text", None, "GET").decode()
        made = self._fetch(f"{address}/v1/verifications", self._make_answer(0), "POST")
        self.tally.verified.append(json.loads(made)["verification_id"])

    def _fetch(self, address: str, body: bytes | None, method: str) -> bytes:
        asked = urllib.request.Request(  # noqa: S310 - ours
            address, data=body, method=method, headers=self._headers
        )
        with urllib.request.urlopen(asked) as answer:  # noqa: S310
            content: bytes = answer.read()
        return content

    async def run(self, count: int) -> None:
        """So many connections, until ``is_stopped`` or until the server closes."""
        await asyncio.gather(*(self._ask_on() for _ in range(count)))

    async def _ask_on(self) -> None:
        names, weights = list(MIX), list(MIX.values())
        while not self.is_stopped:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                self.tally.refused += 1
                return
            try:
                is_open = True
                # As every HTTP client does: nothing is sent on a closed connection.
                while is_open and not reader.at_eof():
                    kind = self._drawn.choices(names, weights)[0]
                    is_answered = await self._ask(kind, reader, writer)
                    is_open = is_answered and not self.is_stopped
                    await asyncio.sleep(self._pause)
            finally:
                writer.close()

    async def _ask(
        self, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """One request; whether the connection stays open."""
        method, path, body = self._make(kind)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in self._headers.items()) + "\r\n"
        began = time.perf_counter()
        answer = b""
        try:
            writer.write(head.encode() + body)
            await writer.drain()
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            content = await reader.readexactly(int(length[1]) if length else 0)
        except asyncio.IncompleteReadError as error:
            self._count_broken(is_begun=bool(answer or error.partial))
            return False
        except OSError:
            self._count_broken(is_begun=bool(answer))
            return False
        await self._count(kind, answer, content, time.perf_counter() - began)
        return re.search(rb"connection: close", answer, re.IGNORECASE) is None

    def _count_broken(self, *, is_begun: bool) -> None:
        if is_begun:
            self.tally.cut += 1
        else:
            self.tally.lost += 1

    async def _count(self, kind: str, head: bytes, content: bytes, seconds: float) -> None:
        tally, status = self.tally, int(head[9:12])
        tally.statuses[kind, status] += 1
        if status < 300:
            tally.latencies.setdefault(kind, []).append(seconds)
            if kind == "verification":
                tally.verified.append(json.loads(content)["verification_id"])
        elif status == 429:
            wait = re.search(rb"retry-after: (\d+)\r\n", head, re.IGNORECASE)
            tally.mute_refusals += wait is None
            await asyncio.sleep(min(self._most_wait, float(wait[1]) if wait else 1.0))
        elif status >= 500 and len(tally.faults) < 20:
            tally.faults.append(f"{kind}: {content[:300].decode(errors='replace')}")

    def _make(self, kind: str) -> tuple[str, str, bytes]:
        number = next(self._numbers)
        known = self._drawn.choice(self.tally.verified)
        if kind == "verification":
            return "POST", "/v1/verifications", self._make_answer(number)
        if kind == "ingest":
            return "PUT", f"/v1/documents?doc_id=note-{number}", f"Note {number}. ".encode() * 20
        paths = {
            "document": "/v1/documents/terms",
            "text": "/v1/documents/terms/text?start=0&end=200",
            "shown": f"/v1/verifications/{known}",
            "receipt": f"/v1/verifications/{known}/receipt",
        }
        return "GET", paths[kind], b""

    def _make_answer(self, number: int) -> bytes:
        """An answer of its own: one claim that no other answer makes, and its citation."""
        quote = TERMS[number % len(TERMS)]
        start = self._text.index(quote)
        citation = {
            "anchor": 1,
            "doc_hash": self._doc_hash,
            "span": {"text": quote, "char_start": start, "char_end": start + len(quote)},
        }
        prose = f"Goods of order {number} are replaced when the buyer gives a written notice [1]."
        return json.dumps({"answer": prose, "citations": [citation]}).encode()
