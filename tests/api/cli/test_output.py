import pytest

from spanproof.api.cli.output import write_error


def test_an_error_is_one_printable_line(capsys: pytest.CaptureFixture[str]) -> None:
    write_error("CODE", "Expected a file, got 'a\nb\x1b[31m'.\tRename it.")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "spanproof: CODE: Expected a file, got 'a b [31m'. Rename it.\n"
