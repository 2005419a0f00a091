"""A workload: a figure as a file that all contestants read, starts, targets, and tolerances."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tree import Tree
from benchmarks.turns import Array, angle_between, matrix, quaternions
from benchmarks.urdf_text import urdf


@dataclass(frozen=True, eq=False)
class Workload:
    """One row of the benchmark, for manikin and for every peer that supports it."""

    key: str
    """Short name, also used for files."""
    title: str
    """Name in the tables."""
    mode: str
    """ "track": frame after frame from starts[0]; "cold": each target from its own start, one call each; "batch": the
    same, in one call if a peer supports that."""
    tree: Tree
    links: tuple[str, ...]
    """Names of the placed links."""
    kinds: tuple[str, ...]
    """ "placement", "position" or "aim" (the link's z axis points at the target) of each."""
    starts: Array
    """(N, nq), or (1, nq) for all."""
    targets: Array
    """(N, links, 7) x, y, z, and the quaternion wxyz, which counts for placements only."""
    length: float
    """Tolerance in metres."""
    angle: float
    """Tolerance in radians."""
    peers: tuple[str, ...] = ()
    """Peers that support it."""
    figure: str = ""
    """Text of the figure's JSON file if it is not a URDF file; only for manikin."""
    seconds: float = 2.0
    """Time limit in seconds. A peer stops after the call that exceeds it."""

    @property
    def file(self) -> str:
        return self.key + (".json" if self.figure else ".urdf")

    def save(self, folder: Path) -> Path:
        """Writes the figure's file and the .npz beside it; returns the path of the .npz."""
        path = folder / f"{self.key}.npz"
        (folder / self.file).write_text(self.figure or urdf(self.tree, self.key))
        np.savez(
            path,
            key=self.key,
            figure=self.file,
            mode=self.mode,
            root="free" if self.tree.free else "fixed",
            joints=np.array(self.tree.joints),
            lower=self.tree.lower,
            upper=self.tree.upper,
            base=self.tree.parts[0].link,
            links=np.array(self.links),
            kinds=np.array(self.kinds),
            starts=self.starts,
            targets=self.targets,
            length=self.length,
            angle=self.angle,
            seconds=self.seconds,
        )
        return path


@dataclass(frozen=True, eq=False)
class Verdict:
    """The checker's verdict on M results."""

    count: int
    solved: float
    """Share within tolerances and limits."""
    worst_length: float
    """Largest error of the solved ones, metres."""
    worst_angle: float
    """Largest error of the solved ones, radians."""
    violation: float
    """Largest excess over a limit, of all poses without NaN; radians or metres."""
    jump: float
    """Largest turn of a joint between two frames, radians; NaN if there are no frames."""
    away: float
    """Mean over the targets of the largest turn of a joint from its start, radians."""
    first_missed: int
    """Index of the first missed target, or -1."""


LIMIT_SLACK = 1e-6
"""A pose may exceed its limits by this, in radians or metres."""


def errors(w: Workload, poses: Array) -> tuple[Array, Array]:
    """(M, links) errors in metres and in radians; 0 for the part that a goal does not use."""
    placed = w.tree.placements(poses, w.links)
    wanted = w.targets[: len(poses)]
    lengths = np.linalg.norm(placed[..., :3, 3] - wanted[..., :3], axis=-1)
    angles = angle_between(placed[..., :3, :3], matrix(wanted[..., 3:]))
    kinds = np.array(w.kinds)
    aims = wanted[..., :3] - placed[..., :3, 3]
    z = placed[..., :3, 2]
    off = np.arctan2(np.linalg.norm(np.cross(z, aims), axis=-1), np.sum(z * aims, axis=-1))
    angles = np.where(kinds == "aim", off, np.where(kinds == "placement", angles, 0.0))
    return np.where(kinds == "aim", 0.0, lengths), angles


def judged(w: Workload, poses: Array) -> Verdict:
    """The checker: computes placements from the figure's file. A pose with NaN is not solved."""
    finite = np.isfinite(poses).all(axis=1)
    tried = np.where(finite[:, None], poses, w.starts[: len(poses)] if len(w.starts) > 1 else w.starts[0])
    lengths, angles = errors(w, tried)
    violation = w.tree.violation(tried)
    met = (lengths <= w.length * (1 + 1e-9)).all(axis=1) & (angles <= w.angle * (1 + 1e-9)).all(axis=1)
    ok = finite & met & (violation <= LIMIT_SLACK)
    missed = np.flatnonzero(~ok)
    jump = np.nan
    if w.mode == "track":
        jump = w.tree.moves(np.concatenate([w.starts[:1], tried[:-1]]), tried).max(initial=0.0)
    away = w.tree.moves(np.broadcast_to(w.starts[: len(poses)], tried.shape) if len(w.starts) > 1 else tried, tried)
    return Verdict(
        len(poses),
        float(ok.mean()),
        float(lengths[ok].max(initial=0.0)),
        float(angles[ok].max(initial=0.0)),
        float(violation[finite].max(initial=0.0)),
        float(jump),
        float(away.max(axis=1).mean()) if len(w.starts) > 1 else float("nan"),
        int(missed[0]) if len(missed) else -1,
    )


def targets_of(tree: Tree, poses: Array, links: tuple[str, ...]) -> Array:
    """(N, links, 7) placements of the links in these poses."""
    placed = tree.placements(poses, links)
    return np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)


def generator(seed: int, key: str) -> np.random.Generator:
    """One random stream for each workload, independent of the others."""
    return np.random.default_rng([seed, zlib.crc32(key.encode())])
