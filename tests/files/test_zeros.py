"""A marker at exactly (0, 0, 0) where it cannot be data is a gap, in every format of markers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from synthetic_markers import recorded

import manikin as mk
from manikin.errors import BadValue, OddFile

TIMES = np.arange(60) / 60


def walk() -> np.ndarray[Any, np.dtype[np.float64]]:
    """(60, 4, 3) markers that move at about 1 m/s, far from the origin."""
    base = np.array([[1.0, 1.0, 1.0], [1.2, 0.5, 1.0], [0.8, 1.4, 1.1], [1.1, 0.1, 0.9]])
    return base + np.stack([TIMES, 0.02 * np.sin(9 * TIMES), 0 * TIMES], axis=1)[:, None] + 0.0


def through() -> np.ndarray[Any, np.dtype[np.float64]]:
    """The same, with a fifth marker that passes through the origin in frame 30."""
    path = np.stack([TIMES - TIMES[30], 0.3 * (TIMES - TIMES[30]), 0 * TIMES], axis=1)
    return np.concatenate([walk(), path[:, None]], axis=1)


def trc(path: Path, positions: np.ndarray[Any, Any]) -> mk.Markers:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mk.save(mk.Markers([f"M{k}" for k in range(positions.shape[1])], positions, rate=60, unit=1.0), path)
    return mk.load_markers(path)


def csv(path: Path, positions: np.ndarray[Any, Any]) -> mk.Markers:
    heads = [f"M{k}_{axis}" for k in range(positions.shape[1]) for axis in "xyz"]
    rows = [",".join(map(repr, [t, *row.ravel().tolist()])) for t, row in zip(TIMES.tolist(), positions, strict=True)]
    path.write_text("\n".join(["time," + ",".join(heads), *rows]) + "\n")
    return mk.load_points(path)


FORMATS: dict[str, Callable[[Path, np.ndarray[Any, Any]], mk.Markers]] = {".trc": trc, ".c3d": trc, ".csv": csv}


@pytest.mark.parametrize("ending", FORMATS)
def test_a_jump_to_the_origin_is_a_gap(ending: str, tmp_path: Path) -> None:
    positions = through()
    at = np.zeros((60, 5), dtype=bool)
    at[10:13, 1] = at[0, 2] = at[-4:, 3] = at[40, 0] = True
    positions[at] = 0.0
    with pytest.warns(OddFile, match=r"9 samples.*4 markers \(M0, M1, M2, M3\)") as heard:
        markers = FORMATS[ending](tmp_path / f"x{ending}", positions)
    assert len(heard) == 1
    assert np.array_equal(~markers.present, at)  # frame 30 of M4 is data
    assert any("exactly (0, 0, 0)" in note for note in markers.notes)


@pytest.mark.parametrize("ending", FORMATS)
def test_the_caller_decides_otherwise(ending: str, tmp_path: Path) -> None:
    positions = through()
    positions[10:13, 1] = 0.0
    path = tmp_path / f"x{ending}"
    load = mk.load_points if ending == ".csv" else mk.load_markers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        FORMATS[ending](path, positions)
    kept = load(path, zeros="data")
    assert kept.present.all()
    assert np.allclose(kept.positions, positions, atol=1e-6)
    with pytest.warns(OddFile, match="4 samples"):
        gone = load(path, zeros="missing")
    assert int((~gone.present).sum()) == 4  # frame 30 of M4 as well
    with pytest.raises(BadValue, match="zeros is 'gap'; it must be 'missing', 'data', or None"):
        load(path, zeros="gap")


@pytest.mark.parametrize("ending", [".trc", ".c3d"])
def test_a_marker_that_is_always_at_the_origin_was_never_seen(ending: str, tmp_path: Path) -> None:
    positions = walk()
    positions[:, 2] = 0.0
    with pytest.warns(OddFile, match=r"60 samples at exactly \(0, 0, 0\) of 1 marker \(M2\)"):
        markers = trc(tmp_path / f"x{ending}", positions)
    assert markers.present.sum(axis=0).tolist() == [60, 60, 0, 60]


def test_nothing_that_moves_says_nothing(tmp_path: Path) -> None:
    """In a trial that stands still, and among keypoints about the pelvis, the origin is a place as any other."""
    still = np.repeat(walk()[:1], 60, axis=0)
    still[:, 2] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", OddFile)
        assert trc(tmp_path / "still.trc", still).present.all()
        moving = walk()
        moving[:, 2] = 0.0
        assert csv(tmp_path / "pelvis.csv", moving).present.all()


def test_a_marker_that_was_never_seen_does_not_spoil_the_error_of_a_fit(tmp_path: Path) -> None:
    """One marker of a trial is zeros, as in a public recording of a run: its error of 1.5 m counted."""
    markers = recorded(40, noise=0.002).markers
    positions = np.array(markers.positions)
    positions[:, 5] = 0.0
    path = tmp_path / "run.trc"
    mk.save(markers.replaced(positions=positions), path)
    with pytest.warns(OddFile, match="40 samples at exactly"):
        found = mk.load_markers(path).replaced(up=markers.up)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mk.fit_markers(mk.human(), found).rms < 0.02
        kept = mk.load_markers(path, zeros="data").replaced(up=markers.up)
        assert mk.fit_markers(mk.human(), kept).rms > 0.1
