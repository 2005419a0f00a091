"""Replaces `start="natural"` and `prefer="natural"` by poses before the native core is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.prior import NATURAL
from manikin.solution import Solution, Solutions

if TYPE_CHECKING:
    from manikin.prior.start import NaturalStart

Answer = TypeVar("Answer", Solution, Solutions)
Start = ArrayLike | str | None
"""A pose, or "natural"."""


@dataclass(frozen=True, eq=False)
class Wished:
    """Arguments of a call, with "natural" replaced by poses."""

    start: Any
    prefer: Any
    stiffness: Any
    notes: tuple[str, ...] = ()

    def noted(self, found: Answer) -> Answer:
        """The answer, with notes on the natural start."""
        return found.with_notes(*self.notes) if self.notes else found


class NaturalWords:
    """The natural starts of one problem. They are computed when first needed."""

    def __init__(
        self, figure: Figure | None, goals: Sequence[Goal], movable: NDArray[np.bool_], angle_length: float
    ) -> None:
        """
        Args:
            figure: None for a solver made by `from_bytes`.
            goals: settled on the figure.
            movable: (nv,) the steps that may change.
            angle_length: the length that counts as one radian.
        """
        self._made_of = (figure, goals, movable)
        self._angle_length = angle_length
        self._found: NaturalStart | str | None = None
        self._targets: Vector = np.concatenate([np.zeros(0), *(g.target for g in goals)])
        self._weights: Vector = np.array([float(g.weight) for g in goals])

    @classmethod
    def without_figure(cls) -> NaturalWords:
        """For a solver made by `from_bytes`, which has no figure."""
        return cls(None, (), np.zeros(0, dtype=bool), 1.0)

    def wished(
        self,
        start: Any,
        targets: Matrix | None,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        prefer: Any = None,
        stiffness: Any = None,
    ) -> Wished:
        """Replaces "natural" by poses.

        Args:
            start, prefer, stiffness: as the caller gave them.
            targets: (k,) or (B, k); None means the goals' own targets.
            weights, active: (goals,) or (B, goals), as the caller gave them.
        """
        words = [isinstance(value, str) for value in (start, prefer)]
        if not any(words):
            return Wished(start, prefer, stiffness)
        for name, value, word in zip(("start pose", "prefer"), (start, prefer), words, strict=True):
            if word and value != NATURAL:
                raise BadValue(f"{name} is {value!r}; it needs a pose, None, or {NATURAL!r}")
        found = self._start()
        if isinstance(found, str):
            if words[1]:
                raise BadValue(f"prefer={NATURAL!r}: {found}")
            said = f"start={NATURAL!r}: {found}; the start faces the targets instead"
            return Wished(None, prefer, stiffness, (said,))
        poses = found.starts(*self._rows(targets, weights, active))
        poses[~np.isfinite(poses).all(axis=1)] = self._rest()  # the core reports targets that are not finite
        if targets is None or np.ndim(targets) == 1:
            poses = poses[0] if len(poses) == 1 else poses
        pull = found.stiffness(self._angle_length) if words[1] and stiffness is None else stiffness
        return Wished(poses if words[0] else start, poses if words[1] else prefer, pull)

    def wished_for_track(
        self,
        start: Any,
        targets: Matrix,
        before: Vector | None,
        weights: ArrayLike | None,
        active: ArrayLike | None,
        prefer: Any,
        stiffness: Any,
    ) -> Wished:
        """The same for a track with targets (T, k). Its start belongs to the first frame, or to the frame before it.

        Goals whose targets in `before` are not finite do not count for that start. A frame without a goal that places
        an effector has no preferred pose (NaN): nothing says where the person is.
        """
        if not (isinstance(start, str) or isinstance(prefer, str)):
            return Wished(start, prefer, stiffness)
        frames: Matrix | None = targets
        if len(targets) == 0:  # no frame uses the poses, so the goals' own targets will do
            frames = weights = active = None
        pull = self.wished(None, frames, weights, active, prefer, stiffness)
        own = [None if x is None else np.atleast_2d(np.asarray(x))[0] for x in (weights, active)]
        first = None if frames is None else frames[0]
        if before is not None:
            given = self._given(before)
            first, own[1] = before, given if own[1] is None else given & (own[1][: len(given)] != 0)
        begin = self.wished(start, first, *own)
        if isinstance(prefer, str) and frames is not None:
            found = self._start()
            assert not isinstance(found, str)
            pull.prefer[~np.broadcast_to(found.placed(self._rows(frames, weights, active)[1]), len(frames))] = np.nan
        return Wished(begin.start, pull.prefer, pull.stiffness, begin.notes)

    def _given(self, row: Vector) -> NDArray[np.bool_]:
        """For each goal with numbers in a row of targets, whether they are finite."""
        ends = np.cumsum([len(g.target) for g in self._made_of[1]])
        parts = np.split(row, ends[:-1])[: np.count_nonzero(ends <= len(row))]
        return np.array([bool(np.isfinite(part).all()) for part in parts], dtype=bool)

    def _rest(self) -> Vector:
        """The rest pose of the figure."""
        figure = self._made_of[0]
        assert figure is not None
        return figure.rest

    def _start(self) -> NaturalStart | str:
        """The object that computes natural starts, or the reason why there is none."""
        if self._found is None:
            figure, goals, movable = self._made_of
            if figure is None:
                return "a solver made of bytes does not know the parts of its figure"
            try:
                from manikin.prior.start import NaturalStart

                made = NaturalStart(figure, goals, movable)
                self._found = made if made.has_place else "no goal places the head, a hand, a foot or the pelvis"
            except BadValue as error:
                self._found = str(error)
        return self._found

    def _rows(
        self, targets: Matrix | None, weights: ArrayLike | None, active: ArrayLike | None
    ) -> tuple[Matrix, Matrix]:
        """Rows of targets and weights of all goals, including closed loops."""
        own, weight = self._targets, self._weights
        rows = np.atleast_2d(own if targets is None else np.asarray(targets, dtype=np.float64))
        if weights is None and active is None and rows.shape[1] == len(own):
            return rows, weight
        rest = np.broadcast_to(own[rows.shape[1] :], (len(rows), len(own) - rows.shape[1]))
        given = weight if weights is None else np.asarray(weights, dtype=np.float64)
        on = np.ones(len(weight), dtype=bool) if active is None else np.asarray(active) != 0
        n = min(given.shape[-1], on.shape[-1])
        counts = np.where(on[..., :n], given[..., :n], 0.0)
        extra = np.broadcast_to(weight[n:], (*counts.shape[:-1], len(weight) - n))
        every = np.concatenate([counts, extra], axis=-1)
        if every.ndim == 2 and len(rows) == 1:
            rows, rest = (np.repeat(a, len(every), axis=0) for a in (rows, rest))
        return np.concatenate([rows, rest], axis=1), every
