"""The client for plain code: each call waits for its answer."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import httpx

from spanproof.client import calls, job_calls
from spanproof.client.bodies import LineSplitter, save
from spanproof.client.exchange import (
    CONNECT_SECONDS,
    TIMEOUT_SECONDS,
    check_address,
    find_pause,
    finish,
    make_headers,
    read_row,
    require_success,
    to_unreachable,
)
from spanproof.client.retry import RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    from spanproof.client.calls import Call, Result
    from spanproof.client.job_calls import RowFormat
    from spanproof.client.results import (
        IngestedDocument,
        JobReport,
        SubmittedAnswer,
    )
    from spanproof.core.citation import Answer
    from spanproof.core.span import OffsetUnit
    from spanproof.core.verdicts.verified_answer import VerifiedAnswer

    Outcome = httpx.Response | httpx.TransportError
    Sending = Callable[[Call[Any]], Outcome]


class Client:
    """A Spanproof service behind an address; safe for several threads.

    Every method raises the errors of ``spanproof.client.errors``, and sends again what may be
    sent again (``RetryPolicy``). ``key`` is an API key; ``pause`` is what waits, in seconds.
    """

    def __init__(  # noqa: PLR0913 - what a caller may choose
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        retry: RetryPolicy | None = None,
        pause: Callable[[float], object] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._retry = retry or RetryPolicy()
        self._pause = pause
        self._http = httpx.Client(
            base_url=check_address(url, has_key=key is not None),
            headers=make_headers(key),
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            transport=transport,
        )

    def verify(  # noqa: PLR0913 - what a caller may choose
        self,
        answer: str | Mapping[str, Any] | bytes | Answer,
        contexts: Iterable[str | Mapping[str, Any]] = (),
        policy: str | None = None,
        *,
        format: str = "native",  # noqa: A002 - the contract's word
        attribute: bool = False,
        idempotency_key: str | None = None,
    ) -> VerifiedAnswer:
        """Verify an answer now; ``.require()`` raises where it did not pass.

        The arguments are those of ``spanproof.verify``; contexts are sent as ``retrieved`` texts.
        Without a ``policy`` the answer's own is asked for, or the service's.
        """
        return self.send(
            calls.verify(
                answer,
                contexts,
                format=format,
                policy=policy,
                attribute=attribute,
                idempotency_key=idempotency_key,
            )
        )

    def submit_answer(
        self,
        answer: Mapping[str, Any] | bytes,
        *,
        format: str = "native",  # noqa: A002 - the contract's word
        idempotency_key: str | None = None,
    ) -> SubmittedAnswer:
        """Hand in a production answer; whether it is verified is the sampling's decision."""
        return self.send(
            calls.submit_answer(answer, format=format, idempotency_key=idempotency_key)
        )

    def ingest(
        self,
        document: bytes | Path,
        *,
        doc_id: str | None = None,
        title: str | None = None,
        filename: str | None = None,
        media_type: str | None = None,
    ) -> IngestedDocument:
        """Have a document kept; the same bytes again change nothing."""
        return self.send(
            calls.ingest(
                document, doc_id=doc_id, title=title, filename=filename, media_type=media_type
            )
        )

    def receipt(self, verification_id: str) -> bytes:
        """The receipt of a verification, byte for byte."""
        return self.send(calls.receipt(verification_id))

    def text(
        self,
        ref: str,
        start: int | None = None,
        end: int | None = None,
        *,
        unit: OffsetUnit = "codepoint",
    ) -> str:
        """The canonical text of a document, or a slice of it."""
        return self.send(calls.text(ref, start, end, unit))

    def locate(
        self, ref: str, start: int, end: int, *, unit: OffsetUnit = "codepoint"
    ) -> dict[str, Any]:
        """The place of a span on its pages, as ``GET /v1/documents/{ref}/locate`` answers it."""
        return self.send(calls.locate(ref, start, end, unit))

    def job(self, job_id: str) -> JobReport:
        """The present state of a job."""
        return self.send(calls.find_job(job_id))

    def jobs(
        self, *, kind: str | None = None, state: str | None = None, limit: int = 50
    ) -> list[JobReport]:
        """The newest jobs, at most ``limit`` of them."""
        return self.send(calls.list_jobs(kind=kind, state=state, limit=limit))

    def cancel_job(self, job_id: str) -> JobReport:
        """Ask a job to end; its written results stay."""
        return self.send(calls.cancel_job(job_id))

    def check_drift(  # noqa: PLR0913 - the fields of the body
        self,
        index: str | None = None,
        *,
        old: str | None = None,
        new: str | None = None,
        from_extraction: str | None = None,
        to_extraction: str | None = None,
        budget: float | None = None,
        idempotency_key: str | None = None,
    ) -> JobReport:
        """Start a check of what a new index, or a new extraction, did to citations."""
        return self.send(
            job_calls.check_drift(
                index=index,
                old=old,
                new=new,
                from_extraction=from_extraction,
                to_extraction=to_extraction,
                budget=budget,
                idempotency_key=idempotency_key,
            )
        )

    def reverify(
        self,
        index: str,
        *,
        old: str | None = None,
        new: str | None = None,
        idempotency_key: str | None = None,
    ) -> JobReport:
        """Start to verify again the answers that a newer version of an index touches."""
        return self.send(
            job_calls.reverify(index, old=old, new=new, idempotency_key=idempotency_key)
        )

    def verify_bulk(
        self,
        pairs: bytes | Path,
        *,
        policy: str | None = None,
        idempotency_key: str | None = None,
    ) -> JobReport:
        """Start to verify pairs, Parquet or JSON Lines; a file is never in memory as a whole."""
        return self.send(
            job_calls.verify_bulk(pairs, policy=policy, idempotency_key=idempotency_key)
        )

    def bulk_rows(self, job_id: str) -> list[dict[str, Any]]:
        """The verdicts of a bulk verification that is done, all of them in memory."""
        return list(self.iterate_bulk_rows(job_id))

    def iterate_bulk_rows(self, job_id: str) -> Generator[dict[str, Any], None, None]:
        """Yield these verdicts as they arrive; the request goes out when you ask for the first.

        If the response breaks off, ServiceUnreachableError is raised: the verdicts before it stand.
        """
        call, lines = job_calls.read_bulk_rows(job_id), LineSplitter()
        with self._reading(call) as response:
            for chunk in response.iter_bytes():
                for line in lines.feed(chunk):
                    yield read_row(call, response, line)
            for line in lines.end():
                yield read_row(call, response, line)

    def save_bulk_rows(
        self,
        job_id: str,
        target: Path,
        *,
        format: RowFormat = "parquet",  # noqa: A002 - the contract's word
    ) -> Path:
        """Save them into a file, which gets its name when it is complete; return its path."""
        return self.send(job_calls.save_bulk_rows(job_id, target, format=format))

    def register_index(
        self,
        name: str,
        version: str,
        manifest: bytes | Path,
        *,
        idempotency_key: str | None = None,
    ) -> JobReport:
        """Start to register a version of an index by its manifest."""
        return self.send(
            job_calls.register_index(name, version, manifest, idempotency_key=idempotency_key)
        )

    def erase(
        self, kind: str, subject: str, *, reason: str, with_verifications: bool = False
    ) -> list[dict[str, Any]]:
        """Erase a document (by its doc_hash) or a verification for ever, with a tombstone."""
        return self.send(
            job_calls.erase(kind, subject, reason=reason, with_verifications=with_verifications)
        )

    def send(self, call: Call[Result]) -> Result:
        """Send a call of ``spanproof.client.calls``, as often as the retry policy says."""
        return finish(call, self._repeat(call, self._try))

    def _repeat(self, call: Call[Any], send: Sending) -> Outcome:
        tried = 0
        while True:
            outcome = send(call)
            tried += 1
            wait = find_pause(self._retry, call, outcome, tried)
            if wait is None:
                return outcome
            self._pause(wait)

    def _try(self, call: Call[Any]) -> Outcome:
        """Send it and take the whole answer: into memory, or into the file of the call."""
        begun = self._begin(call)
        if not isinstance(begun, httpx.Response) or begun.is_closed:
            return begun
        try:
            if call.target is None:
                begun.read()
            else:
                save(call.target, begun.iter_bytes())
        except httpx.TransportError as error:
            return error
        finally:
            begun.close()
        return begun

    def _begin(self, call: Call[Any]) -> Outcome:
        """Send it; of an answer that is a success nothing but its head is read yet."""
        request = self._http.build_request(
            call.method,
            call.path,
            params=call.query,
            headers=call.headers,
            content=call.content if call.file is None else call.file.read(),
        )
        try:
            response = self._http.send(request, stream=True)
            if not response.is_success:
                response.read()
        except httpx.TransportError as error:
            return error
        return response

    @contextmanager
    def _reading(self, call: Call[Any]) -> Iterator[httpx.Response]:
        """The answer; the caller reads its body, a chunk at a time."""
        response = require_success(self._repeat(call, self._begin))
        try:
            yield response
        except httpx.TransportError as error:
            raise to_unreachable(error) from error
        finally:
            response.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
