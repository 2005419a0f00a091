"""How often the first reason is true and the first change works, as a table: python -m report.rates SEED …"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from report.cases import cases


@dataclass
class Rates:
    """Counts by class."""

    classes: dict[str, Counter[str]] = field(default_factory=dict)
    """Cases, right reasons, working changes, re-solves, by class."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Of each report, by class."""
    wrong: list[str] = field(default_factory=list)
    """What was said where it was not right."""

    @staticmethod
    def of(*seeds: int, each: int) -> Rates:
        """`each` cases of every class for every seed."""
        rates = Rates()
        for seed in seeds:
            for case in cases(seed, each):
                began = time.perf_counter()
                report = case.report
                rates.seconds.setdefault(case.kind, []).append(time.perf_counter() - began)
                right, works = case.right(), case.works()
                row = rates.classes.setdefault(case.kind, Counter())
                row.update(cases=1, right=int(right), works=int(works), re_solves=report.re_solves)
                if not (right and works):
                    rates.wrong.append(f"seed {seed}, {case.kind}, {case.place}: {report.text}")
        return rates

    @property
    def total(self) -> int:
        return self._sum("cases")

    @property
    def right(self) -> int:
        return self._sum("right")

    @property
    def works(self) -> int:
        return self._sum("works")

    def _sum(self, what: str) -> int:
        return sum(row[what] for row in self.classes.values())

    def table(self) -> str:
        """As it stands in docs/why.md."""
        lines = ["| class | cases | first reason true | first change works | re-solves | ms |", "|" + " --- |" * 6]
        for kind, row in self.classes.items():
            each = row["re_solves"] / row["cases"]
            middle = 1000 * float(np.median(self.seconds[kind]))
            lines.append(f"| {kind} | {row['cases']} | {row['right']} | {row['works']} | {each:.0f} | {middle:.0f} |")
        lines.append(f"| **all** | {self.total} | {self.right} | {self.works} | | |")
        return "\n".join(lines)


def main(seeds: Sequence[str]) -> None:
    rates = Rates.of(*map(int, seeds), each=20)
    print(rates.table(), "", *(f"- {line}" for line in rates.wrong), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
