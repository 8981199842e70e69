"""What an experiment comes to: how often it was done, and what it found that must not be."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Tally:
    """``counts`` are figures for the table, ``violations`` whatever was promised and not held."""

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        """Add to a figure."""
        self.counts[name] = self.counts.get(name, 0) + number

    def demand(self, holds: bool, promise: str) -> None:
        """Note a promise that did not hold."""
        if not holds:
            self.violations.append(promise)

    @property
    def row(self) -> str:
        """A line of the table."""
        figures = ", ".join(f"{number:,} {name}" for name, number in self.counts.items())
        return f"| {self.name} | {figures} | {len(self.violations)} |"
