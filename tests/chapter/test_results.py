"""The claims of the chapter about its figures, read from results.json."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from chapter_command import Chapter

from manikin.chapter.examples import EXAMPLES

DAMPED = ("figure-11", "figure-12", "figure-13", "figure-14")
EXACT = ("figure-3", "figure-5", "figure-6")


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("method", ["pinv", "stacked", "dls", "bounded-dls", "lbfgsb"])
def test_examples_3_1_and_5_7_are_reached_to_a_millionth_of_the_size(chapter: Chapter, name: str, method: str) -> None:
    (run,) = [r for r in chapter.examples[name]["compared"] if r["method"] == method]
    assert max(run["final_errors"].values()) < 1e-6 * chapter.examples[name]["size"]
    assert run["final_error_of_size"] < 1e-6


@pytest.mark.parametrize("name", EXACT)
def test_the_error_of_nonlinear_programming_goes_to_zero_with_alpha_and_no_faster(chapter: Chapter, name: str) -> None:
    alphas, errors = chapter.results["alpha"]["alphas"], chapter.results["alpha"]["final_error_of_size"][name]
    assert all(later < earlier for earlier, later in pairwise(errors))
    assert errors[-1] < 1e-9
    a, e = np.log(np.array([pair for pair in zip(alphas, errors, strict=True) if 1e-8 <= pair[0] <= 1e-2]).T)
    slope = float(np.polyfit(a, e, 1)[0])
    assert slope == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("name", ["figure-8", "figure-9"])
def test_three_and_four_effectors_are_reached_and_keep_to_their_paths(chapter: Chapter, name: str) -> None:
    entry = chapter.examples[name]
    assert entry["final_error_of_size"] < 1e-9
    assert entry["largest_deviation"] < 1e-8 * entry["size"]
    assert len(entry["final_errors"]) == {"figure-8": 3, "figure-9": 4}[name]


def test_the_fourth_effector_goes_down_by_one(chapter: Chapter) -> None:
    example = next(e for e in EXAMPLES if e.name == "figure-9")
    begin = example.positions(example.start)[3]
    assert chapter.examples["figure-9"]["targets"]["P₂"] == pytest.approx([begin[0], begin[1] - 1.0])


def test_near_stretch_the_pseudo_inverse_leaves_its_path_with_large_steps(chapter: Chapter) -> None:
    plain, damped = chapter.examples["figure-10"], chapter.examples["figure-12"]
    assert plain["deviation"]["P₅"] > 0.15 * plain["size"]
    assert plain["deviation"]["P₅"] > 10.0 * damped["deviation"]["P₅"]
    assert plain["largest_step"] > 10.0 * damped["largest_step"]
    others = [off for label, off in plain["deviation"].items() if label != "P₅"]
    assert max(others) < 0.01


def test_more_damping_makes_smaller_steps_and_more_lag(chapter: Chapter) -> None:
    runs = [chapter.examples[name] for name in DAMPED]
    assert [r["damping"] for r in runs] == [0.1, 0.25, 1.5, 10.0]
    steps, lags = [r["largest_step"] for r in runs], [r["lag"] for r in runs]
    assert all(b < a for a, b in pairwise(steps))
    assert all(b > a for a, b in pairwise(lags))
    assert steps[0] > 3.0 * steps[1]  # λ = 0.1 is too small: a jump is left
    assert lags[3] > 5.0 * lags[2]  # λ = 10 is too large
    assert runs[3]["final_error_of_size"] > 0.2
    assert chapter.examples["figure-10"]["largest_step"] > steps[0]


def test_condition_number_falls_and_residual_grows_with_the_damping(chapter: Chapter) -> None:
    runs = [chapter.examples[name] for name in DAMPED]
    assert all(b["condition_number"] < a["condition_number"] for a, b in pairwise(runs))
    assert all(b["residual"]["largest"] > a["residual"]["largest"] for a, b in pairwise(runs))
    study = chapter.results["damping"]
    assert study["condition_numbers"][0] is None  # infinite: there is a null space and no damping
    assert all(b < a for a, b in pairwise(study["condition_numbers"][1:]))
    assert all(b > a for a, b in pairwise(study["residuals"]))
    assert all(b < a for a, b in pairwise(study["steps"]))


def test_the_bounded_example_keeps_its_bound_exactly_and_the_damped_one_does_not(chapter: Chapter) -> None:
    free, held = chapter.examples["figure-12"], chapter.examples["figure-15"]
    low, high = held["angle_ranges"][5]
    assert -math.pi <= low
    assert high == 0.0
    assert held["outside_limits"] == 0.0
    assert held["limits_touched"] == ["Segment6 (upper)"]
    assert free["angle_ranges"][5][1] > 0.3
    assert free["outside_limits"] == pytest.approx(free["angle_ranges"][5][1])
    assert free["start"] == held["start"]
    assert free["targets"] == held["targets"]
    assert free["damping"] == held["damping"] == 0.25


def test_what_the_other_angles_do_for_the_one_that_is_held_is_not_nothing(chapter: Chapter) -> None:
    free, held = (np.array(chapter.examples[name]["final_pose"]) for name in ("figure-12", "figure-15"))
    clipped = free.copy()
    clipped[5] = min(clipped[5], 0.0)
    assert np.abs(held - clipped)[np.arange(11) != 5].max() > 0.05


def test_every_statement_holds_and_there_is_one_for_each_thing_that_must_be_seen(chapter: Chapter) -> None:
    stated = chapter.results["statements"]
    assert len(stated) == 13
    assert all(s["holds"] for s in stated)


def test_every_entry_says_what_was_asked_for(chapter: Chapter) -> None:
    assert list(chapter.examples) == [e.name for e in EXAMPLES]
    for entry in chapter.examples.values():
        for field in ("final_errors", "deviation", "largest_step", "condition_number", "residual", "limits_touched"):
            assert field in entry
        assert entry["iterations"] >= entry["path_points"]
        assert entry["text"]
