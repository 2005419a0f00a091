"""The figure itself: it is immutable, takes one pose or many, and its steps are the tangent space of poses."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given, settings
from strategies import random_figure, random_pose, random_poses, rngs

from manikin import rotations
from manikin.figure import Ball, Capsule, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, chain, samples


def same_pose(figure: Figure, a: Any, b: Any, tol: float = 1e-12) -> None:
    """Equal up to the sign of quaternions; lengths relative to the figure's size, sources of couplings included."""
    a, b = np.array(a), np.array(b)
    for n in figure.layout.balls:
        if a[n : n + 4] @ b[n : n + 4] < 0.0:
            a[n : n + 4] *= -1.0
    assert_close(a, b, scale=max(1.0, float(np.abs(b).max(initial=0.0))), tol=tol)


def normalized(figure: Figure, q: Any) -> Any:
    return figure.integrate(q, np.zeros(figure.nv))


# It never changes


@pytest.mark.parametrize("name", ["rest", "lower", "upper"])
def test_arrays_of_a_figure_cannot_be_written(name: str) -> None:
    array = getattr(random_figure(np.random.default_rng(0), segments=9), name)
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 0.0


@pytest.mark.parametrize(
    "name",
    ["name", "segments", "unit", "up", "source", "rest", "lower", "nq", "nv", "size", "mass", "digest", "colour"],
)
def test_nothing_of_a_figure_can_be_set(name: str) -> None:
    figure = chain(2)
    with pytest.raises(AttributeError, match="figure 'chain' never changes; make a new one"):
        setattr(figure, name, 1)


def test_what_is_given_is_copied() -> None:
    segments, source = [Segment("A", joint=Hinge(), mass=1.0)], {"text": "as read"}
    figure = Figure("f", segments, source=source)
    segments.append(Segment("B", "A"))
    source["text"] = "changed"
    assert figure.segment_names == ("A",)
    assert figure.source["text"] == "as read"
    q = figure.rest.copy()
    moved = figure.integrate(q, [0.5])
    figure.placements(q)
    moved[:] = 9.0
    assert q.tolist() == figure.rest.tolist() == [0.0]


def test_results_are_the_callers_own() -> None:
    figure = random_figure(np.random.default_rng(3), segments=6)
    q = figure.random(np.random.default_rng(0))
    before = figure.placements(q).copy()
    for result in (figure.placements(q), figure.pose(), figure.clamp(q), figure.random(np.random.default_rng(0))):
        result[...] = 0.0
    assert np.array_equal(figure.placements(q), before)
    assert np.array_equal(figure.pose(), figure.rest)


# One pose or many


@settings(max_examples=20)
@given(rngs())
def test_many_poses_are_computed_like_one(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q, point = np.stack([random_poses(figure, rng, 3)] * 2), rng.normal(size=3)  # (2, 3, nq)
    v, G = rng.normal(size=(2, 3, figure.nv)), rng.normal(size=(2, 3, len(figure.segments), 4, 4))
    last = figure.segment_names[-1]
    calls: dict[str, tuple[Any, tuple[int, ...]]] = {
        "placements": (lambda i: figure.placements(q[i]), (len(figure.segments), 4, 4)),
        "chosen": (lambda i: figure.placements(q[i], [last, last]), (2, 4, 4)),
        "jacobian": (lambda i: figure.jacobian(q[i], last, point), (6, figure.nv)),
        "center_of_mass": (lambda i: figure.center_of_mass(q[i]), (3,)),
        "com_jacobian": (lambda i: figure.com_jacobian(q[i]), (3, figure.nv)),
        "jvp": (lambda i: figure.jvp(q[i], v[i]), (len(figure.segments), 4, 4)),
        "vjp": (lambda i: figure.vjp(q[i], G[i]), (figure.nv,)),
        "vjp by pose": (lambda i: figure.vjp(q[i], G[i], wrt="pose"), (figure.nq,)),
        "integrate": (lambda i: figure.integrate(q[i], v[i]), (figure.nq,)),
        "difference": (lambda i: figure.difference(q[i], q[(1, 1)]), (figure.nv,)),
    }
    for name, (call, shape) in calls.items():
        together = call(...)
        assert together.shape == (2, 3, *shape), name
        reach = max(1.0, float(np.abs(together).max(initial=0.0)))
        for i in np.ndindex(2, 3):
            assert_close(together[i], call(i), scale=reach, tol=1e-12)


def test_no_poses_at_all_are_fine_too() -> None:
    figure = random_figure(np.random.default_rng(2), segments=5)
    q, v, G = np.zeros((0, figure.nq)), np.zeros((0, figure.nv)), np.zeros((0, 5, 4, 4))
    assert figure.placements(q).shape == (0, 5, 4, 4)
    assert figure.placements(q, []).shape == (0, 0, 4, 4)
    assert figure.placements(figure.rest, [], out=np.zeros((0, 4, 4))).shape == (0, 4, 4)
    assert figure.jacobian(q, "S0").shape == (0, 6, figure.nv)
    assert figure.center_of_mass(q).shape == (0, 3)
    assert figure.jvp(q, v).shape == (0, 5, 4, 4)
    for wrt, n in (("step", figure.nv), ("pose", figure.nq)):
        assert figure.vjp(q, G, wrt=wrt).shape == (0, n)
    assert figure.integrate(q, v).shape == (0, figure.nq)
    assert figure.difference(q, q).shape == (0, figure.nv)
    assert figure.violation(q).shape == (0,)
    assert figure.clamp(q).shape == (0, figure.nq)


def test_one_pose_goes_with_many_steps_and_one_step_with_many_poses() -> None:
    figure = chain(3, planar=True)
    steps = np.arange(6.0).reshape(2, 3)
    assert_close(figure.integrate(figure.rest, steps), steps, tol=0.0)
    assert_close(figure.integrate(steps, [1.0, 1.0, 1.0]), steps + 1.0, tol=0.0)
    assert_close(figure.difference(figure.rest, steps), steps, tol=0.0)
    assert figure.jvp(figure.rest, steps).shape == (2, 4, 4, 4)
    assert figure.vjp(steps, np.zeros((4, 4, 4)), wrt="pose").shape == (2, 3)


@pytest.mark.parametrize(
    "given_as",
    [
        lambda q: q.tolist(),
        lambda q: q.astype(np.float32),
        lambda q: np.asfortranarray(np.stack([q, q]))[0],
        lambda q: np.stack([q, q], axis=-1)[:, 1],
        lambda q: np.repeat(q, 2)[::2],
    ],
)
def test_a_pose_may_be_given_in_any_form(given_as: Any) -> None:
    figure = chain(3, planar=True)
    q = np.array([0.25, -0.5, 1.0])  # exact in single precision too
    assert np.array_equal(figure.placements(given_as(q)), figure.placements(q))
    many = np.asfortranarray(np.stack([q, 2 * q]))
    assert np.array_equal(figure.placements(many)[0], figure.placements(np.stack([q, 2 * q]))[0])


def test_out_takes_the_result_and_is_returned() -> None:
    figure = random_figure(np.random.default_rng(5), segments=6)
    q = figure.random(np.random.default_rng(0), 4)
    for segments, shape in ((None, (4, 6, 4, 4)), (["S3", "S1"], (4, 2, 4, 4)), ("S2", (4, 1, 4, 4))):
        out = np.full(shape, np.nan)
        assert figure.placements(q, segments, out=out) is out
        assert_close(out, figure.placements(q, segments), scale=figure.size, tol=1e-15)
    many, out = q.reshape(2, 2, -1), np.full((2, 2, 6, 4, 4), np.nan)
    assert figure.placements(many, out=out) is out
    assert_close(out.reshape(4, 6, 4, 4), figure.placements(q), scale=figure.size, tol=1e-15)


def test_chosen_segments_come_in_the_order_asked_for() -> None:
    figure = random_figure(np.random.default_rng(5), segments=6)
    q = figure.random(np.random.default_rng(0))
    everything = figure.placements(q)
    for k, name in enumerate(["S4", "S0", "S4", "S2"]):
        found = figure.placements(q, ["S4", "S0", "S4", "S2"])[k]
        assert_close(found, everything[figure.segment_index(name)], scale=figure.size, tol=1e-15)


# Steps


@settings(max_examples=150)
@given(rngs())
def test_integrating_a_difference_gives_the_other_pose(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    a, b = normalized(figure, random_pose(figure, rng)), normalized(figure, random_pose(figure, rng))
    same_pose(figure, figure.integrate(a, figure.difference(a, b)), b)


@settings(max_examples=150)
@given(rngs())
def test_the_difference_of_an_integrated_step_is_the_step(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    v = rng.uniform(-1.0, 1.0, size=figure.nv) * float(rng.choice([1e-12, 1e-7, 1e-4, 1.0]))  # less than a half turn
    size = max(1.0, float(np.abs(q).max(initial=0.0)))
    assert_close(figure.difference(q, figure.integrate(q, v)), v, scale=size, tol=4e-15)


@given(rngs())
def test_quaternions_have_unit_length_after_a_step(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    moved = figure.integrate(q, rng.normal(size=figure.nv))
    for n in figure.layout.balls:
        assert_close(np.linalg.norm(moved[n : n + 4]), 1.0, tol=4e-16)


@given(rngs())
def test_a_step_of_a_ball_turns_about_the_axes_of_the_moved_segment(rng: np.random.Generator) -> None:
    figure = Figure("ball", [Segment("A", joint=Ball())])
    q, v = figure.random(rng), rng.normal(size=3)
    assert_close(figure.integrate(q, v), rotations.multiply(q, rotations.from_rotation_vector(v)), tol=1e-15)


def test_the_difference_takes_the_shorter_way_whatever_the_signs() -> None:
    figure = Figure("ball", [Segment("A", joint=Ball())])
    a, b = rotations.from_axis_angle((0, 0, 1), 0.2), rotations.from_axis_angle((0, 0, 1), 6.1)
    for sign in (1.0, -1.0):
        assert_close(figure.difference(a, sign * b), [0.0, 0.0, 5.9 - 2 * np.pi], tol=1e-14)


def test_angles_do_not_wrap() -> None:
    figure = chain(1, planar=True)
    assert figure.difference([0.1], [7.0]).tolist() == [6.9]


# What it is


def test_size_is_the_longest_way_from_root_to_tip() -> None:
    figure = Figure(
        "f",
        [
            Segment("Root", joint=Free(), offset=(100, 0, 0)),  # only says where the figure stands
            Segment("Rail", "Root", Slider(limits=(-3, 2)), offset=(0, 1, 0)),
            Segment("Open", "Rail", Slider(limits=(0, np.inf))),
            Segment("Arm", "Open", Hinge(), offset=(3, 4, 0)),
            Segment("Short", "Root", offset=(0, 0, 2)),
        ],
    )
    assert figure.size == 1.0 + 3.0 + 5.0
    assert Figure("dot", [Segment("A", joint=Ball())]).size == 1.0


def test_names_lead_to_places() -> None:
    figure = Figure("f", [Segment("A", joint=Joint("root", (Hinge(),))), Segment("B", "A", Ball(), mass=2.0)])
    assert figure.joint_names == ("root", "B")
    assert figure.segment_names == ("A", "B")
    assert (figure.index_of("B"), figure.step_of("B"), figure.segment_index("B")) == (1, 1, 1)
    assert figure.segment("B").mass == figure.mass == 2.0
    assert repr(figure) == "<Figure 'f': 2 segments, 4 degrees of freedom>"


def test_figures_are_equal_when_everything_but_their_source_is() -> None:
    a, b = chain(3), chain(3)
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b, chain(4)}) == 2
    assert a == a.replaced(source={"path": "x.bvh"})
    for change in ({"name": "other"}, {"unit": 0.01}, {"unit": None}, {"up": "z"}, {"segments": chain(2).segments}):
        assert a != a.replaced(**change), change
    assert a != "chain"
    heavier = [s.replaced(mass=np.nextafter(s.mass, 2)) for s in a.segments]
    assert a != a.replaced(segments=heavier)


def test_replaced_keeps_the_rest() -> None:
    figure = Figure("f", [Segment("A", joint=Hinge())], unit=0.01, up="z", source={"k": 1})
    other = figure.replaced(name="g")
    assert (other.name, other.unit, other.up, dict(other.source)) == ("g", 0.01, "z", {"k": 1})
    assert figure.name == "f"


def test_copies_are_equal_and_work() -> None:
    figure = random_figure(np.random.default_rng(0), segments=7)
    for other in (copy.copy(figure), copy.deepcopy(figure)):
        assert other == figure
        q = figure.random(np.random.default_rng(1))
        assert np.array_equal(other.placements(q), figure.placements(q))


def test_segments_may_come_from_a_generator() -> None:
    assert Figure("f", (Segment(n, p) for n, p in [("B", "A"), ("A", None)])).segment_names == ("A", "B")


@pytest.mark.parametrize("name", sorted(samples.all()))
def test_every_sample_works_at_its_own_bad_place(name: str) -> None:
    figure, pose = samples.all()[name]
    assert figure.violation(pose) == 0.0
    T = figure.placements(pose)
    assert np.isfinite(T).all()
    J = figure.jacobian(pose, figure.segment_names[-1])
    assert np.isfinite(J).all()
    assert_close(figure.difference(pose, figure.integrate(pose, np.zeros(figure.nv))), 0.0, tol=1e-15)


def test_a_free_joint_may_hang_anywhere() -> None:
    figure = Figure(
        "f", [Segment("A", joint=Hinge()), Segment("B", "A", Free(), offset=(1, 0, 0)), Segment("C", "B", Hinge())]
    )
    q = figure.pose({"A": np.pi / 2, "B": [0.5, 0, 0, 1, 0, 0, 0]})
    assert_close(figure.placements(q, ["B"])[0, :3, 3], [0.0, 1.5, 0.0], tol=1e-15)
    assert_close(figure.jacobian(q, "B")[:3, 1:4], rotations.axis_matrix("z", np.pi / 2), tol=1e-15)


def test_the_joints_of_the_readme_example_move_as_said() -> None:
    arm = Figure(
        "arm",
        [
            Segment("Base"),
            Segment("Upper", "Base", Hinge(axis=(0, 0, 1), limits=(-1, 1)), mass=1, shapes=[Capsule(end=(1, 0, 0))]),
            Segment("Lower", "Upper", Euler("XY"), offset=(1, 0, 0)),
            Segment("Grip", "Lower", Joint(motions=(Slider(),), coupling=Coupling("Upper", 0.1)), offset=(1, 0, 0)),
        ],
    )
    assert (arm.nq, arm.nv) == (4, 3)
    T = arm.placements(arm.pose({"Upper": 0.5}))
    assert_close(T[-1, :3, 3], 2.05 * np.array([np.cos(0.5), np.sin(0.5), 0.0]), tol=1e-15)
