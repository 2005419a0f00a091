"""The net of natural starts: its two halves, its bits, and its file."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

import manikin as mk
from benchmarks.natural_train import quantised
from manikin import backend, rotations
from manikin.errors import BadValue
from manikin.prior import model as models
from manikin.prior.start import NaturalStart
from manikin.reference.natural import Natural
from manikin.reference.natural_net import (
    INPUTS,
    JOIN,
    OUTPUTS,
    SPLIT,
    SYMMETRIC,
    SYMMETRIC_OUT,
    halves,
    mirror_inputs,
    mirror_outputs,
    net,
    rounded,
)

HUMAN = mk.human()
SEGMENTS = ("Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")


def inputs(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, INPUTS)).astype(np.float32).astype(np.float64)


def test_the_mirror_changes_the_sign_of_one_half_alone() -> None:
    x = inputs(10, 1)
    place, sign = mirror_inputs()
    one, two = x @ SPLIT.T, (x[:, place] * sign) @ SPLIT.T
    assert np.array_equal(one[:, :SYMMETRIC], two[:, :SYMMETRIC])
    assert np.array_equal(one[:, SYMMETRIC:], -two[:, SYMMETRIC:])
    assert np.linalg.matrix_rank(SPLIT) == INPUTS


def test_the_halves_of_outputs_join_to_the_outputs() -> None:
    split, symmetric = halves(*mirror_outputs())
    assert symmetric == SYMMETRIC_OUT
    assert np.array_equal(JOIN @ split, np.eye(OUTPUTS))


def test_mirrored_inputs_give_the_mirrored_outputs_to_the_bit() -> None:
    on = SimpleNamespace(**models.model().arrays)
    x = inputs(30, 2)
    place, sign = mirror_inputs()
    back, back_sign = mirror_outputs()
    assert np.array_equal(net(on, x[:, place] * sign), net(on, x)[:, back] * back_sign)


def test_rounding_keeps_17_bits_and_the_sign() -> None:
    z = (np.random.default_rng(3).normal(size=1000) * 10.0 ** np.linspace(-6, 6, 1000)).astype(np.float32)
    found = rounded(z)
    assert np.array_equal(rounded(found), found)
    assert np.array_equal(rounded(-z), -found)
    assert np.abs(found / z - 1.0).max() <= 2.0**-17
    fraction = np.frexp(found.astype(np.float64))[0] * 2.0**17
    assert np.array_equal(fraction, np.rint(fraction))
    assert rounded(np.zeros(1, dtype=np.float32))[0] == 0.0


def test_weights_of_the_file_make_exact_products() -> None:
    for name in models.MATRICES:
        fraction = np.frexp(models.model().arrays[name])[0] * 2.0**7
        assert np.array_equal(fraction, np.rint(fraction))


def test_units_of_quantised_weights_are_powers_of_2() -> None:
    W = np.random.default_rng(4).normal(size=(40, 9)).astype(np.float32)
    W[:, 3] = 0.0
    whole, unit = quantised(W)
    assert set(np.frexp(unit)[0]) == {0.5}
    assert np.abs(whole).max() <= 127
    assert (np.abs(whole * unit.astype(np.float64) - W) <= 0.5 * unit).all()
    assert (np.abs(whole).max(axis=0)[np.arange(9) != 3] >= 63).all()  # a smaller unit would not do


def placements(count: int) -> np.ndarray:
    placed = HUMAN.placements(HUMAN.random(np.random.default_rng(6), count), SEGMENTS)
    rows = [
        np.concatenate([placed[:, k, :3, 3], rotations.from_matrix(placed[:, k, :3, :3])], axis=1) for k in range(5)
    ]
    return np.concatenate(rows, axis=1)


def start_of_placements() -> tuple[NaturalStart, list[Any]]:
    settled = [mk.Placement(name, np.eye(4)).on(HUMAN) for name in SEGMENTS]
    return NaturalStart(HUMAN, settled), settled


def test_the_native_net_computes_the_numbers_of_its_twin() -> None:
    start, settled = start_of_placements()
    rows, weights = placements(25), np.ones(len(SEGMENTS))
    one = start.starts(rows, weights)
    two = HUMAN.clamp(Natural(start._body.with_goals(settled)).starts(rows, weights))
    apart = np.abs(HUMAN.placements(one) - HUMAN.placements(two)).reshape(25, -1).max(axis=1)
    assert apart.max() < 1e-5
    assert np.median(apart) < 1e-12  # the inputs may differ in their last bit, and then be rounded differently


def test_a_weight_with_too_many_bits_is_refused() -> None:
    if not backend.native:
        pytest.skip("MANIKIN_BACKEND=reference: there is no native net")
    start, settled = start_of_placements()
    on = start._body.with_goals(settled)
    arrays = dict(vars(on))
    backend.natural(on)
    W = np.array(arrays["W1"])
    W[3, 5] = 1.0 / 3.0
    with pytest.raises(ValueError, match="more than seven significant bits"):
        backend.natural(type(on)(**{**arrays, "W1": W}))


@pytest.mark.parametrize("version", [2, 4, None])
def test_a_file_of_another_version_is_refused(tmp_path: Path, version: int | None) -> None:
    from importlib import resources

    with np.load(str(resources.files("manikin.prior") / "natural.npz")) as file:
        arrays = {name: file[name] for name in file if name != "version"}
    path = tmp_path / "other.npz"
    np.savez(path, **arrays, **({} if version is None else {"version": np.array(version)}))
    with pytest.raises(BadValue, match=f"other.npz has version {version}; .* 3"):
        models.read(path)
    np.savez(path, **arrays, version=np.array(models.VERSION))
    assert np.array_equal(models.read(path).pose, models.model().pose)
