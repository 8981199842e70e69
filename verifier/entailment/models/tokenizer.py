"""The model's own tokenizer, loaded whole: nothing is cut or padded behind our back."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Protocol

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.models.wordpiece import WordPieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.entailment.models.folder import ModelFolder


class Encoding(Protocol):
    """The tokens of a text or of a pair."""

    @property
    def ids(self) -> list[int]:
        """Each token's number."""

    @property
    def offsets(self) -> Sequence[tuple[int, int]]:
        """The code points that each token stands for, in its own text."""

    @property
    def type_ids(self) -> list[int]:
        """What tells the texts of a pair apart."""

    @property
    def sequence_ids(self) -> Sequence[int | None]:
        """Which text of a pair each token is of; None for one that is added."""


class Tokenizer(Protocol):
    """Reads whole texts."""

    def encode(
        self, sequence: str, pair: str | None = None, *, add_special_tokens: bool = True
    ) -> Encoding:
        """The tokens of a text, or of two as one call."""


def load_tokenizer(folder: ModelFolder) -> tuple[Tokenizer, Digest]:
    """The tokenizer and its digest; raise ModelUnavailableError where it cannot be read.

    BERT's uncased kind, the embedded model's, is read here; any other one by ``tokenizers``.
    """
    path = folder.path / "tokenizer.json"
    try:
        content = path.read_bytes() if path.is_file() else _convert(folder)
        digest = Digest(hashlib.sha256(content).hexdigest())
        return _read_bert(content) or _read_any(content), digest
    except ModuleNotFoundError as error:
        msg = f"Expected {error.name} to read the tokenizer of {folder.path.name!r}, got no such "
        hint = "Install it: pip install 'spanproof[torch]'."
        raise ModelUnavailableError(f"{msg}package.", hint=hint) from error
    # tokenizers raises bare Exception for a file that it cannot read.
    except Exception as error:
        msg = f"Expected a tokenizer in {folder.path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Add the model's tokenizer.json.") from error


def _read_bert(content: bytes) -> WordPieceTokenizer | None:
    try:
        return WordPieceTokenizer.read(content)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # not a file that we know: the library says what is wrong with it


def _read_any(content: bytes) -> Tokenizer:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_str(content.decode())
    # Whole texts in, nothing padded: windows and the claim's length are decided here.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _convert(folder: ModelFolder) -> bytes:
    """The fast form of a folder that has only the files it is made of."""
    # Only such folders need it, and it takes seconds to import.
    import transformers

    slow = transformers.AutoTokenizer.from_pretrained(
        folder.path, local_files_only=True, trust_remote_code=False
    )
    converted: str = slow.backend_tokenizer.to_str()
    return converted.encode()


def find_unknown(tokenizer: Tokenizer) -> int | None:
    """The id for text that the vocabulary cannot spell; None where it spells every byte."""
    if isinstance(tokenizer, WordPieceTokenizer):
        return tokenizer.unknown_id
    import tokenizers

    if not isinstance(tokenizer, tokenizers.Tokenizer):
        return None
    model = json.loads(tokenizer.to_str())["model"]
    if isinstance(model.get("unk_id"), int):  # Unigram
        return int(model["unk_id"])
    token = model.get("unk_token")
    return None if token is None else tokenizer.token_to_id(str(token))
