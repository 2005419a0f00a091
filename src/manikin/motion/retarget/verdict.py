"""Whether a retargeted motion is good: its quality figures are within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = {
    "slide_mm": (5.0, "a planted foot slides by {:.3g} mm"),
    "hand_slide_mm": (20.0, "a planted hand slides by {:.3g} mm"),
    "sinking_mm": (10.0, "a sole is {:.3g} mm below the floor"),
    "bone_error_deg": (15.0, "limbs point {:.3g}° away from where they should, on average"),
    "far_percent": (5.0, "limbs point in other directions than in the source in {:.3g} % of frames"),
    "wrist_error_percent": (10.0, "wrists are {:.3g} % of body height from their places, on average"),
    "turn_excess_deg": (10.0, "a part turns in one frame by {:.3g}° more than any part of the source"),
    "frames_over_limit": (0.0, "joints are outside of their limits in {:.0f} frames"),
}
"""The largest value of each figure of a good result, and the sentence for a larger one. The values were chosen so that
all cells of `benchmarks/results/retarget.md` are good. The largest values there are 1.9 mm, 10 mm, 0.9 mm, 9.7°, 0.3 %,
5.6 %, 1.4° and 0 frames."""
PLANTING = ("slide_mm", "hand_slide_mm", "sinking_mm")
"""These figures do not count if nothing is planted."""


def shortcomings(quality: Mapping[str, Any], planted: bool = True) -> list[str]:
    """Why a result is not good, one sentence for each figure that is too large; empty if the result is good."""
    return [
        f"{words.format(quality[key])} (at most {most:g} in a good result)"
        for key, (most, words) in MOST.items()
        if (planted or key not in PLANTING) and not quality[key] <= most
    ]
