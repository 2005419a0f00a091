"""Real MJCF files against MuJoCo: numbers, limits, every body and site, the centre of mass; and they can be posed."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from mjcf_judge import Judge, model_of, mujoco
from needs import real_files

import manikin as mk
from manikin.errors import OddFile
from manikin.goals.loops import with_loops
from manikin.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::manikin.errors.OddFile")  # real files are odd

NO_SUITE = "dm_control is not installed; it has more models"
BROKEN = ("dog_v2/scene",)
"""Files that MuJoCo itself refuses."""


def _suite() -> list[Any]:
    found = importlib.util.find_spec("dm_control")
    if found is None or found.origin is None:
        return [pytest.param(None, marks=pytest.mark.skip(reason=NO_SUITE))]
    root = Path(found.origin).parent
    walkers = root / "locomotion" / "walkers" / "assets"
    paths = [*sorted((root / "suite").glob("*.xml")), *sorted(walkers.rglob("*.xml"))]
    named = [(p, "/".join(p.parts[-2:]).removesuffix(".xml")) for p in paths]
    return [pytest.param(p, id=name) for p, name in named if name not in BROKEN]


FILES = [*real_files("mjcf/*.xml"), *_suite()]


@pytest.mark.parametrize("path", FILES)
def test_a_real_file_agrees_with_mujoco(path: Path) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = mk.load_figure(path)
    assert all(issubclass(w.category, OddFile) for w in told)
    judge = Judge(model_of(path))
    model = judge.model
    assert (figure.nq, figure.unit, figure.up) == (model.nq, 1.0, "z")
    assert figure.segments[0].name == "world"
    assert [j for j in figure.joint_names if j in judge.joints] == [j for j in judge.joints if j]
    assert set(filter(None, judge.bodies)) <= set(figure.segment_names)

    # Limits as they stand in the file, for joints that lead no other and follow none.
    coupled = {s.joint.name for s in figure.segments if s.joint.coupling}
    coupled |= {s.joint.coupling.source for s in figure.segments if s.joint.coupling}
    for j in range(model.njnt):
        name = model.joint(j).name
        if name and name not in coupled and model.jnt_type[j] >= 2:
            at = figure.index_of(name)
            assert at == model.jnt_qposadr[j]
            limits = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
            assert (figure.lower[at], figure.upper[at]) == tuple(limits)

    rng = np.random.default_rng(3)
    masses_known = not any("masses of" in note for note in figure.source["notes"])
    for q in [figure.rest, *figure.random(rng, 3)]:
        assert judge.worst(figure, q) <= 1e-6 * figure.size
        if figure.mass and masses_known:
            assert_close(figure.center_of_mass(q), judge.center(q), figure.size, 1e-9)
    if masses_known:
        assert figure.mass == pytest.approx(float(model.body_mass.sum()), abs=1e-9)


@pytest.mark.parametrize("path", [p for p in FILES if p.id not in ("suite/lqr", "dog_v2/dog_base")][:12])
def test_a_real_file_can_be_posed(path: Path) -> None:
    figure = mk.load_figure(path)
    if not figure.nv:
        pytest.skip("nothing in it moves")
    rng, leaf = np.random.default_rng(5), figure.segments[-1].name
    reached = 0
    for _ in range(5):
        wanted = figure.placements(mk.solve(figure, [mk.Posture(figure.random(rng))]).pose, [leaf])[0, :3, 3]
        solution = mk.solve(figure, [mk.Position(leaf, wanted)])
        reached += solution.reached
        assert figure.violation(solution.pose) == 0.0
    assert reached >= 4


def test_the_fingers_of_the_panda_move_together(data: Path) -> None:
    figure = mk.load_figure(data / "mjcf" / "panda.xml")
    assert (figure.nq, figure.nv) == (9, 8)
    first, second = figure.index_of("finger_joint1"), figure.index_of("finger_joint2")
    for q in figure.random(np.random.default_rng(0), 20):
        assert q[first] == q[second]
    solution = mk.solve(
        figure,
        mk.Position(
            "left_finger", figure.placements(figure.random(np.random.default_rng(1)), ["left_finger"])[0, :3, 3]
        ),
    )
    assert solution.reached
    assert solution.pose[first] == solution.pose[second]


def test_cassie_has_four_loops_that_mujoco_measures_alike(data: Path) -> None:
    path = data / "mjcf" / "agility_cassie.xml"
    figure, judge = mk.load_figure(path), Judge(model_of(path))
    assert [(loop.segment, loop.to) for loop in figure.loops] == [
        (f"{side}-{a}", f"{side}-{b}")
        for side in ("left", "right")
        for a, b in (("foot", "plantar-rod"), ("heel-spring", "achilles-rod"))
    ]
    rng = np.random.default_rng(0)
    for q in figure.random(rng, 5):
        ours = Problem(figure, with_loops(figure, [])).at(q).errors
        assert_close(ours, [np.linalg.norm(gap) for gap in judge.gaps(q).values()], tol=1e-9)
    closed = max(np.abs(gap).max() for gap in judge.gaps(figure.rest).values())
    assert closed <= 1e-6 * figure.size
    assert figure.source["keyframes"].keys() == {"home"}
    assert mujoco.mj_name2id(judge.model, mujoco.mjtObj.mjOBJ_KEY, "home") == 0
    assert figure.source["keyframes"]["home"] == pytest.approx(judge.model.key_qpos[0])


def test_cassie_keeps_its_loops_whatever_its_feet_are_asked(data: Path) -> None:
    """Fifty places of both feet, made from poses that keep the loops; then fifty that are out of reach."""
    path = data / "mjcf" / "agility_cassie.xml"
    figure, judge = mk.load_figure(path), Judge(model_of(path))
    rng, feet = np.random.default_rng(11), ["left-foot", "right-foot"]
    for _ in range(50):
        pose = mk.solve(figure, [], start=figure.random(rng), freeze=["cassie-pelvis"])
        assert pose.reached
        placed = figure.placements(pose.pose, feet)
        solution = mk.solve(figure, [mk.Placement(f, T) for f, T in zip(feet, placed, strict=True)])
        assert solution.reached, str(solution)
        assert max(np.abs(gap).max() for gap in judge.gaps(solution.pose).values()) <= 1e-6 * figure.size
        far = [mk.Position(f, T[:3, 3] + (0.5, 0.0, -1.5)) for f, T in zip(feet, placed, strict=True)]
        solution = mk.solve(figure, far, freeze=["cassie-pelvis"])
        assert not solution.reached
        assert max(np.abs(gap).max() for gap in judge.gaps(solution.pose).values()) <= 1e-6 * figure.size
        assert figure.violation(solution.pose) == 0.0


def test_the_walker_of_the_cmu_can_be_given_a_free_root(data: Path) -> None:
    path = data / "mjcf" / "humanoid_CMU_V2020.xml"
    fixed, free = mk.load_figure(path), mk.load_figure(path, root="free")
    assert (fixed.nq, free.nq, free.nv) == (56, 63, 62)
    assert_close(fixed.placements(fixed.rest), free.placements(free.rest), tol=1e-14)
    humanoid = data / "mjcf" / "humanoid.xml"
    standing = mk.load_figure(humanoid, root="fixed")
    assert standing.nq == 21
    whole = mk.load_figure(humanoid)
    assert_close(standing.placements(standing.rest), whole.placements(whole.rest), tol=1e-14)


def test_json_gives_a_figure_with_loops_back(data: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(data / "mjcf" / "agility_cassie.xml")
    mk.save(figure, tmp_path / "cassie.json")
    again = mk.load_figure(tmp_path / "cassie.json")
    assert again == figure
    assert again.loops == figure.loops
    assert dict(again.source) == dict(figure.source)
