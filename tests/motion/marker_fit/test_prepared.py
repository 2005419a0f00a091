"""Fits of one figure share their preparation, and results do not depend on it."""

from __future__ import annotations

import gc
import weakref
from functools import partial

import numpy as np
from synthetic_markers import recorded

import manikin as mk
from manikin.motion.marker_fit.prepared import MOST, STORE, forget, kept


def test_a_thing_is_made_once_and_lives_with_its_figure() -> None:
    figure = mk.human().replaced(name="kept")
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return [len(made)]

    assert kept(figure, "one", make) is kept(figure, "one", make)
    assert len(made) == 1
    for k in range(2 * MOST):
        kept(figure, k, make)
    assert len(figure.__dict__[STORE]) == MOST
    forget(figure)
    assert STORE not in figure.__dict__


def test_what_is_kept_does_not_keep_the_figure() -> None:
    figure = mk.human().replaced(name="short-lived")
    kept(figure, "self", partial(list, [figure]))
    gone = weakref.ref(figure)
    del figure
    gc.collect()
    assert gone() is None


def test_the_same_bits_with_and_without_shared_preparation() -> None:
    markers = recorded(60, noise=0.001).markers
    person = mk.human().replaced(name="shared")
    fit = mk.fit_markers(person, markers)
    again = mk.fit_markers(person, markers[10:40], fit.attachments)
    assert again.figure is fit.figure
    forget(person)
    fresh = mk.fit_markers(person, markers[10:40], fit.attachments)
    assert fresh.figure is not fit.figure
    assert fresh.figure == fit.figure
    assert np.array_equal(fresh.motion.poses, again.motion.poses)
    # Another slack, weight or map is another person.
    other = mk.fit_markers(person, markers[10:40], fit.attachments, slack=0.0)
    assert other.figure != fit.figure
    heavy = mk.fit_markers(person, markers[10:40], fit.attachments, weights={"LASI": 50.0})
    assert not np.array_equal(heavy.motion.poses, again.motion.poses)
