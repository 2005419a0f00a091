"""The benchmark of retargeting: its cells, its independent judge, and its page."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from needs import data_file
from retarget_clips import clip, figure

import manikin as mk

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import retarget, retarget_causes, retarget_peers
from benchmarks.machine import header
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.prepare import Prepared, prepare

pytestmark = pytest.mark.skipif(not mk.backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


@pytest.fixture(scope="module")
def cell() -> retarget.Cell:
    return retarget.cell("walk", "human", clip("walk", 120), figure("human"))


def test_a_cell_has_its_figures(cell: retarget.Cell) -> None:
    assert cell.frames == 119  # frame 0 is a separate pose
    assert cell.seconds > 0.0
    assert cell.frames_over_limit == 0
    assert cell.slide_mm < 3.0
    assert cell.sole_speed_mm is not None
    assert cell.sole_speed_mm <= 4.0
    assert cell.text().count("·") == 4
    json.dumps(asdict(cell))


def test_the_judge_of_soles_sees_a_slide() -> None:
    """Without planting, soles move faster than with it, judged by the source's speed alone."""
    motion = clip("walk", 200)[1:]
    source = retarget.sole_speeds(motion)
    slow = source < retarget.SLOW
    speeds = [
        retarget.sole_speeds(mk.retarget(motion, figure("g1"), plant=p).motion)[slow].mean() for p in (False, True)
    ]
    assert speeds[0] > 2.0 * speeds[1]


def test_the_page_lists_cells_above_the_bounds(cell: retarget.Cell) -> None:
    bad = replace(cell, clip="run", slide_mm=7.7)
    page = retarget.page(header(True, 1), [cell, bad], [("a walk and back", 0.5)])
    assert "a walk and back" in page
    listed = page[page.index("## Cells with") :]
    assert "7.7" in listed
    assert "| walk" not in listed


def test_cells_above_the_earlier_program_are_shown_under_other_conditions() -> None:
    motion, target = clip("run"), figure("cesium")
    made = asdict(retarget.cell("run", "CesiumMan", motion, target))
    assert retarget_causes.above("run", "CesiumMan", made) == ["bone_error_deg"]
    assert not retarget_causes.above("run", "CesiumMan", {**made, "bone_error_deg": 0.54})  # printed as 0.5
    ready = prepare(motion, retarget.calibrated(motion), calibrate(target, mk.bone_map(target)))
    (row,) = retarget_causes.rows("run", "CesiumMan", motion, ready, made)
    assert row.values["not planted"] < 0.01 < row.values["no limits"]
    assert row.explained() == ["not planted"]
    assert len(row.cells()) == len(retarget_causes.COLUMNS)


def test_all_files_of_the_benchmark_exist() -> None:
    for name in (*retarget.CLIPS.values(), *retarget.FIGURES.values()):
        assert not name or data_file(name).exists()


def test_both_errors_of_directions_agree_where_limbs_are_one_segment() -> None:
    one = retarget.cell("walk", "human", clip("walk", 60), figure("human"))
    assert one.segment_error_deg == pytest.approx(one.bone_error_deg, abs=0.1)
    two = retarget.cell("walk", "MakeHuman", clip("walk", 60), figure("makehuman"))
    assert two.segment_error_deg < 0.05 < two.bone_error_deg


# The peer


@pytest.fixture(scope="module")
def ready() -> Prepared:
    motion, robot = clip("walk", 60), figure("g1")
    source = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    return prepare(motion, source, calibrate(robot, mk.bone_map(robot)))


def test_the_peer_is_judged_like_us(ready: Prepared) -> None:
    out = mk.retarget(clip("walk", 60), figure("g1"))
    assert retarget_peers.quality(ready, out.motion.poses) == out.measures


def test_the_peer_gets_the_ideal_placements(ready: Prepared) -> None:
    """A pose that has these placements has no error."""
    parts, bodies, rows = retarget_peers.targets(ready)
    assert rows.shape == (59, len(parts), 7)
    assert parts[0] == "pelvis"
    assert set(bodies) <= set(figure("g1").segment_names)
    out = mk.retarget(clip("walk", 60), figure("g1"), plant=False)
    places = out.motion.placements(bodies)
    assert np.median(np.linalg.norm(places[..., :3, 3] - rows[..., :3], axis=-1)) < 0.01
    turned = mk.rotations.to_matrix(rows[:, parts.index("left thigh"), 3:])
    assert np.median(np.abs(turned - places[:, parts.index("left thigh"), :3, :3])) < 0.05


def test_the_page_of_the_peer_has_the_ratio(ready: Prepared) -> None:
    found = retarget_peers.quality(ready, mk.retarget(clip("walk", 60), figure("g1")).motion.poses)
    row = retarget_peers.Row("walk", 59, 1e-4, 1e-3, found, found)
    page = retarget_peers.page(header(True, 1), [row, replace(row, theirs=3e-3)], {("walk", "G1"): 1e-4})
    assert "clip by clip on the G1: median 20.0, least 10.0" in page


def test_the_page_of_the_peer_has_both_forms_of_the_loop(ready: Prepared) -> None:
    found = retarget_peers.quality(ready, mk.retarget(clip("walk", 60), figure("g1")).motion.poses)
    row = retarget_peers.Row("walk", 59, 1e-4, 3e-3, found, found, lean=1e-3, steps=2.5)
    page = retarget_peers.page(header(True, 1), [row, replace(row, lean=2e-3)], {("walk", "G1"): 1e-4})
    assert "clip by clip on the G1: median 30.0, least 30.0; to the lean form 15.0 and 10.0" in page
    assert "| 2.5 |" in " ".join(page.split())


def test_the_page_of_the_peer_compares_all_figures_with_the_median_of_the_loop(ready: Prepared) -> None:
    found = retarget_peers.quality(ready, mk.retarget(clip("walk", 60), figure("g1")).motion.poses)
    row = retarget_peers.Row("walk", 59, 1e-4, 2e-3, found, found, lean=1e-3)
    rows = [row, replace(row, theirs=4e-3), replace(row, theirs=1e-2, lean=5e-4)]  # 500, 250 and 100 frames/s
    cells = {("walk", "G1"): 1e-4, ("walk", "human"): 2e-4, ("run", "human"): 4e-4}
    page = retarget_peers.page(header(True, 1), rows, cells)
    assert "all 3 pairs of a clip and a figure, one call each: median 5,000 frames/s, slowest 2,500 frames/s" in page
    assert "(run on human)" in page
    assert "median of all pairs is 20.0 times GMR's loop and 5.0 times the lean form" in page
    assert "slowest pair is 10.0 times GMR's loop and 2.5 times the lean form" in page
