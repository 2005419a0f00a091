"""Small degenerate figures, each named after its degeneracy, and random figures.

The rest pose of each named sample is the degenerate pose: `stretched().rest` is stretched. `all()` lists them.

    for name, (figure, pose) in mk.samples.all().items():
        figure.jacobian(pose, figure.segment_names[-1])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure.builders import chain, tree
from manikin.figure.figure import Figure
from manikin.figure.joint import Ball, Coupling, Euler, Free, Hinge, Joint, Motion, Slider, SwingTwist, as_tuple
from manikin.figure.random_figure import random_figure as random_figure
from manikin.figure.segment import Segment
from manikin.kinematics import swing_twist

_SAMPLES: dict[str, Callable[..., Figure]] = {}
_Sample = TypeVar("_Sample", bound=Callable[..., Figure])


def _named(sample: _Sample) -> _Sample:
    """Adds a sample to `all`."""
    _SAMPLES[sample.__name__] = sample
    return sample


def all() -> dict[str, tuple[Figure, Vector]]:
    """Every named sample with its pose, which is its rest pose."""
    figures = {name: make() for name, make in _SAMPLES.items()}
    return {name: (figure, figure.rest) for name, figure in figures.items()}


# Poses in which a chain loses a direction of motion


@_named
def stretched() -> Figure:
    """Three hinges in a plane, in one line: the tip cannot move along the line."""
    return chain(3, planar=True, name="stretched")


@_named
def stretched_in_space() -> Figure:
    """Three Euler joints in one line: the tip cannot move along the line, and all segments roll about the same axis."""
    return chain(3, name="stretched in space")


@_named
def folded() -> Figure:
    """Two equal segments folded on each other: the tip is at the root, and the first joint does not move it."""
    return _with_rest(chain(2, planar=True, name="folded"), {"Segment2": (np.pi,)})


@_named
def wrist_in_line() -> Figure:
    """A robot wrist whose first and last axis are in line: six hinges, five directions of motion."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    joints: list[Motion] = [Hinge(as_tuple(axis)) for axis in axes]
    return _with_rest(chain([0.3, 0.5, 0.4, 0.0, 0.0, 0.1], joints, name="wrist in line"), {"Segment3": (0.8,)})


# Coinciding lengths and places


@_named
def zero_length_segment() -> Figure:
    """A segment of length 0 between two of length 1: two joints at one place, one of them redundant."""
    return chain([1.0, 0.0, 1.0], planar=True, name="zero-length segment")


@_named
def coincident_joints() -> Figure:
    """Three hinges at one place about x, y and z: an Euler joint written as three segments."""
    joints: list[Motion] = [Hinge((1.0, 0.0, 0.0)), Hinge((0.0, 1.0, 0.0)), Hinge((0.0, 0.0, 1.0))]
    return chain([0.0, 0.0, 1.0], joints, name="coincident joints")


@_named
def two_tips_at_one_place() -> Figure:
    """Two arms whose tips meet: the distance between them has no derivative there."""
    figure = tree([-1, 0, 1, 0, 3], planar=True, name="two tips at one place")
    rest = {"Segment2": (0.5,), "Segment3": (-1.0,), "Segment4": (-0.5,), "Segment5": (1.0,)}
    return _with_rest(figure, rest)


@_named
def tiny_and_huge() -> Figure:
    """Segments from a millionth to a million long, in a chain of balls."""
    return chain([1e-6, 1.0, 1e6], Ball(), name="tiny and huge")


# The root


@_named
def only_root() -> Figure:
    """One fixed segment without a joint. Its pose has no numbers."""
    return Figure("only root", [Segment("Root", mass=1.0)])


@_named
def only_free_root() -> Figure:
    """One free segment: only the root's own motion."""
    return Figure("only free root", [Segment("Root", joint=Free(), mass=1.0, center=(0.1, 0.2, 0.3))])


@_named
def branch_at_the_root() -> Figure:
    """Three arms on one root: they share only their start."""
    return tree([-1, -1, -1, 0, 1, 2], planar=True, name="branch at the root")


@_named
def single_joint() -> Figure:
    """One hinge and its tip."""
    return chain(1, planar=True, name="single joint")


# Rotations at their poles and limits


@_named
def gimbal() -> Figure:
    """Euler joints of all orders, each at its pole, where the first and last axis are in line."""
    orders = ["XYZ", "YZX", "ZXY", "XZY", "YXZ", "ZYX", "XYX", "YZY", "ZXZ", "XZX", "YXY", "ZYZ"]
    segments = [Segment("Root", mass=1.0)]
    for order in orders:
        pole = 0.0 if order[0] == order[2] else np.pi / 2
        joint = Joint("", (Euler(order),), rest=(0.3, pole, -0.2))
        segments += [
            Segment(order, "Root", joint, mass=1.0, center=(0.5, 0.2, 0.1), offset=(0.0, 1.0, 0.0)),
            Segment(f"{order}Tip", order, offset=(1.0, 0.5, 0.2)),
        ]
    return Figure("gimbal", segments)


@_named
def half_turn() -> Figure:
    """Balls turned by half a turn about coordinate axes and about an oblique one: the rotation vector has two
    values."""
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, -0.8)]
    return _with_rest(
        chain(4, Ball(), name="half turn"), {f"Segment{k + 1}": (0.0, *axis) for k, axis in enumerate(axes)}
    )


_CONE = SwingTwist(
    axis=(1.0, 0.0, 0.0),
    swing=(0.9, 0.5),
    twist=(-0.4, 0.7),
    first=(0.0, 1.0, 1.0),
    reference=as_tuple(rotations.from_rotation_vector(np.array([0.3, -0.5, 0.4]))),
)


@_named
def cone_apex() -> Figure:
    """Two balls at the centre of their elliptic cones: the swing has no direction, and the normal is undefined."""
    return _with_rest(
        chain(2, Ball(_CONE), name="cone apex"), dict.fromkeys(["Segment1", "Segment2"], _in_cone(_CONE, 0.0, 0.0, 0.0))
    )


@_named
def on_the_rim() -> Figure:
    """Balls on the rim of their cones: at the narrow end, and between the ends with the twist at its limit too."""
    places = {
        "Segment1": _in_cone(_CONE, 0.0, 0.5, 0.1),
        "Segment2": _in_cone(_CONE, 0.9 * 0.6, 0.5 * 0.8, 0.7),
    }
    return _with_rest(chain(2, Ball(_CONE), name="on the rim"), places)


@_named
def swing_half_turn() -> Figure:
    """A ball whose swing is half a turn, where its twist is undefined."""
    cone = SwingTwist(axis=(1.0, 0.0, 0.0), swing=(np.pi, np.pi), first=(0.0, 1.0, 0.0))
    return _with_rest(chain(1, Ball(cone), name="swing half turn"), {"Segment1": (0.0, 0.0, 1.0, 0.0)})


@_named
def touching_limits() -> Figure:
    """Joints with equal lower and upper limits: a hinge, a slider and an Euler angle that cannot move."""
    joints: list[Motion] = [
        Hinge(limits=(0.5, 0.5)),
        Slider(axis=(0.0, 1.0, 0.0), limits=(0.2, 0.2)),
        Euler("ZXY", ((-1.0, 1.0), (0.3, 0.3), (0.0, 0.0))),
        Hinge(limits=(-1.0, 1.0)),
    ]
    return chain(4, joints, name="touching limits")


# Sequences and couplings


@_named
def slider_then_ball() -> Figure:
    """The joints of BVH files: a root with three sliders and a rotation, and a joint with its own slider."""
    sliders = tuple(Slider(axis) for axis in rotations.AXES.values())
    stretch = (Slider((1.0, 0.0, 0.0), (-0.2, 0.5)), Euler("ZXY", ((-2.0, 2.0), (-1.0, 1.0), (-1.5, 1.5))))
    return Figure(
        "slider then ball",
        [
            Segment("Root", joint=(*sliders, Ball()), mass=1.0),
            Segment("Arm", "Root", stretch, mass=1.0, center=(0.5, 0.0, 0.0), offset=(0.0, 1.0, 0.0)),
            Segment("Hand", "Arm", (Slider((0.0, 0.0, 1.0)), Hinge((0.0, 1.0, 0.0))), mass=0.5, offset=(1.0, 0.0, 0.0)),
            Segment("Tip", "Hand", offset=(0.3, 0.0, 0.0)),
        ],
    )


@_named
def coupled_pair() -> Figure:
    """A hinge that is coupled to the first hinge (ratio −2), and a slider that is coupled to this second hinge."""
    follower = Joint("", (Hinge(limits=(-2.0, 2.0)),), coupling=Coupling("Segment1", ratio=-2.0, offset=0.3))
    slider = Joint("", (Slider((1.0, 0.0, 0.0)),), coupling=Coupling("Segment2", ratio=0.1, offset=0.05))
    return Figure(
        "coupled pair",
        [
            Segment("Segment1", None, Hinge(limits=(-1.0, 1.5)), mass=1.0, center=(0.5, 0.0, 0.0)),
            Segment("Segment2", "Segment1", follower, mass=1.0, center=(0.5, 0.0, 0.0), offset=(1.0, 0.0, 0.0)),
            Segment("Segment3", "Segment2", slider, mass=1.0, center=(0.5, 0.0, 0.0), offset=(1.0, 0.0, 0.0)),
            Segment("Tip", "Segment3", offset=(1.0, 0.0, 0.0)),
        ],
    )


@_named
def all_kinds() -> Figure:
    """One joint of every kind in one chain: free, slider, hinge, Euler, ball, sequences, coupled, fixed."""
    oblique = as_tuple(rotations.from_rotation_vector(np.array([0.4, -0.3, 0.6])))
    motions: dict[str, Any] = {
        "Slider": Slider((0.0, 1.0, 0.0), (-0.3, 0.6)),
        "Hinge": Hinge((1.0, 2.0, -1.0), (-1.0, 2.0)),
        "Euler2": Euler("YX", ((-0.8, 0.8), (-0.5, 0.7))),
        "Euler3": Euler("ZXY"),
        "Ball": Ball(),
        "Cone": Ball(SwingTwist((1.0, 0.0, 0.0), (1.2, 0.7), (-0.5, 0.9), (0.0, 1.0, 0.0), oblique)),
        "SlidersBall": (Slider((1.0, 0.0, 0.0)), Slider((0.0, 0.0, 1.0), (-1.0, 1.0)), Ball()),
        "SliderHinge": (Slider((0.0, 1.0, 1.0), (-0.1, 0.1)), Hinge((0.0, 0.0, 1.0))),
        "Follower": Joint("", (Hinge((0.0, 1.0, 0.0)),), coupling=Coupling("Hinge", 0.5, 0.1)),
        "Fixed": None,
    }
    segments = [Segment("Free", joint=Free(), mass=1.0)]
    for name, motion in motions.items():
        turned = oblique if name in ("Euler3", "Fixed") else None
        parent = segments[-1].name
        segments.append(Segment(name, parent, motion, 1.0, (0.4, 0.1, 0.0), offset=(1.0, 0.2, -0.1), rotation=turned))
    return Figure("all kinds", segments)


@_named
def long_chain(n: int = 200) -> Figure:
    """`n` segments with a total length of 1: hinges about changing axes, every fifth joint a ball, all slightly
    bent."""
    if n < 1:
        raise BadValue(f"a long chain of {n} segments; it needs at least 1")
    axes = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 1.0)]
    joints: list[Motion] = [Ball() if i % 5 == 4 else Hinge(axes[i % 4], (-1.5, 1.5)) for i in range(n)]
    figure = chain([1.0 / n] * n, joints, name=f"long chain of {n}", mass=1.0 / n)
    return _with_rest(figure, {f"Segment{i + 1}": (6.0 / n,) for i in range(n) if i % 5 != 4 and i % 4 == 0})


def _with_rest(figure: Figure, rest: Mapping[str, tuple[float, ...]]) -> Figure:
    """The figure with the rest pose of some joints set."""
    segments = []
    for s in figure.segments:
        joint = s.joint
        if s.name in rest:
            joint = Joint(joint.name, joint.motions, joint.offset, joint.rotation, rest[s.name], joint.coupling)
        segments.append(s.replaced(joint=joint))
    return figure.replaced(segments=segments)


def _in_cone(cone: SwingTwist, one: float, two: float, twist: float) -> tuple[float, ...]:
    """The quaternion at swing (one, two) and twist within a cone."""
    M = swing_twist.compose(np.array([one, two, twist]), cone.basis)
    return as_tuple(rotations.multiply(np.array(cone.reference), M))
