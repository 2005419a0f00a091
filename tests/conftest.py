"""What all tests share: how Hypothesis searches, and where the real files are.

The profile is "ci" (the same examples in every run, so a failure can be seen again) unless MANIKIN_TEST_PROFILE says
"search" (new examples each time, many more of them: for a quiet evening).
"""

from __future__ import annotations

import os
from pathlib import Path

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
    named = os.environ.get("MANIKIN_DATA", "")
    if not named:
        pytest.skip("MANIKIN_DATA is not set; it names the folder of real files to test on")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"MANIKIN_DATA is {named!r}, which is not a folder")
    return folder
