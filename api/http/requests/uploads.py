"""The headers and parameters of a raw upload: its digest, its key, and whether it is a job."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Header, Query

from spanproof.api.http.requests.body import read_digest_fields, require_identity
from spanproof.api.http.requests.idempotency import IdempotencyKey
from spanproof.api.http.requests.started import Prefer, prefers_async
from spanproof.api.http.wire.examples.documents import DIGEST_FIELD
from spanproof.core.digest import Digest

_DigestField = Annotated[
    str | None, Header(description="sha-256=:base64: (RFC 9530)", examples=[DIGEST_FIELD])
]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """What a caller may say of its bytes."""

    content_encoding: Annotated[
        str | None, Header(description="Only identity is accepted.", examples=["identity"])
    ] = None
    content_digest: _DigestField = None
    repr_digest: _DigestField = None
    idempotency_key: IdempotencyKey = None

    def read_digest(self) -> Digest | None:
        """The digest that the bytes must have; raise UnsupportedMediaTypeError for a coding."""
        require_identity(self.content_encoding)
        return read_digest_fields(self.content_digest, self.repr_digest)


@dataclass(frozen=True, kw_only=True)
class ChosenUpload(Upload):
    """An upload that is answered at once, or as a job if the caller asks for one."""

    mode: Annotated[
        Literal["full", "async"],
        Query(description="async answers 202 with a job.", examples=["full"]),
    ] = "full"
    prefer: Prefer = None

    @property
    def is_preferred(self) -> bool:
        """Whether the header Prefer asks for a job."""
        return prefers_async(self.prefer)

    @property
    def is_async(self) -> bool:
        """Whether it is a job."""
        return self.is_preferred or self.mode == "async"


UploadIn = Annotated[Upload, Depends()]
ChosenUploadIn = Annotated[ChosenUpload, Depends()]
