"""Thirty clips; a worker or the whole run is killed in the middle. The results are those of an undisturbed run."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import batch_runs
import pytest
from batch_runs import assert_same, begin, finished, kill, kill_all, records, until

from benchmarks.batch_cuts import write_cuts

pytestmark = [
    pytest.mark.needs("data", "bvh/*.bvh"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc"),
]
CLIPS, FRAMES = 30, 24
EARLY = 8
"""A kill comes when this many clips are done."""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch") / "clips"
    assert len(write_cuts(folder, CLIPS, FRAMES)) == CLIPS
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    return folder


@pytest.fixture(scope="module")
def undisturbed(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    done = finished(begin("retarget", clips, out, "--figure", "human", "--workers", 2))
    assert done["clips"] == CLIPS + 1
    assert done["done"] >= CLIPS - 2  # some cuts of 24 frames may have no frame in which the person stands
    assert "broken.bvh" in [failed["clip"] for failed in done["failed"]]
    return out


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, Callable[[], list[int]]]]:
    pytest.importorskip("distributed")
    with batch_runs.cluster() as found:
        yield found


def test_a_killed_worker_of_the_pool(clips: Path, undisturbed: Path, tmp_path: Path) -> None:
    run = begin("retarget", clips, tmp_path / "out", "--figure", "human", "--workers", 2)
    until(lambda: len(records(tmp_path / "out")) >= EARLY)
    kill(until(lambda: batch_runs.workers(run.pid))[0])
    finished(run)
    assert_same(tmp_path / "out", undisturbed)
    assert max(record["attempts"] for record in records(tmp_path / "out")) == 2


def test_a_killed_run_continues(clips: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = begin("retarget", clips, out, "--figure", "human", "--workers", 2)
    until(lambda: len(records(out)) >= EARLY)
    kill_all(run)
    before = len(records(out))
    assert before < CLIPS
    with (out / "manifest.jsonl").open("a") as file:
        file.write('{"clip": "cmu_02')  # a line that was cut off
    done = finished(begin("retarget", clips, out, "--figure", "human", "--workers", 2))
    assert done["kept"] == before
    assert_same(out, undisturbed)
    again = finished(begin("retarget", clips, out, "--figure", "human", "--workers", 2))
    assert again["kept"] == CLIPS + 1
    assert_same(out, undisturbed)


def test_a_killed_worker_of_a_cluster(clips, undisturbed, cluster, tmp_path: Path) -> None:
    address, workers = cluster
    run = begin("retarget", clips, tmp_path / "out", "--figure", "human", "--cluster", address)
    until(lambda: len(records(tmp_path / "out")) >= EARLY)
    kill(workers()[0])
    finished(run)
    assert_same(tmp_path / "out", undisturbed)


def test_a_killed_run_on_a_cluster_continues(clips, undisturbed, cluster, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = begin("retarget", clips, out, "--figure", "human", "--cluster", cluster[0])
    until(lambda: len(records(out)) >= EARLY)
    kill_all(run)
    before = len(records(out))
    assert before < CLIPS
    done = finished(begin("retarget", clips, out, "--figure", "human", "--cluster", cluster[0]))
    assert done["kept"] == before
    assert_same(out, undisturbed)


def test_a_worker_with_another_version_is_refused(clips, cluster, tmp_path: Path) -> None:
    code = (
        "import sys, manikin; manikin.__version__ = '9.9'; from manikin.cli.main import main; "
        f"main(['batch', 'retarget', {str(clips)!r}, {str(tmp_path / 'out')!r}, '--figure', 'human', "
        f"'--cluster', {cluster[0]!r}])"
    )
    run = batch_runs.python(code)
    _, said = run.communicate(timeout=batch_runs.PATIENCE)
    assert run.returncode == 2
    assert "this is 9.9. Install the same version" in said
    assert json.loads((tmp_path / "out" / "manifest.jsonl").read_text())["job"] == "retarget"  # the header alone


def test_ctrl_c_finishes_the_clips_in_work_and_stops(clips: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = begin("retarget", clips, out, "--figure", "human", "--workers", 2)
    until(lambda: len(records(out)) >= EARLY)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=batch_runs.PATIENCE)
    assert run.returncode == 2
    done = len(records(out))
    assert f"stopped after {done} clips; the same command continues" in said
    assert finished(begin("retarget", clips, out, "--figure", "human", "--workers", 2))["kept"] == done
    assert_same(out, undisturbed)
