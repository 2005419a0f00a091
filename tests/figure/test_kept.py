"""What is computed once for each object that never changes."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import manikin as mk
from manikin.figure.kept import ATTRIBUTE, kept, values_of
from manikin.figure.parts.calibration import calibrate


class Thing:
    """An object that never changes."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_a_value_is_computed_once_for_each_object_and_argument() -> None:
    calls = []

    @kept
    def times(thing: Thing, factor: int, add: int = 0) -> int:
        calls.append((thing.number, factor, add))
        return thing.number * factor + add

    two, three = Thing(2), Thing(3)
    assert [times(two, 5), times(two, 5), times(three, 5), times(two, 6), times(two, 5, add=1)] == [10, 10, 15, 12, 11]
    assert calls == [(2, 5, 0), (3, 5, 0), (2, 6, 0), (2, 5, 1)]


def test_an_error_is_not_kept() -> None:
    tried = []

    @kept
    def fails_once(thing: Thing) -> int:
        tried.append(thing)
        if len(tried) == 1:
            raise ValueError("not yet")
        return thing.number

    thing = Thing(4)
    with pytest.raises(ValueError, match="not yet"):
        fails_once(thing)
    assert fails_once(thing) == 4


def test_threads_get_the_same_value() -> None:
    together = Barrier(2)

    @kept
    def made(_: Thing) -> object:
        together.wait(10.0)  # both threads are here before one has a value
        return object()

    thing = Thing(1)
    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(made, [thing, thing])
    assert one is two


def test_the_map_and_the_calibration_of_a_figure_are_found_once() -> None:
    person = mk.human()
    bones = mk.bone_map(person)
    assert mk.bone_map(person) is bones
    assert calibrate(person, bones) is calibrate(person, bones)
    assert calibrate(person, bones, person.rest[None]) is not calibrate(person, bones)


def test_what_is_kept_is_no_part_of_a_figure() -> None:
    """Equal figures are equal and have the same pickle, whatever was computed from one of them."""
    used, fresh = mk.human(), mk.human()
    plain = pickle.dumps(fresh)
    calibrate(used, mk.bone_map(used))
    assert values_of(used)
    assert used == fresh
    assert hash(used) == hash(fresh)
    assert pickle.dumps(used) == plain
    assert ATTRIBUTE not in vars(pickle.loads(pickle.dumps(used)))
    assert ATTRIBUTE not in vars(pickle.loads(pickle.dumps(mk.bone_map(used))))


def test_a_view_with_other_limits_shares_nothing_that_is_kept() -> None:
    person = mk.human()
    bones = mk.bone_map(person)
    cones = person.layout.cones
    view = person.limits_view(person.lower, person.upper, cones.swing, cones.twist)
    assert mk.bone_map(view) is not bones
    assert mk.bone_map(view).figure is view
