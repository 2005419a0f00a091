"""One pose or many: valid values of `out` and `threads`, and the caches of a figure."""

from __future__ import annotations

import numpy as np
import pytest

from manikin import Figure, Segment, chain, human
from manikin.errors import BadShape
from manikin.figure import Ball
from manikin.figure.batch import MAX_THREADS, blocks, rows, thread_count


@pytest.mark.parametrize("end", ["first", "last"])
@pytest.mark.parametrize("segments", [None, ["Tip"]])
def test_out_in_the_memory_of_the_poses_is_an_error_not_a_wrong_result(end: str, segments: list[str] | None) -> None:
    figure, count = chain(2, Ball()), 40
    shape = (count, len(figure.segments) if segments is None else len(segments), 4, 4)
    memory = np.zeros(int(np.prod(shape)))
    needed = count * figure.nq
    poses = (memory[:needed] if end == "first" else memory[-needed:]).reshape(count, figure.nq)
    poses[:] = figure.rest
    with pytest.raises(BadShape, match=r"out overlaps the poses"):
        figure.placements(poses, segments, out=memory.reshape(shape))
    assert np.array_equal(poses, np.tile(figure.rest, (count, 1)))


def test_out_next_to_the_poses_in_one_array_is_fine() -> None:
    figure, count = chain(2, Ball()), 5
    numbers, entries = count * figure.nq, count * len(figure.segments) * 16
    memory = np.zeros(numbers + entries)
    poses = memory[:numbers].reshape(count, figure.nq)
    poses[:] = figure.random(np.random.default_rng(0), count)
    out = memory[numbers:].reshape(count, -1, 4, 4)
    assert figure.placements(poses, out=out) is out
    assert np.array_equal(out, figure.placements(poses.copy()))


def test_very_many_threads_are_taken_as_some() -> None:
    assert thread_count(10**12) == MAX_THREADS
    figure = human()
    poses = figure.random(np.random.default_rng(0), 200)
    assert np.array_equal(figure.placements(poses, threads=10**12), figure.placements(poses))


def test_leading_axes_become_one() -> None:
    assert rows(np.zeros((2, 3, 5)), (2, 3)).shape == (6, 5)
    assert rows(np.zeros(5), (4,)).shape == (4, 5)
    assert blocks(np.zeros((2, 1, 4, 4)), (2, 3), 2).shape == (6, 4, 4)
    assert rows(np.zeros(5), ()).shape == (1, 5)


def test_what_a_figure_was_read_from_is_read_only() -> None:
    given = {"channels": 6}
    figure = Figure("f", [Segment("Root")], source=given)
    given["channels"] = 3
    assert figure.source == {"channels": 6}
    with pytest.raises(TypeError):
        figure.source["channels"] = 3  # type: ignore[index]


def test_nothing_of_a_figure_can_be_deleted() -> None:
    figure = chain(2)
    with pytest.raises(AttributeError, match=r"figure 'chain' never changes; name cannot be deleted"):
        del figure.name


@pytest.mark.parametrize("count", [None, 1, 7])
def test_named_placements_have_the_bits_of_all_placements(count: int | None) -> None:
    """Poses that are read without a copy, and poses that are converted first."""
    figure = human()
    wanted = ["RightHand", "Hips", "LeftFoot"]
    at = [figure.segment_index(name) for name in wanted]
    poses = figure.random(np.random.default_rng(5), count)
    everything = figure.placements(poses)[..., at, :, :]
    apart = np.stack([poses, poses], axis=-1)[..., 0]
    for given in (poses, apart, poses.tolist()):
        assert figure.placements(given, wanted).tobytes() == everything.tobytes()
