"""`Figure.with_masses`: the masses of a person for a figure that has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mapped_figures import load, turned
from true_parts import FOUR_LEGGED, TRUE

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue

PEOPLE = [name for name in TRUE if name not in FOUR_LEGGED]


def joint(figure: mk.Figure, bones: mk.BoneMap, part: str) -> np.ndarray:
    places = figure.placements(figure.rest, [bones.first(f"{side} {part}") for side in ("left", "right")])
    return np.asarray(places[:, :3, 3].mean(axis=0))


@pytest.mark.parametrize("name", PEOPLE)
def test_the_masses_are_those_of_the_body(name: str) -> None:
    figure = load(name).with_masses(82.5)
    assert figure.mass == pytest.approx(82.5, rel=1e-12)
    bones = mk.bone_map(figure)
    carried = {s.name for s in figure.segments if s.mass}
    assert carried <= {name for names in bones.values() for name in names}
    for part, percent in (("thigh", 14.16), ("foot", 1.37)):
        for side in ("left", "right"):
            masses = [figure.segment(n).mass for n in bones[f"{side} {part}"]]
            assert sum(masses) == pytest.approx(82.5 * percent / 100, rel=1e-9)


STANDING = [name for name in PEOPLE if "rokoko" not in name]  # its rest pose has the legs beside the trunk


@pytest.mark.parametrize("name", STANDING)
def test_the_centre_of_mass_is_a_little_above_the_hips(name: str) -> None:
    figure = load(name).with_masses(70)
    bones = mk.bone_map(figure)
    hips, shoulders = joint(figure, bones, "thigh"), joint(figure, bones, "upper arm")
    up = shoulders - hips
    offset = figure.center_of_mass(figure.rest) - hips
    height = offset @ up / (up @ up)
    assert 0.05 < height < 0.35  # over the height of the trunk
    assert np.linalg.norm(offset - height * up) < 0.12 * np.linalg.norm(up)


def test_the_built_in_person_keeps_its_centre_of_mass() -> None:
    """Its own masses come from the same table, divided among more segments."""
    person = mk.human()
    again = person.with_masses(person.mass)
    rng = np.random.default_rng(0)
    for pose in (person.rest, *person.random(rng, 5)):
        assert np.linalg.norm(again.center_of_mass(pose) - person.center_of_mass(pose)) < 0.02  # metres


@pytest.mark.parametrize("name", ["human", "gltf/CesiumMan.glb", "bvh/cmu_02_01_walk.bvh", "mjcf/humanoid.xml"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([0.0254, 1.0, 100.0]))
def test_the_centre_of_mass_turns_and_grows_with_the_figure(name: str, seed: int, factor: float) -> None:
    figure = load(name)
    turn = rotations.normalized(np.random.default_rng(seed).normal(size=4))
    moved = turned(figure, turn).scaled(factor)
    was = figure.with_masses(70).center_of_mass(figure.rest)
    wanted = factor * rotations.rotate(turn, was)
    found = moved.with_masses(70).center_of_mass(moved.rest)
    assert found == pytest.approx(wanted, abs=1e-9 * factor * figure.size)


def test_both_sides_weigh_the_same() -> None:
    figure = mk.human().with_masses(70)
    for segment in figure.segments:
        if segment.name.startswith("Left"):
            assert segment.mass == figure.segment("Right" + segment.name[4:]).mass


@pytest.mark.needs("data", "gltf/CesiumMan.glb")
def test_an_imported_person_balances() -> None:
    figure = load("gltf/CesiumMan.glb").with_masses(70).rigid()
    feet = list(mk.bone_map(figure).feet.values())
    places = figure.placements(figure.rest, feet)
    goals: list[mk.Goal] = [mk.Placement(name, place) for name, place in zip(feet, places, strict=True)]
    goals.append(mk.Balance(feet))
    assert mk.solve(figure, goals).reached
    with pytest.raises(BadValue, match="mass"):
        mk.solve(load("gltf/CesiumMan.glb").rigid(), goals)


def test_a_map_can_be_given() -> None:
    person = mk.human()
    bones = mk.bone_map(person, {"left forearm": ["LeftForeArm"], "left hand": ["LeftForeArmTwist", "LeftHand"]})
    assert person.with_masses(70, bones).segment("LeftHand").mass == pytest.approx(0.61 * 0.7)
    with pytest.raises(BadValue, match="needs a separate map"):
        mk.quadruped().with_masses(70, bones)


@pytest.mark.parametrize("name", FOUR_LEGGED)
def test_an_animal_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="stands on four legs"):
        load(name).with_masses(30)


@pytest.mark.parametrize("mass", [0.0, -1.0, float("nan"), "70"])
def test_a_bad_mass_is_named(mass: float) -> None:
    with pytest.raises(BadValue, match="mass"):
        mk.human().with_masses(mass)
