"""Labels: apart from each other, on the page, and away from the figure if there is room."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from strategies import rngs

from manikin.arrays import Matrix
from manikin.view.labels import arrange
from manikin.view.marks import Label, Marks

PAGE = np.array([0.0, 0.0, 1000.0, 1000.0])


def overlaps(boxes: Matrix) -> int:
    count = 0
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            count += bool(np.all(a[:2] < b[2:]) and np.all(b[:2] < a[2:]))
    return count


@given(rngs())
def test_labels_never_cover_each_other_and_stay_on_the_page(rng: np.random.Generator) -> None:
    count = int(rng.integers(1, 10))
    anchors = rng.uniform(150.0, 850.0, (count, 2))
    sizes = np.column_stack([rng.uniform(40.0, 160.0, count), rng.uniform(14.0, 24.0, count)])
    boxes = arrange(anchors, sizes, rng.uniform(300.0, 700.0, (200, 2)), PAGE, scale=1.5)
    assert overlaps(boxes) == 0
    assert boxes.min() >= 0.0
    assert boxes.max() <= 1000.0


def test_labels_of_one_point_stand_around_it() -> None:
    boxes = arrange(np.full((6, 2), 500.0), np.tile([90.0, 18.0], (6, 1)), np.zeros((0, 2)), PAGE, scale=1.0)
    assert overlaps(boxes) == 0
    assert np.all((boxes[:, 2:] - boxes[:, :2]) == [90.0, 18.0])


def test_a_label_keeps_off_the_figure() -> None:
    crowd = np.random.default_rng(0).uniform((500.0, 400.0), (900.0, 600.0), (500, 2))
    (box,) = arrange(np.array([[505.0, 500.0]]), np.array([[100.0, 20.0]]), crowd, PAGE, scale=1.0)
    covered = np.all((crowd > box[:2]) & (crowd < box[2:]), axis=1).sum()
    assert covered == 0


def test_two_goals_of_one_name_share_a_label_that_is_met_when_both_are() -> None:
    marks = Marks()
    marks.add_label(Label(np.zeros(3), "LeftFoot"))
    assert marks.labels[0].text == "LeftFoot ✓"
    marks.add_label(Label(np.ones(3), "LeftFoot", ("12°",), met=False))
    assert [label.text for label in marks.labels] == ["LeftFoot 12°"]
    marks.add_label(Label(np.ones(3), "RightFoot", ("3.2 cm", "4°"), met=False))
    assert marks.labels[1].text == "RightFoot 3.2 cm, 4°"
