"""What all tests share: how Hypothesis searches, and where the real files are.

The profile is "ci" (the same examples in every run, so a failure can be seen again) unless MANIKIN_TEST_PROFILE says
"search" (new examples each time, many more of them: for a quiet evening).
"""

from __future__ import annotations

import os
from pathlib import Path

import needs
import pytest
from hypothesis import HealthCheck, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=40, database=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "search", deadline=None, max_examples=2000, database=None, print_blob=True, suppress_health_check=_SLOW_IS_FINE
)
settings.load_profile(os.environ.get("MANIKIN_TEST_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real files to read (bvh/, gltf/, urdf/, …), named by the environment variable MANIKIN_DATA."""
    return needs.data_folder()


def pytest_configure(config: pytest.Config) -> None:
    needs.required()  # an unknown name ends the run here


def pytest_runtest_setup(item: pytest.Item) -> None:
    needs.check_marks(item)
