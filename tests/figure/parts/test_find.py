"""`mk.bone_map` on real figures: the parts are those of `true_parts`, however the figure is turned, scaled or named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mapped_figures import load, nameless, turned
from true_parts import FOUR_LEGGED, TRUE

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue

SMALL = ("human", "quadruped", "gltf/CesiumMan.glb", "mjcf/unitree_g1.xml", "mjcf/humanoid.xml")


def parts(figure: mk.Figure) -> dict[str, list[str]]:
    return {part: list(names) for part, names in mk.bone_map(figure).items()}


@pytest.mark.parametrize("name", TRUE)
def test_the_parts_are_the_true_ones(name: str) -> None:
    assert parts(load(name)) == TRUE[name]


@pytest.mark.parametrize("name", TRUE)
def test_four_legs_are_told_from_two(name: str) -> None:
    assert mk.bone_map(load(name)).four_legged == (name in FOUR_LEGGED)


SAME_WITHOUT_NAMES = (
    *(n for n in TRUE if n.startswith("bvh/cmu")),
    *("bvh/threejs_pirouette.bvh", "bvh/optitrack_arena_louise.bvh", "bvh/pymo_AV_8Walk_Meredith.bvh"),
    *("bvh/animated_drawings_dab.bvh", "gltf/CesiumMan.glb", "usd/CesiumMan.usdz", "gltf/sphere_vrm0.vrm", "human"),
    *("mjcf/humanoid.xml", "gltf/Fox.glb"),
)
DIFFERENT_WITHOUT_NAMES = {
    "bvh/makehuman_walk1.bvh": {"clavicle", "upper arm"},  # the clavicle begins one joint earlier
    "gltf/RobotExpressive.glb": {"clavicle", "upper arm", "hand"},  # three bones of the palm begin at one place
    "bvh/makehuman_tpose.bvh": {"toes"},  # they begin with a bone of the foot
    "mjcf/unitree_g1.xml": {"forearm", "hand"},  # the wrist's roll is taken for the forearm's twist
    "mjcf/humanoid_CMU_V2020.xml": {"forearm", "hand", "shank", "foot"},  # likewise
    "quadruped": {"clavicle", "upper arm", "forearm", "hand"},  # the shoulder blade is as long as the upper arm
}
"""Limb parts that differ. All other parts are the true ones."""
REFUSED_WITHOUT_NAMES = {
    "bvh/animated_drawings_rokoko_jesse_dance.bvh": "does not stand",
    "bvh/bvhio_example.bvh": "neither feet nor knees",
    "gltf/minimal_vrm0.vrm": "neither feet nor knees",
    "urdf/simple_humanoid.urdf": "neither feet nor knees",
}


def test_every_figure_is_judged_without_names() -> None:
    assert sorted([*SAME_WITHOUT_NAMES, *DIFFERENT_WITHOUT_NAMES, *REFUSED_WITHOUT_NAMES]) == sorted(TRUE)


@pytest.mark.parametrize("name", [*SAME_WITHOUT_NAMES, *DIFFERENT_WITHOUT_NAMES])
def test_without_names_the_structure_tells_the_parts(name: str) -> None:
    figure, old = nameless(load(name))
    found = {part: [old[n] for n in names] for part, names in mk.bone_map(figure).items()}
    wrong = {part for part in {*found, *TRUE[name]} if found.get(part) != TRUE[name].get(part)}
    assert {part.split(" ", 1)[1] for part in wrong} == DIFFERENT_WITHOUT_NAMES.get(name, set())
    assert mk.bone_map(figure).how == "structure"
    assert mk.bone_map(figure).four_legged == (name in FOUR_LEGGED)


@pytest.mark.parametrize("name", REFUSED_WITHOUT_NAMES)
def test_without_names_and_direction_the_sides_are_not_guessed(name: str) -> None:
    with pytest.raises(BadValue, match=REFUSED_WITHOUT_NAMES[name]):
        mk.bone_map(nameless(load(name))[0])


@pytest.mark.parametrize("name", TRUE)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([1e-4, 0.0254, 1.0, 100.0, 1e5]))
def test_a_turned_and_scaled_figure_has_the_same_map(name: str, seed: int, factor: float) -> None:
    turn = rotations.normalized(np.random.default_rng(seed).normal(size=4))
    figure = turned(load(name), turn).scaled(factor)
    assert parts(figure) == TRUE[name]
    assert mk.bone_map(figure).four_legged == (name in FOUR_LEGGED)


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=5, deadline=None)
@given(angle=st.floats(-np.pi, np.pi), factor=st.sampled_from([1e-4, 0.0254, 100.0, 1e5]))
def test_without_names_heading_and_scale_do_not_matter(name: str, angle: float, factor: float) -> None:
    figure, _ = nameless(load(name))
    up = np.eye(3)["xyz".index(figure.up)]
    moved = turned(figure, rotations.from_axis_angle(up, angle)).scaled(factor)
    assert parts(moved) == parts(figure)


def test_a_mirrored_order_of_branches_changes_nothing() -> None:
    figure = load("human")
    again = figure.replaced(segments=figure.segments[::-1])
    assert parts(again) == TRUE["human"]


@pytest.mark.parametrize("name", ["mjcf/panda.xml", "mjcf/agility_cassie.xml", "urdf/ur5_robot.urdf"])
def test_a_figure_without_arms_and_legs_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="give the parts"):
        mk.bone_map(load(name))


@pytest.mark.needs("data", "urdf/solo12.urdf")
def test_a_robot_dog_has_its_forelegs_for_arms() -> None:
    bones = mk.bone_map(load("urdf/solo12.urdf"))
    assert (bones.how, bones.four_legged) == ("structure", True)
    for side, letter in (("left", "L"), ("right", "R")):
        assert bones.main(f"{side} forearm") == f"F{letter}_LOWER_LEG"
        assert bones.main(f"{side} shank") == f"H{letter}_LOWER_LEG"


@pytest.mark.needs("data", "mjcf/wonik_allegro_right_hand.xml")
def test_four_fingers_are_no_arms_and_legs() -> None:
    with pytest.raises(BadValue, match="does not stand on its legs"):
        mk.bone_map(load("mjcf/wonik_allegro_right_hand.xml"))


def test_a_chain_and_a_single_segment_are_refused() -> None:
    for figure in (mk.chain(1), mk.chain(2000)):
        with pytest.raises(BadValue, match="arms and legs were found neither"):
            mk.bone_map(figure)


def test_a_figure_is_needed() -> None:
    with pytest.raises(BadValue, match="bone_map needs a Figure"):
        mk.bone_map("walk.bvh")  # type: ignore[arg-type]
