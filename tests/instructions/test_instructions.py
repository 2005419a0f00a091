"""The counted paths cost no more instructions than they did: the four hottest may grow by 1 %, the others by 10 %.

Counts do not depend on what else the machine does, unlike times. After a change that is meant to cost or to save:
`python tests/instructions/count.py --update` (see there).
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from manikin import backend

_spec = importlib.util.spec_from_file_location("instructions_count", Path(__file__).with_name("count.py"))
assert _spec is not None
assert _spec.loader is not None
count = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(count)

BASE = {"person, a frame of track": 1.95, "batch of arms, a target": 3.2, "chain of 300": 2.75}
"""What the base kernels may cost, in counts of those for AVX2: registers of half the size, and no fused products."""

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native core")


@pytest.fixture(scope="module")
def found() -> Any:
    reason = count.missing()
    if reason:
        pytest.skip(f"instructions cannot be counted: {reason}")
    return count.counted()


def test_the_paths_cost_no_more_instructions_than_stored(found: dict[str, Any]) -> None:
    stored = count.stored()
    for name in ("compiler", "python", "kernels"):
        if found[name] != stored[name]:
            pytest.skip(f"counts are stored for {name} {stored[name]}; here it is {found[name]}")
    assert found["counts"].keys() == stored["counts"].keys()
    grown = {
        name: f"{now:,} instructions, stored {before:,}"
        for name, now in found["counts"].items()
        if now > count.allowed(name) * (before := stored["counts"][name])
    }
    assert not grown


def test_the_base_kernels_work_on_whole_registers(found: dict[str, Any]) -> None:
    """Vectors of 32 bytes are two registers there. A compiler that takes them apart into single numbers costs more."""
    if found["kernels"] != "v3":
        pytest.skip(f"the base kernels are compared with those for AVX2; in use are {found['kernels']}")
    base = count.counted("base")
    assert base["kernels"] == "base"
    ratios = {name: base["counts"][name] / found["counts"][name] for name in BASE}
    assert not {name: ratio for name, ratio in ratios.items() if ratio > BASE[name]}


def test_counts_are_of_work_that_is_done(found: dict[str, Any]) -> None:
    """A path that fails at once, or is not run at all, would pass every bound."""
    least = {"warm arm": 2_000, "person, a frame of track": 10_000, "batch of arms, a target": 500, "chain of 300": 1e5}
    least |= {
        "warm arm, with weights and active": 2_000,
        "person, a noisy frame of track": 10_000,
        "person, a frame of track out of reach": 10_000,
        "person, a solve with priorities": 50_000,
        "arm, a frame of a drag": 2_000,
        "person, a frame of a drag": 10_000,
        "person, a natural start": 50_000,
    }
    for name, count_now in found["counts"].items():
        assert count_now >= least[name], name
