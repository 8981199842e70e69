"""The forms that a browser sends, as names and values."""

from __future__ import annotations

from urllib.parse import parse_qs

from spanproof.core.errors import InputError

_MOST_FIELDS = 12


def read_form(raw: bytes) -> dict[str, str]:
    """The fields of a form, the last of a name; raise InputError for another body."""
    try:
        form = parse_qs(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        msg = "Expected a form of the page, got another body."
        raise InputError(msg, hint="Use the buttons of the page.") from error
    # A browser ends the lines of a text field by two characters.
    return {name: values[-1].replace("\r\n", "\n") for name, values in form.items()}
