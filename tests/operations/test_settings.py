from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from spanproof.core.errors import SettingsError
from spanproof.core.host import is_loopback
from spanproof.operations.configuration import write_template
from spanproof.operations.settings import Settings, find_unknown_variables, is_own_host


def test_every_field_has_a_description_and_a_default() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert not field.is_required(), name


def test_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANPROOF_HOME", "elsewhere")
    monkeypatch.setenv("SPANPROOF_PORT", "9000")
    monkeypatch.setenv("SPANPROOF_DATABASE_URL", "")
    settings = Settings()
    assert settings.home == Path("elsewhere")
    assert settings.port == 9000
    assert settings.database_url is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "-1"),
        ("PORT", "70000"),
        ("DEVICE", "tpu"),
        ("RUNTIME", "abacus"),
        ("MAX_PAGES", "0"),
        ("PARSE_SECONDS", "nan"),
        ("MAX_ANSWER_BYTES", "8M"),
    ],
)
def test_a_bad_value_is_one_line_that_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"SPANPROOF_{name}", value)
    with pytest.raises(SettingsError) as caught:
        Settings()
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(f"Expected SPANPROOF_{name} to be ")
    assert f"got {value!r}." in line
    assert caught.value.hint


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_loopback_addresses_are_taken(host: str) -> None:
    assert Settings(host=host).host == host
    assert is_loopback(host)


@pytest.mark.parametrize(
    "value", ['["A.example"]', '["a.example:8321"]', '["*"]', '[""]', "{}", "x"]
)
def test_a_list_of_hosts_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SPANPROOF_ALLOWED_HOSTS", value)
    with pytest.raises(SettingsError, match="Expected SPANPROOF_ALLOWED_HOSTS"):
        Settings()


@pytest.mark.parametrize(
    ("host", "listening", "is_own"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "0.0.0.0", True),  # noqa: S104 - read, not bound
        ("evil.example", "127.0.0.1", False),
        ("10.1.2.3", "127.0.0.1", False),
        ("10.1.2.3", "0.0.0.0", True),  # noqa: S104 - as above
        ("evil.example", "0.0.0.0", False),  # noqa: S104 - as above
        ("spans.example", "spans.example", True),
        ("proof.example", "0.0.0.0", True),  # noqa: S104 - as above
        ("proof.example", "127.0.0.1", True),
        ("", "0.0.0.0", False),  # noqa: S104 - as above
    ],
)
def test_a_name_that_is_not_ours_is_nobodys(host: str, listening: str, *, is_own: bool) -> None:
    assert is_own_host(host, listening, ("proof.example",)) is is_own


@pytest.mark.parametrize("url", ["https://models.example:8443/nli", "http://[::1]:8080"])
def test_the_address_of_a_model_server_is_taken(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SPANPROOF_MODEL_URL", url)
    assert Settings().model_url == url


@pytest.mark.parametrize(
    "url", ["ftp://me:open-sesame@host", "me:open-sesame@host", "http://", "http://[::1", "/x"]
)
def test_an_address_that_is_none_is_refused_and_not_printed(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SPANPROOF_MODEL_URL", url)
    with pytest.raises(SettingsError, match="Expected SPANPROOF_MODEL_URL to be an http") as caught:
        Settings()
    assert "sesame" not in str(caught.value)


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(SettingsError, match="SPANPROOF_PROT"):
        Settings(prot=1)


def test_an_old_name_is_refused_with_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANPROOF_WITNESS_RATE", "0")
    with pytest.raises(SettingsError, match="SPANPROOF_CROSS_CHECK_RATE") as caught:
        Settings()
    assert caught.value.hint == "Rename SPANPROOF_WITNESS_RATE to SPANPROOF_CROSS_CHECK_RATE."


def test_settings_cannot_be_changed() -> None:
    settings = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1


def test_a_misspelt_variable_is_refused_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANPROOF_PROT", "1")
    with pytest.raises(SettingsError, match=r"SPANPROOF_PROT.*mean SPANPROOF_PORT") as caught:
        Settings()
    assert "\n" not in str(caught.value)


def test_the_environment_wins_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "spanproof.toml"
    file.write_text('port = 9001\npolicy = "strict"\nfetch_hosts = ["a.example"]\nblobs = ""\n')
    monkeypatch.setenv("SPANPROOF_PORT", "9002")
    settings = Settings()
    assert (settings.port, settings.policy) == (9002, "strict")
    assert settings.fetch_hosts == ("a.example",)
    assert settings.blobs is None
    assert Settings(policy="review").policy == "review"
    moved = tmp_path / "other.toml"
    moved.write_text("port = 9003\n")
    monkeypatch.setenv("SPANPROOF_CONFIG", str(moved))
    monkeypatch.delenv("SPANPROOF_PORT")
    assert Settings().port == 9003


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prot = 1", "'prot'.*mean port"),
        ("port = ", "Expected TOML"),
        ("port = 'many'", "SPANPROOF_PORT"),
        (None, "Expected a file of settings"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None, message: str
) -> None:
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SPANPROOF_CONFIG", str(file))
    with pytest.raises(SettingsError, match=message):
        Settings()


def test_the_written_file_names_every_setting_and_sets_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = write_template(Settings.model_fields)
    assert tomllib.loads(text) == {}, "everything is commented out"
    lines = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    named = {line.split(" = ")[0] for line in lines}
    assert named == set(Settings.model_fields) - {"key_passphrase", "database_url"}
    for name in os.environ:
        if name.startswith("SPANPROOF_"):
            monkeypatch.delenv(name)
    plain = Settings()
    file = tmp_path / "mine.toml"
    file.write_text("\n".join(lines))
    monkeypatch.setenv("SPANPROOF_CONFIG", str(file))
    assert Settings().model_dump(exclude={"tool_extractors"}) == plain.model_dump(
        exclude={"tool_extractors"}
    )


def test_misspelt_variables_are_found() -> None:
    environment = {"SPANPROOF_HOME": "x", "SPANPROOF_PROT": "1", "HOME": "y"}
    assert find_unknown_variables(environment) == ("SPANPROOF_PROT",)


def test_only_the_settings_read_the_environment() -> None:
    root = Path(__file__).parents[2]
    reading = re.compile(r"\bos\.(?:environ|getenv)|\bfrom os import")
    readers = {
        str(path.relative_to(root))
        for package in ("core", "ingest", "verifier", "store", "operations", "client", "api")
        for path in (root / package).rglob("*.py")
        if reading.search(path.read_text(encoding="utf-8"))
    }
    doors = {path for path in readers if path.startswith(("api/", "operations/", "client/"))}
    assert doors == {"operations/settings.py"}


@pytest.mark.parametrize(
    "url", ["s3://bucket", "s3://my.bucket-1/a/b_c/", "gs://bucket/prefix", "az://container/x"]
)
def test_an_object_stores_address_is_taken(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SPANPROOF_BLOBS", url)
    assert Settings().blobs == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "s3://AKID:hidden@bucket/x",
        "s3://bucket/x?secret=hidden",
        "s3://bucket/hidden#x",
        "s3://bucket/../hidden",
        "s3://bucket//hidden",
        "simplecache::s3://bucket/hidden",
        "file:///srv/hidden",
        "local://srv/hidden",
        "memory://hidden",
        "/srv/hidden",
        "s3://",
        "S3://bucket/hidden",
    ],
)
def test_other_addresses_are_refused_and_not_told(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SPANPROOF_BLOBS", url)
    with pytest.raises(SettingsError, match="SPANPROOF_BLOBS") as raised:
        Settings()
    assert "hidden" not in str(raised.value)
