"""The points that were seen in each frame, with their weights, and how well a figure follows them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points, Vector
from manikin.goals.robust import GemanMcClure
from manikin.motion.smoothing import smooth_values

NOISE = 0.023
"""Standard deviation of a point with confidence 1, in legs (2 cm for a person)."""
BEFORE = 5.0
"""Points are smoothed at this frequency in Hz for the starting poses and the calibration. The poses are fitted to the
points without this smoothing."""
BRIDGED = 0.15
"""A smoothed point counts in a gap if a sample is at most this many seconds away."""
FAR = 4.0
"""A sample farther from the figure than this many median distances is an outlier."""
NEAR = 0.03
"""A sample nearer to the figure than this is never an outlier, in legs."""

STRAY = 10.0
"""A sample is stray if it is farther than this from the middle of its frame, in typical distances from the middle."""
ALIKE = 3
"""If this many points of a frame are at one place, they are not points of a body. Estimators write such points, often
zeros, for points that they do not see."""
SAME = 1e-6
"""Points are at one place if they are this near to each other, in typical distances from the middle."""


@dataclass(frozen=True, eq=False)
class SeenPoints:
    """Points over time in the unit of the figure."""

    points: Points
    """(T, K, 3); 0 where a point was not seen."""
    weights: Matrix
    """(T, K) confidence relative to its median, 0 where a point was not seen."""
    times: Vector
    """(T,) seconds."""
    leg: float
    """Length of thigh and shank of the person, in the unit of the figure."""

    @staticmethod
    def of(points: Points, confidence: Matrix, times: Vector, leg: float) -> SeenPoints:
        """Points with NaN in gaps. Only ratios of the confidence count, because estimators scale it differently."""
        there = np.isfinite(points).all(axis=-1) & (confidence > 0.0)
        typical = float(np.median(confidence[there])) if there.any() else 1.0
        weights = np.where(there, confidence / typical, 0.0)
        return SeenPoints(np.where(there[..., None], points, 0.0), weights, times, leg)

    @property
    def there(self) -> NDArray[np.bool_]:
        """(T, K) whether a point was seen."""
        return self.weights > 0.0

    def without_strays(self) -> SeenPoints:
        """The points without samples that cannot belong to the body, such as -9999 for a point that is missing. These
        would spoil the smoothed points and the first poses, which are not robust."""
        points = np.where(self.there[..., None], self.points, np.nan)
        typical = float(np.median(_from_middle(points)[self.there])) if self.there.any() else 0.0
        if not typical > 0.0:
            return self
        kept = self.there & ~_alike(points, SAME * typical)
        kept &= _from_middle(np.where(kept[..., None], points, np.nan)) <= STRAY * typical
        points, weights = np.where(kept[..., None], self.points, 0.0), np.where(kept, self.weights, 0.0)
        return replace(self, points=points, weights=weights)

    def part(self, frames: slice | NDArray[np.intp]) -> SeenPoints:
        """Some of the frames."""
        return SeenPoints(self.points[frames], self.weights[frames], self.times[frames], self.leg)

    def smoothed(self, frequency: float = BEFORE) -> SeenPoints:
        """The points without noise, with short gaps bridged."""
        points, weights = np.array(self.points), np.array(self.weights)
        rate = (len(self.times) - 1) / (self.times[-1] - self.times[0]) if len(self.times) > 1 else 1.0
        if len(self.times) < 4 or frequency >= 0.5 * rate:
            return self
        for k in range(points.shape[1]):
            there = self.there[:, k]
            if there.sum() < 4:
                continue
            values = np.where(there[:, None], points[:, k], np.nan)
            calm = smooth_values(values, self.times, frequency, weights=np.where(there, self.weights[:, k], 1.0))
            near = self._bridged(there) & np.isfinite(calm).all(axis=1)
            points[near, k] = calm[near]
            weights[near & ~there, k] = float(np.median(self.weights[there, k]))
        return SeenPoints(points, weights, self.times, self.leg)

    def _bridged(self, there: NDArray[np.bool_]) -> NDArray[np.bool_]:
        known = self.times[there]
        at = np.searchsorted(known, self.times)
        before, after = known[np.maximum(at - 1, 0)], known[np.minimum(at, len(known) - 1)]
        return np.asarray(np.minimum(np.abs(self.times - before), np.abs(after - self.times)) <= BRIDGED)

    def outlier_distance(self, distances: Matrix) -> float:
        """The distance above which a sample is an outlier, given the distances (T, K) to the figure."""
        typical = float(np.median(distances[self.there])) if self.there.any() else 0.0
        return max(FAR * typical, NEAR * self.leg)

    def pulls(self, distances: Matrix, robust: bool) -> Matrix:
        """(T, K) the weight of each sample in the cost, 1 / length². Outliers lose their pull."""
        weights = self.weights / (NOISE * self.leg) ** 2
        if robust:
            weights = weights * GemanMcClure(self.outlier_distance(distances)).weight(distances)
        return np.asarray(weights)


def _from_middle(points: Points) -> Matrix:
    """(T, K) distance of each point from the median of its frame; NaN where a point was not seen."""
    frames = np.isfinite(points).any(axis=(1, 2))
    middle = np.zeros((len(points), 1, 3))
    middle[frames, 0] = np.nanmedian(points[frames], axis=1)
    return np.asarray(np.linalg.norm(points - middle, axis=-1))


def _alike(points: Points, near: float) -> NDArray[np.bool_]:
    """(T, K) whether several points of the frame are at the place of this one."""
    columns = [(np.abs(points - points[:, k : k + 1]).max(axis=-1) <= near).sum(axis=1) for k in range(points.shape[1])]
    return np.stack(columns, axis=1) >= ALIKE
