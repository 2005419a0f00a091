"""The built-in dog: it stands on four paws, and its legs bend the way and as far as a dog's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bodies import (
    assert_has_no_holes_and_far_parts_apart,
    assert_mirror_images,
    extent,
    place,
    solids,
    turn,
)
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies import rngs

from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.figure.quadruped.parts import FORELEG, HINDLEG, RANGES, TRUNK, tail
from manikin.figure.quadruped.quadruped import quadruped

FIGURE = quadruped()
HEIGHT = 0.6


def inner_angle(q: Vector, before: str, joint: str, after: str) -> float:
    """Degrees between the two segments that meet in a joint."""
    a, b = place(FIGURE, q, before) - place(FIGURE, q, joint), place(FIGURE, q, after) - place(FIGURE, q, joint)
    a, b = a[1:], b[1:]  # in the plane of the leg
    return float(np.rad2deg(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def test_it_has_a_spine_a_neck_a_tail_and_four_legs() -> None:
    names = set(FIGURE.segment_names)
    legs = {"Scapula", "Humerus", "Radius", "ForePaw", "ForeToes", "Femur", "Tibia", "HindPaw", "HindToes"}
    assert {side + leg for side in ("Left", "Right") for leg in legs} <= names
    assert sum(n.startswith("Spine") for n in names) >= 3
    assert sum(n.startswith("Tail") for n in names) >= 4
    assert {"Hips", "Neck", "Head", "Jaw"} <= names
    assert (FIGURE.name, FIGURE.unit, FIGURE.up) == ("quadruped", 1.0, "y")
    assert FIGURE.segment("Hips").joint.kind == "free"


@given(st.floats(0.1, 2.0), st.floats(1.0, 600.0))
def test_it_stands_on_four_paws_and_weighs_what_was_asked(height: float, mass: float) -> None:
    figure = quadruped(height, mass)
    assert_close(extent(figure, figure.rest)[0], 0.0, scale=height, tol=1e-12)
    paws = [pair for name, pairs in solids(figure, figure.rest).items() if "Toes" in name for pair in pairs]
    assert len(paws) == 8
    assert_close([ends[:, 1] - radius for ends, radius in paws], np.zeros((8, 2)), scale=height, tol=1e-12)
    assert abs(figure.mass - mass) <= 1e-12 * mass


def test_the_shares_of_mass_are_those_of_a_whole_dog() -> None:
    one, two = (sum(p.mass for p in parts) for parts in ((*TRUNK, *tail()), (*FORELEG, *HINDLEG)))
    assert_close(one + 2.0 * two, 100.0, tol=1e-9)
    paw = sum(FIGURE.segment(name).mass for name in ("LeftForePaw", "LeftForeToes"))
    assert_close(paw / FIGURE.mass, 0.0072, tol=1e-9)  # Jones et al. 2018


def test_the_withers_are_at_the_height_asked_for() -> None:
    top = max(
        place(FIGURE, FIGURE.rest, s)[1] + max(shape.start[1], shape.end[1]) + shape.radius
        for s in ("Spine3", "LeftScapula")
        for shape in FIGURE.segment(s).shapes
    )
    assert 0.9 * HEIGHT < top < 1.02 * HEIGHT


def test_it_faces_z_with_its_left_at_plus_x_and_all_axes_are_the_worlds() -> None:
    assert place(FIGURE, FIGURE.rest, "Head")[2] > place(FIGURE, FIGURE.rest, "Hips")[2] + 0.4
    assert place(FIGURE, FIGURE.rest, "Tail_End")[2] < place(FIGURE, FIGURE.rest, "Hips")[2] - 0.1
    assert place(FIGURE, FIGURE.rest, "LeftForePaw")[0] > 0.03
    assert_close(FIGURE.placements(FIGURE.rest)[:, :3, :3], np.tile(np.eye(3), (len(FIGURE.segments), 1, 1)), tol=1e-15)
    moved = [n for n, x in zip(FIGURE.number_names, FIGURE.rest, strict=True) if x != 0.0 and not n.endswith(".w")]
    assert moved == ["Hips.ty", "Hips.tz"]


def test_the_forelegs_bear_about_six_tenths_of_the_weight() -> None:
    fore, hind = place(FIGURE, FIGURE.rest, "LeftForeToes")[2], place(FIGURE, FIGURE.rest, "LeftHindToes")[2]
    share = (FIGURE.center_of_mass(FIGURE.rest)[2] - hind) / (fore - hind)
    assert 0.57 < share < 0.66


def test_the_humerus_has_its_share_of_the_foreleg() -> None:
    names = ["Scapula", "Humerus", "Radius", "ForePaw", "ForeToes", "ForeToes_End"]
    lengths = [np.linalg.norm(FIGURE.segment(f"Left{name}").joint.offset) for name in names[1:]]
    assert abs(lengths[1] / sum(lengths) - 0.27) < 0.01


def test_rest_is_inside_every_limit_with_room_to_move() -> None:
    assert FIGURE.violation(FIGURE.rest) == 0.0
    plain = np.isfinite(FIGURE.lower)
    room = np.minimum(FIGURE.rest - FIGURE.lower, FIGURE.upper - FIGURE.rest)[plain]
    assert room.min() > np.deg2rad(2.5)
    rng = np.random.default_rng(0)
    assert FIGURE.violation(FIGURE.random(rng, 20)).max() == 0.0


@pytest.mark.parametrize(
    ("joint", "before", "after"),
    [
        ("LeftRadius", "LeftHumerus", "LeftForePaw"),
        ("LeftTibia", "LeftFemur", "LeftHindPaw"),
        ("LeftHindPaw", "LeftTibia", "LeftHindToes"),
    ],
)
def test_hinges_of_the_legs_bend_as_far_as_published_and_positive_is_flexion(
    joint: str, before: str, after: str
) -> None:
    bent, stretched = RANGES[joint]
    at = FIGURE.index_of(joint)
    ends = [inner_angle(FIGURE.pose({joint: x}), before, joint, after) for x in (FIGURE.lower[at], FIGURE.upper[at])]
    assert_close(ends, [stretched, bent], tol=1e-6)


def test_the_carpus_bends_back_from_a_little_past_straight() -> None:
    at = FIGURE.index_of("LeftForePaw")
    bent = FIGURE.pose({"LeftForePaw": FIGURE.upper[at]})
    assert_close(inner_angle(bent, "LeftRadius", "LeftForePaw", "LeftForeToes"), 32.0, tol=1e-6)
    assert place(FIGURE, bent, "LeftForeToes")[2] < place(FIGURE, FIGURE.rest, "LeftForePaw")[2]
    past = FIGURE.pose({"LeftForePaw": FIGURE.lower[at]})
    assert_close(inner_angle(past, "LeftRadius", "LeftForePaw", "LeftForeToes"), 360.0 - 196.0, tol=1e-6)


@pytest.mark.parametrize(
    ("joint", "before", "after", "sign"),
    [("LeftHumerus", "LeftScapula", "LeftRadius", 1.0), ("LeftFemur", "Spine", "LeftTibia", -1.0)],
)
def test_shoulder_and_hip_reach_the_published_angles(joint: str, before: str, after: str, sign: float) -> None:
    now = inner_angle(FIGURE.rest, before, joint, after)
    for wanted in RANGES[joint]:
        inside = FIGURE.pose({joint: turn("x", sign * 0.95 * (now - wanted))})
        outside = FIGURE.pose({joint: turn("x", sign * 1.05 * (now - wanted))})
        assert FIGURE.violation(inside) == 0.0
        assert FIGURE.violation(outside) > 0.0
        assert abs(inner_angle(inside, before, joint, after) - (now + 0.95 * (wanted - now))) < 1e-6


def test_it_can_sit_and_put_its_nose_down() -> None:
    numbers: dict[Any, Any] = {}
    for side in ("Left", "Right"):
        numbers |= {
            f"{side}Femur": turn("x", -40.0),
            f"{side}Tibia": np.deg2rad(75.0),
            f"{side}HindPaw": np.deg2rad(60.0),
        }
    q = FIGURE.pose({**numbers, "Hips": [0.0, 0.25, -0.2, *turn("x", -35.0)]})
    assert FIGURE.violation(q) == 0.0
    assert place(FIGURE, q, "Head")[1] > place(FIGURE, q, "Hips")[1] + 0.3
    down = FIGURE.pose({"Neck": turn("x", 39.0), "Neck1": turn("x", 39.0), "Head": turn("x", 20.0)})
    assert FIGURE.violation(down) == 0.0
    assert place(FIGURE, down, "Nose_End")[1] < 0.6 * place(FIGURE, FIGURE.rest, "Nose_End")[1]


def test_the_jaw_opens_and_the_tail_lifts() -> None:
    tip = np.array([0.0, 0.0, 0.1, 1.0])
    opened = FIGURE.placements(FIGURE.pose({"Jaw": 0.5}), ["Jaw"])[0] @ tip
    assert opened[1] < (FIGURE.placements(FIGURE.rest, ["Jaw"])[0] @ tip)[1] - 0.03
    lifted = FIGURE.pose({"Tail": turn("x", 55.0)})
    assert FIGURE.violation(lifted) == 0.0
    assert place(FIGURE, lifted, "Tail_End")[1] > place(FIGURE, FIGURE.rest, "Tail_End")[1] + 0.1


@given(rngs())
def test_a_mirrored_pose_gives_mirrored_placements(rng: np.random.Generator) -> None:
    assert_mirror_images(FIGURE, FIGURE.random(rng))


def test_it_has_no_holes_and_parts_far_apart_in_the_tree_do_not_touch() -> None:
    assert_has_no_holes_and_far_parts_apart(FIGURE)


def test_a_larger_dog_is_a_scaled_dog_and_no_size_is_refused() -> None:
    large = quadruped(0.9, 30.0)
    assert_close(large.placements(large.rest)[:, :3, 3], 1.5 * FIGURE.placements(FIGURE.rest)[:, :3, 3], tol=1e-12)
    assert Figure.from_dict(FIGURE.to_dict()) == FIGURE
    with pytest.raises(BadValue, match="height of the quadruped is -1; it must be above 0"):
        quadruped(-1.0)
    with pytest.raises(BadValue, match="mass of the quadruped is inf; it needs a finite number"):
        quadruped(mass=np.inf)
