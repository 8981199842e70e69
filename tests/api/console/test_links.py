from __future__ import annotations

import pytest

from spanproof.api.console.links import Links, find_web_url


@pytest.mark.parametrize("url", ["http://x.test/a?b=c#d", "https://x.test", "HTTPS://x.test/ä"])
def test_web_addresses_may_be_followed(url: str) -> None:
    assert find_web_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//x.test/a",
        "/a",
        "https:",
        "https:///a",
        "https:\\x.test",
        "https://x.test/a b",
        "https://x.test/\ta",
        "https://[x.test/",
        "https://x.test/\ud800",
        "blob:https://x.test/1",
    ],
)
def test_anything_else_is_only_text(url: str | None) -> None:
    assert find_web_url(url) is None


def test_every_part_of_a_path_is_encoded() -> None:
    links = Links(root="/audit")

    assert links.answer('a/b?c#d"<') == "/audit/answers/a%2Fb%3Fc%23d%22%3C"
    assert links.home({"code": "A&B"}) == "/audit/?code=A%26B"
    assert links.original("sha256:ab", 3) == "/audit/view/sha256:ab/original#page=3"
