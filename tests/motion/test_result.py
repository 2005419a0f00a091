"""Laws of the results of all functions that make a motion."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from keypoint_clips import keypoints, moving
from synthetic_markers import recorded

import manikin as mk
from manikin.errors import BadValue
from manikin.motion.fit_result import FitResult
from manikin.motion.quality import Quality

ARM = mk.chain(3, planar=True)
TIMES = np.arange(12) / 30
TIP = mk.Position("Tip", (1.5, 1.5), axes="xy")
MAKERS = ("solve_motion", "edit", "inbetween", "follow", "retarget", "plant", "fit_markers", "fit_points")


@cache
def made(name: str) -> mk.MotionResult:
    """The result of a function on a small question."""
    person = mk.human()
    still = mk.Motion(ARM, np.tile([0.3, 0.4, 0.2], (12, 1)), TIMES)
    stands = mk.Motion(person, np.tile(person.rest, (12, 1)), TIMES)
    makers = {
        "solve_motion": lambda: mk.solve_motion(ARM, TIP, TIMES),
        "edit": lambda: mk.edit(still, TIP, (4, 6)),
        "inbetween": lambda: mk.inbetween(mk.Motion(ARM, [ARM.rest, ARM.rest + 0.4], [0.0, 0.4]), mk.Over(TIP)),
        "follow": lambda: mk.follow(ARM, TIP, np.tile([1.5, 1.5], (12, 1))),
        "retarget": lambda: mk.retarget(stands, mk.human(1.4)),
        "plant": lambda: mk.plant(stands),
        "fit_markers": lambda: mk.fit_markers(person, recorded(40).markers),
        "fit_points": lambda: mk.fit_points(person, keypoints(moving(person, 30), "coco17"), "coco17"),
    }
    return makers[name]()


@pytest.mark.parametrize("name", MAKERS)
def test_every_result_has_a_motion_its_quality_and_a_table(name: str) -> None:
    done = made(name)
    assert isinstance(done, mk.MotionResult)
    assert done.complete
    assert isinstance(done.quality, Quality)
    assert done.quality is done.quality
    assert not done.motion.source
    assert done.headline() in str(done)
    assert all(note in str(done) for note in done.notes)
    assert "<table>" in done._repr_html_()
    told = json.loads(json.dumps(done.to_dict(), allow_nan=False))
    assert told["frames"] == len(done.motion)
    assert told["notes"] == list(done.notes)


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_is_saved_and_drawn_in_place_of_its_motion(name: str, tmp_path: Path) -> None:
    done = made(name)
    for thing, path in ((done, "result"), (done.motion, "motion")):
        mk.save(thing, tmp_path / f"{path}.csv")
        mk.plot_quality(thing, save=tmp_path / f"{path}.png")
    assert (tmp_path / "result.csv").read_bytes() == (tmp_path / "motion.csv").read_bytes()
    assert mk.animate(done, tmp_path / "result.html").exists()
    drawn, plain = mk.plot(done, most=1), mk.plot(done.motion, most=1)
    marks = name not in ("retarget", "plant")
    assert (len(drawn.axes[0].lines) > len(plain.axes[0].lines)) == marks


@pytest.mark.parametrize("name", ["fit_markers", "fit_points"])
def test_the_errors_of_a_fit_are_the_distances_of_its_points(name: str) -> None:
    done = made(name)
    assert isinstance(done, FitResult)
    for k, goal in enumerate(done.goals):
        segment, offset = done.attached(done.names[k])
        placed = done.motion.placements([segment])[:, 0]
        places = placed[:, :3, :3] @ np.array(offset) + placed[:, :3, 3]
        assert goal.label == done.names[k]
        assert np.linalg.norm(places - done.targets[:, k], axis=1) == pytest.approx(done.residuals[:, k], abs=1e-9)


def test_what_is_no_motion_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="int"):
        mk.plot_quality(3)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="int"):
        mk.save(3, tmp_path / "motion.csv")  # type: ignore[arg-type]
