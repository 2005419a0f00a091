"""The first reason is the true one, and the first change works, in cases whose truth is known by construction.

Here five of each class; by hand, for figures to be quoted, twenty of each (about 360 cases, half a minute a seed):

    MANIKIN_DATA=... PYTHONPATH=src:tests python -m report.rates 101 102 103
"""

from __future__ import annotations

import pytest
from report.cases import MAKERS
from report.rates import Rates

RIGHT, WORKS = 0.95, 0.95
"""What must be right of all cases."""


@pytest.mark.parametrize("seed", [7, 8])
def test_the_first_reason_is_true_and_the_first_change_works(seed: int) -> None:
    rates = Rates.of(seed, each=5)
    assert rates.total >= 80
    assert len(rates.classes) >= len(MAKERS) - 2
    assert rates.right >= RIGHT * rates.total, f"{rates.total - rates.right} reasons wrong:\n" + "\n".join(rates.wrong)
    assert rates.works >= WORKS * rates.total, f"{rates.total - rates.works} changes fail:\n" + "\n".join(rates.wrong)
