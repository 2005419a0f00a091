"""What tests of the native solver share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(params=["base", "v3"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each set of kernels that this machine runs, in turn."""
    from manikin import _core

    if request.param not in _core.available():
        pytest.skip(f"this processor has no {request.param}")
    before = _core.in_use()
    _core.use(request.param)
    yield request.param
    _core.use(before)
