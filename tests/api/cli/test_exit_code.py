import pytest

from spanproof.api.cli.exit_code import ExitCode, of_error, of_results
from spanproof.core.errors import (
    DocumentNotFoundError,
    MalformedAnswerError,
    SettingsError,
    SpanproofError,
    UnknownPolicyError,
)


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (["pass", "pass"], ExitCode.OK),
        (["pass", "review"], ExitCode.FAILED),
        (["review", "error"], ExitCode.ERROR),
        (["error", "fail"], ExitCode.FAILED),
        (["fail", "malformed"], ExitCode.MALFORMED),
        (["error", "malformed"], ExitCode.MALFORMED),
        ([], ExitCode.MALFORMED),
    ],
)
def test_several_results_end_with_the_worst(results: list[str], code: ExitCode) -> None:
    assert of_results(results) == code


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (MalformedAnswerError, ExitCode.MALFORMED),
        (UnknownPolicyError, ExitCode.MALFORMED),
        (SettingsError, ExitCode.ERROR),
        (DocumentNotFoundError, ExitCode.ERROR),
    ],
)
def test_the_callers_input_is_2_and_everything_else_3(
    kind: type[SpanproofError], code: ExitCode
) -> None:
    assert of_error(kind("Expected a, got b.", hint="Do c.")) == code
