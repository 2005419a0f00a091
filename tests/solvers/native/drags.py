"""Drags at the edge of reach that are known to miss their millimetre.

The last bits at the edge decide whether a drag keeps it. So this is known for one build only: GCC's, for AVX2, without
sanitizers.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def recorded_build() -> bool:
    """Whether the core is the one that the failures were recorded with."""
    from manikin import _core

    found = Path(_core.__file__ or "")
    code = found.read_bytes() if found.is_file() else b"clang version"
    return _core.in_use() == "v3" and b"clang version" not in code and b"__asan_init" not in code


def known_failure(request: pytest.FixtureRequest, reason: str | None) -> None:
    """Marks a drag that misses its bounds. With another build, other drags may miss theirs."""
    if recorded_build():
        if reason is not None:
            request.applymarker(pytest.mark.xfail(strict=True, reason=reason))
    else:
        request.applymarker(pytest.mark.xfail(strict=False, reason="failures are known for GCC's kernels for AVX2"))
