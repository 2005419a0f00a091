"""The native core equals its NumPy twin, to 1e-12 of the figure's size, with every kernel that this processor runs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from strategies import random_figure, random_poses

from manikin.arrays import Matrix, Placements
from manikin.figure import Ball, Euler, Figure, Hinge, Segment, Slider, chain, samples
from manikin.figure.human.human import human
from manikin.figure.quadruped.quadruped import quadruped
from manikin.reference.kinematics import Kinematics as Twin

_core = pytest.importorskip("manikin._core", reason="the native core is not built")

TOLERANCE = 1e-12
"""Of the figure's size for lengths, of 1 for rotations."""
BATCHES = (1, 2, 3, 4, 5, 7, 8, 9, 33)
"""Around the widths of lanes: full blocks, blocks with one pose too few or too many."""
FIGURES = 400
"""How many random figures each kernel is tried on."""


@pytest.fixture(params=["base", "v3"])
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each kernel in turn; the one that was in use afterwards."""
    name = str(request.param)
    if name not in _core.available():
        pytest.skip(f"this processor does not run the kernels {name!r}")
    before = _core.in_use()
    _core.use(name)
    yield name
    _core.use(before)


def natives(figure: Figure) -> Any:
    tree = figure.layout.tree
    return _core.Kinematics(tree.nq, tree.nv, **tree.arrays())


def twins(figure: Figure) -> Twin:
    return Twin(figure.layout.tree)


class Case:
    """A random figure with poses and what the twin makes of them, computed once for all kernels."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 2])
        self.figure = random_figure(rng)
        count, segments = BATCHES[seed % len(BATCHES)], len(self.figure.segments)
        self.q = random_poses(self.figure, rng, count)
        self.chosen = rng.integers(segments, size=rng.integers(0, 6)).astype(np.int32)
        self.segment, self.point = int(rng.integers(segments)), self.figure.size * rng.normal(size=3)
        self.v, self.G = rng.normal(size=(count, self.figure.nv)), rng.normal(size=(count, segments, 4, 4))
        self.step = self.v * 10.0 ** rng.integers(-9, 2)
        self.native, self.twin = natives(self.figure), Twin(self.figure.layout.tree)
        self.reach = farthest(self.figure, self.q)

    @functools.cached_property
    def placements(self) -> Placements:
        return self.twin.placements(self.q)

    @functools.cached_property
    def jacobian(self) -> Matrix:
        return self.twin.jacobian(self.q, self.segment, self.point)

    @functools.cached_property
    def com_jacobian(self) -> Matrix:
        return self.twin.com_jacobian(self.q)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [Case(seed) for seed in range(FIGURES)]


def assert_placements(a: Placements, b: Placements, figure: Figure) -> None:
    reach = max(figure.size, float(np.abs(b[..., :3, 3]).max(initial=0.0)))  # a pose may slide far away
    assert_close(a[..., :3, :3], b[..., :3, :3], tol=TOLERANCE)
    assert_close(a[..., :3, 3], b[..., :3, 3], scale=reach, tol=TOLERANCE)
    assert_close(a[..., 3, :], b[..., 3, :], tol=0.0)


def assert_similar(a: Any, b: Any, *least: float) -> None:
    """Equal to TOLERANCE of the largest entry, or of what cancelled to give it."""
    assert_close(a, b, scale=max(*least, float(np.abs(b).max(initial=0.0))), tol=TOLERANCE)


def farthest(figure: Figure, q: Matrix) -> float:
    """The size of what cancels in a Jacobian: the longest lever arm."""
    p = twins(figure).placements(q)[..., :3, 3]
    return max(1.0, figure.size, float(np.abs(p).max()))


def test_placements_agree(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        assert_placements(case.native.placements(case.q), case.placements, case.figure)


@pytest.mark.parametrize("count", BATCHES)
def test_placements_agree_in_batches_of_any_size_on_any_threads(kernel: str, count: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng([seed, count])
        figure = random_figure(rng, segments=9)
        q = random_poses(figure, rng, count)
        wanted = twins(figure).placements(q)
        for threads in (1, 2):
            assert_placements(natives(figure).placements(q, threads=threads), wanted, figure)


def test_placements_of_chosen_segments_agree_in_any_order(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        found = case.native.placements(case.q, case.chosen)
        assert found.shape == (len(case.q), len(case.chosen), 4, 4)
        assert_placements(found, case.placements[:, case.chosen], case.figure)


def test_results_are_written_into_out_and_nowhere_else(kernel: str, cases: list[Case]) -> None:
    for case in cases[:60]:
        wide = np.full((len(case.q) + 2, len(case.figure.segments), 4, 4), np.nan)
        found = case.native.placements(case.q, None, wide[1:-1])
        assert np.shares_memory(found, wide)
        assert_placements(wide[1:-1], case.placements, case.figure)
        assert np.isnan(wide[[0, -1]]).all()


def test_one_pose_gives_results_without_the_leading_axis(kernel: str, cases: list[Case]) -> None:
    for case in cases[:60]:
        native, point, reach, last = case.native, case.point, case.reach, len(case.figure.segments) - 1
        rows, steps, cotangents = case.q[:1], case.v[:1], case.G[:1]
        q, v, G = rows[0], steps[0], cotangents[0]
        assert_placements(native.placements(q), native.placements(rows)[0], case.figure)
        assert_placements(native.placements(q, np.array([last], np.int32)), native.placements(q)[-1:], case.figure)
        assert_similar(native.jacobian(q, last, point), native.jacobian(rows, last, point)[0], reach)
        assert_similar(native.center_of_mass(q), native.center_of_mass(rows)[0], reach)
        assert_similar(native.com_jacobian(q), native.com_jacobian(rows)[0], reach)
        assert_similar(native.jvp(q, v), native.jvp(rows, steps)[0], reach)
        assert_similar(native.vjp(q, G), native.vjp(rows, cotangents)[0], reach)
        assert_close(native.integrate(q, v), native.integrate(rows, steps)[0], tol=0.0)
        assert_close(native.difference(q, q), native.difference(rows, rows)[0], tol=0.0)


def test_jacobians_agree(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        found = case.native.jacobian(case.q, case.segment, case.point)
        assert_similar(found[:, :3], case.jacobian[:, :3], case.reach)
        assert_similar(found[:, 3:], case.jacobian[:, 3:], 1.0)


def test_the_centre_of_mass_and_its_jacobian_agree(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        assert_similar(case.native.center_of_mass(case.q), case.twin.center_of_mass(case.q), case.reach)
        assert_similar(case.native.com_jacobian(case.q), case.com_jacobian, case.reach)


def test_derivatives_of_the_placements_agree(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        reach = case.reach * len(case.figure.segments)
        assert_similar(case.native.jvp(case.q, case.v), case.twin.jvp(case.q, case.v), reach)
        assert_similar(case.native.vjp(case.q, case.G), case.twin.vjp(case.q, case.G), reach)


def test_integration_and_difference_agree(kernel: str, cases: list[Case]) -> None:
    for case in cases:
        moved = case.twin.integrate(case.q, case.step)
        assert_similar(case.native.integrate(case.q, case.step), moved, 1.0)
        assert_similar(case.native.difference(case.q, moved), case.twin.difference(case.q, moved), 1.0)


@pytest.mark.parametrize("threads", [2, 3, 64])
def test_threads_do_not_change_a_bit(kernel: str, threads: int) -> None:
    rng = np.random.default_rng(threads)
    for count in (128, 201, 515):  # enough poses that threads are really started
        figure = random_figure(rng, segments=12)
        native, q = natives(figure), np.resize(random_poses(figure, rng, 37), (count, figure.nq))
        v, G = rng.normal(size=(count, figure.nv)), rng.normal(size=(count, len(figure.segments), 4, 4))
        point = rng.normal(size=3)
        calls: dict[str, Any] = {
            "placements": lambda t: native.placements(q, threads=t),  # noqa: B023
            "chosen": lambda t: native.placements(q, np.array([11, 3], np.int32), threads=t),  # noqa: B023
            "jacobian": lambda t: native.jacobian(q, 7, point, t),  # noqa: B023
            "center_of_mass": lambda t: native.center_of_mass(q, t),  # noqa: B023
            "com_jacobian": lambda t: native.com_jacobian(q, t),  # noqa: B023
            "jvp": lambda t: native.jvp(q, v, t),  # noqa: B023
            "vjp": lambda t: native.vjp(q, G, t),  # noqa: B023
        }
        for name, call in calls.items():
            assert np.array_equal(call(1), call(threads)), name
        assert_placements(native.placements(q, threads=threads), twins(figure).placements(q), figure)


def test_the_same_pose_gives_the_same_bits_wherever_it_stands_in_a_batch(kernel: str) -> None:
    rng = np.random.default_rng(5)
    figure = random_figure(rng, segments=10)
    q = np.repeat(random_poses(figure, rng, 1), 33, axis=0)
    found = natives(figure).placements(q)
    assert all(np.array_equal(found[0], row) for row in found)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 0.5, np.pi / 4, np.pi / 2, np.pi, 99.0, 1e4, 1e5, 1e9, 1e22])
def test_sine_and_cosine_are_right_for_small_and_for_huge_angles(kernel: str, angle: float) -> None:
    figure = chain(5, planar=True)
    for nudge in (0.0, 1e-8, -1e-8, 1e-3):
        for sign in (1.0, -1.0):
            q = sign * (angle + nudge) * np.array([[1.0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0]])
            found = natives(figure).placements(q)
            alone = natives(figure).placements(q[0])
            for R, theta in ((found[0, 0], q[0, 0]), (alone[0], q[0, 0]), (found[1, 4], q[1, 4])):
                assert_close(R[:2, 0], np.array([np.cos(theta), np.sin(theta)]), tol=4e-16)


def test_a_figure_without_any_number_has_placements(kernel: str) -> None:
    figure = Figure("statue", [Segment("Base", mass=1.0), Segment("Top", "Base", offset=(0, 1, 0))])
    native = natives(figure)
    for count in (1, 3, 200):
        q = np.zeros((count, 0))
        assert native.placements(q, threads=2)[:, 1, 1, 3].tolist() == [1.0] * count
        assert native.jacobian(q, 1, np.zeros(3)).shape == (count, 6, 0)
        assert native.com_jacobian(q).shape == (count, 3, 0)
        assert native.vjp(q, np.ones((count, 2, 4, 4))).shape == (count, 0)
        assert native.integrate(q, q).shape == (count, 0)


def test_no_poses_give_empty_results(kernel: str) -> None:
    rng = np.random.default_rng(1)
    figure = random_figure(rng, segments=6)
    native, q, v = natives(figure), np.zeros((0, figure.nq)), np.zeros((0, figure.nv))
    for threads in (1, 2):
        assert native.placements(q, threads=threads).shape == (0, 6, 4, 4)
        assert native.jacobian(q, 2, np.zeros(3), threads).shape == (0, 6, figure.nv)
        assert native.center_of_mass(q, threads).shape == (0, 3)
        assert native.com_jacobian(q, threads).shape == (0, 3, figure.nv)
        assert native.jvp(q, v, threads).shape == (0, 6, 4, 4)
        assert native.vjp(q, np.zeros((0, 6, 4, 4)), threads).shape == (0, figure.nv)
    assert native.integrate(q, v).shape == (0, figure.nq)
    assert native.difference(q, q).shape == (0, figure.nv)


def test_a_long_chain_agrees(kernel: str) -> None:
    rng = np.random.default_rng(8)
    motions = [Hinge((0, 1, 0)), Euler("ZXY"), Ball(), Hinge((0.6, 0, 0.8)), (Slider(), Slider((0, 0, 1)), Ball())]
    segments = [Segment("S0", joint=Hinge())]
    segments += [Segment(f"S{i}", f"S{i - 1}", motions[i % 5], mass=1, offset=(0.1, 0, 0)) for i in range(1, 400)]
    figure = Figure("snake", segments)
    q = random_poses(figure, rng, 3)
    native, twin = natives(figure), twins(figure)
    assert_placements(native.placements(q), twin.placements(q), figure)
    reach, point = farthest(figure, q), np.array([0.0, 0.1, 0.0])
    assert_similar(native.jacobian(q, 399, point), twin.jacobian(q, 399, point), reach)
    G = rng.normal(size=(3, 400, 4, 4))
    assert_similar(native.vjp(q, G), twin.vjp(q, G), 400 * reach)


@pytest.mark.parametrize("name", ["human", "quadruped", *sorted(samples.all())])
def test_the_built_in_figures_and_every_sample_agree(kernel: str, name: str) -> None:
    makers = {"human": human, "quadruped": quadruped}
    figure, rng = makers[name]() if name in makers else samples.all()[name][0], np.random.default_rng(4)
    q = random_poses(figure, rng, 5)
    q[0] = figure.rest
    native, twin, last = natives(figure), twins(figure), len(figure.segments) - 1
    reach, v = farthest(figure, q), rng.normal(size=(5, figure.nv))
    G = rng.normal(size=(5, last + 1, 4, 4))
    assert_placements(native.placements(q), twin.placements(q), figure)
    assert_similar(native.jacobian(q, last, np.ones(3)), twin.jacobian(q, last, np.ones(3)), reach)
    assert_similar(native.jvp(q, v), twin.jvp(q, v), reach)
    assert_similar(native.vjp(q, G), twin.vjp(q, G), reach * len(figure.segments))
    if figure.mass > 0.0 and len(figure.segments) < 150:  # the twin takes a Jacobian for each segment
        assert_similar(native.com_jacobian(q), twin.com_jacobian(q), reach)


@pytest.mark.parametrize(
    "bad",
    [
        lambda k, q: k.placements(q[:, :-1].copy()),
        lambda k, q: k.placements(q[None].copy()),
        lambda k, q: k.placements(np.full_like(q, np.nan)),
        lambda k, q: k.placements(np.where(q == q[0, 0], np.inf, q)),
        lambda k, q: k.placements(np.zeros_like(q)),
        lambda k, q: k.placements(2.0 * q),
        lambda k, q: k.placements(q, np.array([99], np.int32)),
        lambda k, q: k.placements(q, np.array([-1], np.int32)),
        lambda k, q: k.placements(q, None, np.zeros((2, 1, 4, 4))),
        lambda k, q: k.placements(q, None, np.zeros(16)),
        lambda k, q: k.placements(q, None, None, 0),
        lambda k, q: k.jacobian(q, 99, np.zeros(3)),
        lambda k, q: k.jacobian(q, -1, np.zeros(3)),
        lambda k, q: k.jacobian(q, 0, np.zeros(2)),
        lambda k, q: k.jvp(q, np.zeros((2, 1))),
        lambda k, q: k.jvp(q, np.zeros((3, 7))),
        lambda k, q: k.vjp(q, np.zeros((2, 1, 4, 4))),
        lambda k, q: k.integrate(q, np.zeros((2, 9))),
        lambda k, q: k.integrate(q, np.zeros((5, 6))),
        lambda k, q: k.difference(q, q[:1].copy()),
    ],
)
def test_arrays_that_do_not_fit_are_refused_and_nothing_crashes(kernel: str, bad: Any) -> None:
    figure = Figure("ball", [Segment("Base", joint=Ball()), Segment("Arm", "Base", Ball(), mass=1.0)])
    with pytest.raises(ValueError, match=r".+"):
        bad(natives(figure), np.repeat(figure.rest[None], 2, axis=0))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("parent", [0, 0]),
        ("parent", [-1, 5]),
        ("parent", [-1, -2]),
        ("kind", [2, 9]),
        ("number", [0, 7]),
        ("number", [0, -1]),
        ("step", [0, 7]),
        ("step", [-1, 1]),
        ("source", [-1, 9]),
        ("segment", [0, 2]),
        ("segment", [0, -1]),
        ("segment", [1, 1]),
        ("kind", [2, 2, 2]),
    ],
)
def test_a_tree_with_indices_out_of_range_is_refused(name: str, values: list[int]) -> None:
    tree = chain(1, planar=True, name="c").layout.tree
    two = Figure("two", [Segment("A", joint=Hinge()), Segment("B", "A", Hinge())]).layout.tree
    assert len(two.parent) == 2
    arrays = {**two.arrays(), name: np.array(values, np.int32)}
    with pytest.raises(ValueError, match=r".+"):
        _core.Kinematics(two.nq, two.nv, **arrays)
    _core.Kinematics(tree.nq, tree.nv, **tree.arrays())


def test_only_float64_rows_in_order_are_taken(kernel: str) -> None:
    figure = chain(3, planar=True)
    native = natives(figure)
    for q in (
        np.zeros((2, 3), np.float32),
        np.zeros((2, 3), int),
        np.zeros((3, 2)).T,
        np.zeros((2, 6))[:, ::2],
        [0.0] * 3,
    ):
        with pytest.raises(TypeError):
            native.placements(q)
    read_only = np.zeros((2, 4, 4, 4))
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        native.placements(np.zeros((2, 3)), None, read_only)


def test_many_python_threads_may_use_one_figure_at_once(kernel: str) -> None:
    rng = np.random.default_rng(11)
    figure = random_figure(rng, segments=12)
    native = natives(figure)
    poses = [np.resize(random_poses(figure, rng, 5), (n, figure.nq)) for n in (40, 300, 77, 1)]
    wanted = [native.placements(q) for q in poses]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(30):
            if not np.array_equal(native.placements(poses[k], threads=1 + k % 2), wanted[k]):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong


def test_kernels_are_chosen_by_name() -> None:
    assert _core.available()[0] == "base"
    assert _core.in_use() in _core.available()
    with pytest.raises(ValueError, match=r".*avx9.*|.*base.*"):
        _core.use("avx9")
    assert _core.in_use() in _core.available()
