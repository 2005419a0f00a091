"""Placements of all segments of the person: one pose per call, and batches of 10,000 into `out=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.timing import in_turns


def run(quick: bool, seed: int) -> list[dict[str, Any]]:
    """Rows: workload, contestant, microseconds per pose (CPU), ratio to manikin, and the largest difference of the
    placements."""
    figure = mk.human()
    rng = np.random.default_rng(seed)
    poses = figure.random(rng, 1_000 if quick else 10_000)
    one = poses[0].copy()
    out = np.empty((len(poses), len(figure.segments), 4, 4))
    single_out = np.empty(out.shape[1:])
    singles = {
        "manikin": lambda: figure.placements(one),
        "manikin, out=": lambda: figure.placements(one, out=single_out),
    }
    batches: dict[str, Callable[[], object]] = {"manikin, out=": lambda: figure.placements(poses, out=out)}
    difference = None
    try:
        from benchmarks.pinocchio import Peer

        peer = Peer(figure)
    except ImportError:
        peer = None
    if peer is not None:
        theirs = peer.pose(poses)
        first = theirs[0].copy()
        difference = max(
            float(np.abs(peer.placements(t) - figure.placements(p)).max())
            for t, p in zip(theirs[:20], poses, strict=False)
        )
        forward, model, data = peer.pin.forwardKinematics, peer.model, peer.data
        singles["pinocchio"] = lambda: forward(model, data, first)
        joints = model.njoints
        copied = np.empty((len(poses), joints, 4, 4))

        def loop() -> None:
            for b, q in enumerate(theirs):
                forward(model, data, q)
                for j, placement in enumerate(data.oMi):
                    copied[b, j] = placement.homogeneous

        batches["pinocchio, loop and copy"] = loop
    rounds = 5 if quick else 15
    rows = _rows("placements, one pose", in_turns(singles, rounds, 0.02 if quick else 0.1), 1, "manikin")
    rows += _rows(
        f"placements, batch of {len(poses):,}", in_turns(batches, 3 if quick else 7, 0.0), len(poses), "manikin, out="
    )
    for row in rows:
        row["largest difference"] = difference
    return rows


def _rows(workload: str, times: dict[str, Any], count: int, ours: str) -> list[dict[str, Any]]:
    base = times[ours].best
    return [
        {
            "workload": workload,
            "who": who,
            "us a pose, best": 1e6 * t.best / count,
            "us a pose, median": 1e6 * t.median / count,
            "times ours": t.best / base,
        }
        for who, t in times.items()
    ]
