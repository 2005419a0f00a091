"""The examples as data: the chapter's formulas, and finding them by name."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close

from manikin.chapter.examples import EXAMPLES, Example, chosen
from manikin.errors import UnknownName
from manikin.linalg import rank
from manikin.problem import Problem


@pytest.mark.parametrize("seed", range(5))
def test_example_3_1_is_the_formula_of_the_chapter(seed: int) -> None:
    (found,) = chosen(["3.1"])
    theta = np.random.default_rng(seed).uniform(-np.pi, np.pi, 3)
    phi = np.cumsum(theta)
    lengths = np.array([1.0, 0.8, 0.6])
    assert_close(found.positions(theta)[0], [lengths @ np.cos(phi), lengths @ np.sin(phi)])


@pytest.mark.parametrize("seed", range(5))
def test_example_5_7_is_the_formula_of_the_chapter(seed: int) -> None:
    found = chosen(["5.7"])[0]
    theta = np.random.default_rng(seed).uniform(-np.pi, np.pi, 9)
    first = np.cumsum(theta[:6])
    second = np.concatenate([first[:3], first[2] + np.cumsum(theta[6:])])
    expected = [[np.cos(phi).sum(), np.sin(phi).sum()] for phi in (first, second)]
    assert_close(found.positions(theta), expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_inner_effector_depends_on_two_angles_only(seed: int) -> None:
    (found,) = chosen(["9"])
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-np.pi, np.pi, 11)
    other = np.concatenate([theta[:2], rng.uniform(-np.pi, np.pi, 9)])
    phi = np.cumsum(theta[:2])
    for pose in (theta, other):
        assert_close(found.positions(pose)[3], [np.cos(phi).sum(), np.sin(phi).sum()])


@pytest.mark.parametrize("made", EXAMPLES, ids=lambda e: e.name)
def test_directions_at_the_start_are_those_given_and_the_stack_has_full_rank(made: Example) -> None:
    at = made.figure.placements(made.start)
    for i, degrees in enumerate(made.degrees):
        column = at[made.figure.segment_index(f"Segment{i + 1}"), :2, 0]
        assert_close(column, [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    jacobian = Problem(made.figure, made.goals).at(made.start).jacobian
    assert rank(jacobian) == 2 * len(made.effectors) < made.figure.nv
    assert made.figure.violation(made.start) == 0.0


def test_the_bounds_are_those_of_example_7_4() -> None:
    (found,) = chosen(["7.4"])
    lower, upper = found.figure.lower, found.figure.upper
    assert np.all(lower == -np.pi)
    assert upper[5] == 0.0
    assert np.all(np.delete(upper, 5) == np.pi)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["12"], ["figure-12"]),
        (["Figure-12"], ["figure-12"]),
        (["5.7"], ["figure-5", "figure-6"]),
        (["7.3"], ["figure-11", "figure-12", "figure-13", "figure-14"]),
        (["15", "3.1", "figure-3"], ["figure-3", "figure-15"]),
        ([], [e.name for e in EXAMPLES]),
    ],
)
def test_examples_are_found_by_figure_and_by_number(names: list[str], expected: list[str]) -> None:
    assert [e.name for e in chosen(names)] == expected


def test_an_unknown_example_is_named_with_the_nearest_there_is() -> None:
    with pytest.raises(UnknownName, match=r"no example 'figure-13b'; did you mean 'figure-13'\?"):
        chosen(["3.1", "figure-13b"])
