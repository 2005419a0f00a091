"""The benchmark of whole clips: a tiny run writes every part, and its inputs and judges do what they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from benchmarks import clips, motion_inputs, motion_memory, motion_peers, motions
from benchmarks.peers import PEERS

pytestmark = pytest.mark.needs("data", "bvh/cmu_09_01_run.bvh")


@pytest.fixture(scope="module")
def taken() -> motion_inputs.Taken:
    return motion_inputs.take("run").cut(40)


def test_a_tiny_run_writes_a_page_with_every_part_and_missing_peers(
    tmp_path: Path, taken: motion_inputs.Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motions, "take", lambda _: taken)
    monkeypatch.setattr(motions, "hand", lambda: {"inside_mm": 0.0})
    monkeypatch.setattr(motions, "growth", lambda counts: [{"frames": n} for n in counts])
    monkeypatch.setattr(motions, "REPEATS", 1)
    monkeypatch.setattr(motions, "long", lambda count: {"frames": count})
    monkeypatch.setattr(motions, "memory", lambda count: [{"frames": count}])
    monkeypatch.setattr(clips, "FOLDER", tmp_path)
    monkeypatch.setattr("benchmarks.environments.FOLDER", tmp_path)
    parts = "exact,noisy,hand,growth,long"
    arguments = ["--quick", "--peers", "--clips", "run", "--only", parts, "--name", "tiny", "--out", str(tmp_path)]
    assert motions.main(arguments) == 0
    stored = json.loads((tmp_path / "motions-tiny.json").read_text())
    assert set(stored) == {"header", "memory", *parts.split(",")}
    ours, peers = stored["exact"][:2], stored["exact"][2:]
    assert all(row["met"] == 1.0 and row["worst_mm"] < 0.5 and row["us_a_frame"] > 0.0 for row in ours)
    assert [row["method"] for row in peers] == [PEERS[key].label for key in clips.PEER_KEYS]
    assert all(row["frames"] == 0 and row["worst_mm"] is None for row in peers)
    assert stored["noisy"][0]["mean_mm"] < 40.0
    page = (tmp_path / "motions-tiny.md").read_text()
    assert all(f"## {part}" in page for part in (*parts.split(","), "memory"))


def test_noise_and_gaps_are_as_large_as_stated(taken: motion_inputs.Taken) -> None:
    rows = np.tile(taken.targets()[:1], (4000, 1, 1))
    given = motion_inputs.noisy(rows, 120.0, np.random.default_rng(0))
    gone = ~np.isfinite(given).all(axis=2)
    assert_close(gone.mean(axis=0), motion_inputs.MISSING[0], tol=0.02)
    assert_close(np.nanstd(given[..., :3] - rows[..., :3]), 0.01, tol=0.02)
    filled = motion_peers.filled(given)
    assert np.isfinite(filled).all()
    assert np.array_equal(filled[~gone][:, :3], given[~gone][:, :3])
    assert_close(np.linalg.norm(filled[..., 3:], axis=-1), 1.0)


def test_the_judge_sees_errors_and_shaking(taken: motion_inputs.Taken) -> None:
    rows = taken.targets()
    same = motions.judged(taken, rows, "same", taken.motion, 1e-5, 1e-5)
    assert same["worst_mm"] < 1e-6
    assert same["speed"] == same["jerk"] == same["times_solve"] == 1.0
    poses = np.array(taken.motion.poses)
    hand = taken.motion.figure.index_of("LeftForeArm")
    poses[::2, hand : hand + 4] = mk.rotations.multiply(
        poses[::2, hand : hand + 4], mk.rotations.from_rotation_vector([0.0, 0.5, 0.0])
    )
    shaken = motions.judged(taken, rows, "shaken", taken.motion.replaced(poses=poses), 1e-5, 1e-5)
    assert shaken["worst_mm"] > 20.0
    assert shaken["met"] == 0.5
    assert shaken["jerk"] > 2.0


def test_memory_grows_by_a_few_copies_of_the_results_only() -> None:
    (small, low), (large, high) = (motion_memory.peak_mb(frames) for frames in (6000, 12_000))
    assert large == pytest.approx(2.0 * small, rel=0.01)
    assert high - low < 4.0 * (large - small)
