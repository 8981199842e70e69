"""The console's links, and which links of callers are safe to follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Only these schemes: ``javascript:`` and ``data:`` links would run code of an answer.
WEB_SCHEMES = frozenset({"http", "https"})
#: Browsers drop these from a URL, so a link could lead elsewhere than it says.
_FORBIDDEN = frozenset(
    map(chr, [*range(0x21), *range(0x7F, 0xA1), 0x5C, 0x2028, 0x2029, *range(0xD800, 0xE000)])
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Paths under the application's root, every part percent-encoded."""

    root: str = ""
    #: Whether the reader has signed in, and so can sign out.
    has_session: bool = False
    #: Whether the reader may verify, and so try answers out.
    may_try: bool = False
    #: Whether the reader may see who has access.
    may_manage: bool = False

    def _path(self, *parts: object) -> str:
        return self.root + "".join("/" + quote(str(part), safe=":") for part in parts)

    def home(self, query: Mapping[str, str] | None = None) -> str:
        """The list with these filters."""
        return f"{self.root}/" + _to_query(query)

    def table(self, query: Mapping[str, str]) -> str:
        """The same list as CSV."""
        return self._path("answers.csv") + _to_query(query)

    def views(self) -> str:
        """Where saved views are kept."""
        return self._path("views")

    def answer(self, verification_id: str) -> str:
        """The page of one verification."""
        return self._path("answers", verification_id)

    def decisions(self, verification_id: str) -> str:
        """Where the form of a decision is sent."""
        return self._path("answers", verification_id, "decisions")

    def verification_json(self, verification_id: str) -> str:
        """The same verification as JSON."""
        return self._path("v1", "verifications", verification_id)

    def receipt(self, verification_id: str) -> str:
        """Its receipt, as a file."""
        return self._path("v1", "verifications", verification_id, "receipt")

    def reviews(self, query: Mapping[str, str] | None = None) -> str:
        """The review queue."""
        return self._path("reviews") + (f"?{urlencode(query)}" if query else "")

    def review(self, answer_id: str) -> str:
        """One answer of the queue; its id is any text that a caller chose."""
        return self.root + "/reviews/" + quote(answer_id, safe="", errors="surrogatepass")

    def reports(self, query: Mapping[str, str] | None = None) -> str:
        """The reports, and the form of a new one with these filters."""
        return self._path("reports") + _to_query(query)

    def report_file(self, job_id: str, name: str) -> str:
        """A file of a report."""
        return self._path("reports", job_id, name)

    def log(self) -> str:
        """The log's page."""
        return self._path("log")

    def documents(self, query: Mapping[str, str] | None = None) -> str:
        """The list of documents."""
        return self._path("documents") + _to_query(query)

    def jobs(self, query: Mapping[str, str] | None = None) -> str:
        """The list of jobs."""
        return self._path("jobs") + _to_query(query)

    def cancel_job(self, job_id: str) -> str:
        """Where a job is cancelled."""
        return self._path("jobs", job_id, "cancel")

    def drift(self, name: str | None = None) -> str:
        """The list of indexes, or the newest two versions of one."""
        return self._path("drift", *([] if name is None else [name]))

    def reverify(self, name: str) -> str:
        """Where the answers that a version of an index touches are verified again."""
        return self._path("drift", name, "reverifications")

    def acknowledge(self, digest: object) -> str:
        """Where an alarm or incident is acknowledged."""
        return self._path("alarms", digest, "acknowledgements")

    def rehearsals(self) -> str:
        """Where a policy is tried on kept answers."""
        return self._path("access", "rehearsals")

    def playground(self, *parts: str, query: Mapping[str, str] | None = None) -> str:
        """Where documents and answers are tried out, and where its forms are sent."""
        return self._path("playground", *parts) + _to_query(query)

    def alarms(self) -> str:
        """Rates, alarms and incidents."""
        return self._path("alarms")

    def access(self) -> str:
        """Keys, tenants and policies."""
        return self._path("access")

    def checkpoint(self) -> str:
        """The log's newest signed head, as a file."""
        return self._path("v1", "log", "checkpoint")

    def document(self, doc_hash: str, query: Mapping[str, str] | None = None) -> str:
        """The page of a document."""
        return self._path("documents", doc_hash) + (f"?{urlencode(query)}" if query else "")

    def document_json(self, doc_hash: str) -> str:
        """The record of a document."""
        return self._path("v1", "documents", doc_hash)

    def page_image(self, doc_hash: str, page: int) -> str:
        """A page's image without marks: the HTML page draws the boxes over it."""
        return self._path("v1", "documents", doc_hash, "pages", f"{page}.png")

    def locate_json(self, ref: str, start: int, end: int) -> str:
        """The span's quads as JSON."""
        query = urlencode({"start": start, "end": end})
        return self._path("v1", "documents", ref, "locate") + f"?{query}"

    def text(self, ref: str, start: int, end: int) -> str:
        """The span's text."""
        query = urlencode({"start": start, "end": end})
        return self._path("v1", "documents", ref, "text") + f"?{query}"

    def span(
        self,
        doc_hash: str,
        extraction_id: str,
        start: int,
        end: int,
        query: Mapping[str, str] | None = None,
    ) -> str:
        """The permanent page of a span; ``query`` says how a page of it is looked at."""
        path = self._path("view", doc_hash, extraction_id, start, end)
        return path + (f"?{urlencode(query)}" if query else "")

    def original(self, doc_hash: str, page: int | None = None) -> str:
        """The source bytes; ``#page=`` is what PDF viewers read (RFC 8118)."""
        return self._path("view", doc_hash, "original") + (f"#page={page}" if page else "")

    def static(self, name: str, version: str) -> str:
        """A static file; a new version has a new address."""
        return self._path("static", "console", name) + f"?v={version}"


def _to_query(query: Mapping[str, str] | None) -> str:
    # A lone surrogate of a caller's name must not break the page.
    return f"?{urlencode(query, errors='surrogatepass')}" if query else ""


def find_web_url(url: str | None) -> str | None:
    """The URL if it is a plain http(s) one; else None: it is shown as text, not as a link."""
    if not url or not _FORBIDDEN.isdisjoint(url):
        return None
    try:
        parts = urlsplit(url)
        known = parts.scheme.lower() in WEB_SCHEMES and bool(parts.hostname)
    except ValueError:
        return None
    return url if known else None
