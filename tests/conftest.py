"""What all tests share: how Hypothesis searches, and where the real files are.

The profile is "ci" (the same examples in every run, so a failure can be seen again) unless MANIKIN_TEST_PROFILE says
"search" (new examples each time, many more of them: for a quiet evening) or "few" (for `make sanitize`).

MANIKIN_TEST_SEED=7 draws other samples everywhere, the same ones for the same number: for laws that must hold on any.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import needs
import numpy as np
import pytest
import two_runs
from hypothesis import HealthCheck, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)

OTHER_SEED = os.environ.get("MANIKIN_TEST_SEED", "")
settings.register_profile(
    "ci", derandomize=not OTHER_SEED, deadline=None, max_examples=40, database=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "search", deadline=None, max_examples=2000, database=None, print_blob=True, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "few", settings.get_profile("ci"), derandomize=not OTHER_SEED, max_examples=4, suppress_health_check=_SLOW_IS_FINE
)
settings.load_profile(os.environ.get("MANIKIN_TEST_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real files to read (bvh/, gltf/, urdf/, …), named by the environment variable MANIKIN_DATA."""
    return needs.data_folder()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(two_runs.OPTION, action="store_true", help="run what the last run did not; nothing may be skipped")


def pytest_configure(config: pytest.Config) -> None:
    needs.required()  # an unknown name ends the run here
    config.pluginmanager.register(two_runs.TwoRuns(config))
    if OTHER_SEED:
        config.option.hypothesis_seed = config.option.hypothesis_seed or OTHER_SEED
        _draw_others(int(OTHER_SEED))


def _draw_others(shift: int) -> None:
    """Gives every seed of NumPy other numbers."""
    draw = np.random.default_rng

    def other(seed: Any = None) -> np.random.Generator:
        return draw([shift, *np.ravel(seed)] if isinstance(seed, int | np.integer | Sequence | np.ndarray) else seed)

    np.random.default_rng = other


def pytest_runtest_setup(item: pytest.Item) -> None:
    needs.check_marks(item)


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> None:
    needs.fold_skips(terminalreporter.stats.get("skipped", []))
