"""Cases of tests that are picked by their seed."""

from __future__ import annotations

import numpy as np


def fixed_rng(seed: int) -> np.random.Generator:
    """The generator of `np.random.default_rng(seed)`, with the same numbers whatever MANIKIN_TEST_SEED is.

    For a test of chosen cases: a seed that once failed, an expected failure, a scene that is known to be hard. A test
    of a law, which holds on any sample, uses `np.random.default_rng`.
    """
    return np.random.Generator(np.random.PCG64(seed))
