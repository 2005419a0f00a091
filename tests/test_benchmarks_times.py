"""The benchmarks of the import, of Ctrl-C and of instructions: what lies beyond its bound is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import imports, instructions, interrupts


@pytest.mark.parametrize(("ours", "code"), [(0.100, 0), (0.130, 1)])
def test_an_import_beyond_its_bound_is_told(
    ours: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = {"pass": 0.01, "import numpy": 0.06, "import manikin": ours}
    monkeypatch.setattr(imports, "measured", lambda runs: {name: [value] * runs for name, value in cost.items()})
    assert imports.main(["--quick", "--out", str(tmp_path)]) == code
    page = (tmp_path / "imports.md").read_text()
    assert f"{1e3 * (ours - 0.06):.1f}" in page
    assert ("(above the bound)" in page) == bool(code)


def test_a_call_that_hears_ctrl_c_late_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "delay", lambda name: 0.5 if name == "a track" else 0.01)
    assert interrupts.main(["--quick", "--out", str(tmp_path)]) == 0
    lines = (tmp_path / "interrupts.md").read_text().splitlines()
    assert [line.split("|")[1].strip() for line in lines if "above" in line.split("|")[-2:][0]] == ["a track"]


@pytest.mark.parametrize(
    ("count", "python", "grown"), [(1029, "3.11", False), (1031, "3.11", True), (2000, "3.12", False)]
)
def test_a_path_that_costs_three_percent_more_is_told(count: int, python: str, grown: bool) -> None:
    stored = {"compiler": "GCC", "python": "3.11", "kernels": "v3", "counts": {"warm arm": 1000}}
    lines, found = instructions.compared({**stored, "python": python, "counts": {"warm arm": count}}, stored)
    assert found == grown
    assert ("(grown)" in lines[-1]) == grown
    assert any("not compared" in line for line in lines) == (python != stored["python"])
