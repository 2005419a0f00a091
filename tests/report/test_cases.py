"""The first reason is the true one, and the first change works, in cases whose truth is known by construction."""

from __future__ import annotations

from collections import Counter

from report.cases import MAKERS, cases

RIGHT, WORKS = 0.95, 0.95
"""What must be right of all cases."""


def test_the_first_reason_is_true_and_the_first_change_works() -> None:
    made, right, works, wrong = Counter[str](), 0, 0, []
    for case in cases(seed=7, each=5):
        made[case.kind] += 1
        said, helped = case.right(), case.works()
        right, works = right + said, works + helped
        if not (said and helped):
            wrong.append(f"{case.kind}, {case.place}: {case.report.text}")
    total = sum(made.values())
    assert total >= 80
    assert len(made) >= len(MAKERS) - 2
    assert right >= RIGHT * total, f"{total - right} of {total} reasons wrong:\n" + "\n".join(wrong)
    assert works >= WORKS * total, f"{total - works} of {total} changes do not help:\n" + "\n".join(wrong)
