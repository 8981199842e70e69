"""A cache of what was read: short texts do not push a long one out."""

from __future__ import annotations

from spanproof.verifier.language.kept import keep_last


def test_many_short_texts_leave_a_long_one_in_place() -> None:
    read: list[str] = []

    @keep_last
    def length_of(text: str, factor: int) -> int:
        read.append(text)
        return factor * len(text)

    long = "word " * 500
    assert length_of(long, 2) == 5000
    for number in range(100):
        assert length_of(f"claim {number}", 2) == 2 * len(f"claim {number}")
    assert length_of(long, 2) == 5000
    assert read.count(long) == 1


def test_another_option_is_another_reading() -> None:
    @keep_last
    def cut(text: str, *, at: int) -> str:
        return text[:at]

    assert (cut("spanproof", at=4), cut("spanproof", at=2)) == ("span", "sp")


def test_a_default_that_is_given_is_the_reading_without_it() -> None:
    read: list[str] = []

    @keep_last
    def cut(text: str, at: int = 4) -> str:
        read.append(text)
        return text[:at]

    assert [cut("spanproof"), cut("spanproof", 4), cut("spanproof", 2)] == ["span", "span", "sp"]
    assert read == ["spanproof", "spanproof"]

    @keep_last
    def join(text: str, other: str, mark: str = "-", end: str = ".") -> str:
        return text + mark + other + end

    assert join("a", "b") == join("a", "b", "-") == join("a", "b", "-", ".") == "a-b."
