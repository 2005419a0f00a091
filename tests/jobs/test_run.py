"""`mk.batch`: what is done, kept, tried again and recorded."""

from __future__ import annotations

import json
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import batch_killer
import numpy as np
import pytest
from batch_runs import records, results

import manikin as mk
from manikin.jobs.folder import pool, worker
from manikin.jobs.folder.worker import OtherVersion
from manikin.jobs.folder.workers import BrokenRun

PERSON = mk.human()


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Six clips of a person, one of them in a folder."""
    folder = tmp_path / "clips"
    (folder / "inner").mkdir(parents=True)
    for k, name in enumerate(["a", "b", "c", "d", "e", "inner/f"]):
        mk.save(mk.Motion(PERSON, np.tile(PERSON.rest, (4 + k, 1)), rate=30), folder / f"{name}.bvh")
    return folder


def convert(clips: Path, out: Path, executor: Executor | None = None, **options):
    """A cheap job, in a thread unless an executor is given."""
    if executor is not None:
        return mk.batch("convert", clips, out, executor, to=".csv", **options)
    with ThreadPoolExecutor(2) as threads:
        return mk.batch("convert", clips, out, threads, to=".csv", **options)


def test_results_have_the_names_of_their_clips(clips: Path, tmp_path: Path) -> None:
    result = convert(clips, tmp_path / "out")
    assert result.good
    assert result.complete
    assert sorted(results(tmp_path / "out")) == ["a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "inner/f.csv"]
    assert [r["frames"] for r in result.records] == [4, 5, 6, 7, 8, 9]
    assert len(mk.load_motion(tmp_path / "out" / "inner" / "f.csv", figure=mk.load_figure(clips / "a.bvh"))) == 9
    assert not (tmp_path / "out" / ".batch").exists()


def test_a_record_has_all_that_the_question_has(clips: Path, tmp_path: Path) -> None:
    convert(clips, tmp_path / "out", rate=60.0)
    record = records(tmp_path / "out")[0]
    assert record["clip"] == "a.bvh"
    assert (record["result"], record["version"], record["kernels"]) == ("done", mk.__version__, mk.backend.name)
    assert record["options"]["rate"] == 60.0
    assert record["attempts"] == 1
    assert record["seconds"] > 0.0
    assert len(record["input"]) == len(record["output"]["sha256"]) == 64


def test_only_what_changed_is_done_again(clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert(clips, out)
    assert convert(clips, out).kept == 6
    mk.save(mk.Motion(PERSON, np.tile(PERSON.rest, (20, 1)), rate=30), clips / "b.bvh")
    (out / "c.csv").write_text("damaged")
    (out / "d.csv").unlink()
    result = convert(clips, out)
    assert result.kept == 3
    assert result.records[1]["frames"] == 20
    assert convert(clips, out, rate=15.0).kept == 0


def test_results_of_other_options_do_not_stay(clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ThreadPoolExecutor(2) as threads:
        mk.batch("convert", clips, out, threads, to=".npz")
        (out / "b.npz").write_bytes(b"changed by the user")
        (out / "other.npz").write_bytes(b"not a result")
    convert(clips, out)
    assert sorted(p.name for p in out.rglob("*.npz")) == ["b.npz", "other.npz"]
    (clips / "a.bvh").write_bytes(b"damaged")
    result = convert(clips, out)
    assert [record["clip"] for record in result.failed] == ["a.bvh"]
    assert sorted(p.name for p in out.rglob("*.csv")) == ["b.csv", "c.csv", "d.csv", "e.csv", "f.csv"]


def test_folders_and_patterns_of_a_wrong_type_are_named(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(mk.errors.BadValue, match="the folder is 3; it needs a path or a URL"):
        convert(3, tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(mk.errors.BadValue, match="the folder is None"):
        convert(clips, None)  # type: ignore[arg-type]
    with pytest.raises(mk.errors.BadValue, match="pattern is 3; it needs text"):
        convert(clips, tmp_path / "out", pattern=3)


def test_a_file_in_place_of_the_folder_of_results_is_named(clips: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(mk.errors.BadValue, match="out' is not a folder"):
        convert(clips, tmp_path / "out")


def test_a_failing_clip_stops_nothing_and_is_not_tried_again(clips: Path, tmp_path: Path) -> None:
    (clips / "bad.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    result = convert(clips, tmp_path / "out")
    assert not result.good
    assert [(r["clip"], r["error"]["kind"]) for r in result.failed] == [("bad.bvh", "BadFile")]
    assert str(clips) not in result.failed[0]["error"]["message"]
    assert len(result.done) == 6
    assert convert(clips, tmp_path / "out").kept == 7
    assert convert(clips, tmp_path / "out", retry=True).kept == 6


def test_a_clip_that_kills_its_worker_twice_is_recorded(clips: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pool, "run_clip", batch_killer.run_clip)
    (clips / "a.bvh").rename(clips / "killer.bvh")
    (clips / "b.bvh").rename(clips / "once.bvh")
    (clips / "c.bvh").rename(clips / "fault.bvh")
    result = mk.batch("convert", clips, tmp_path / "out", workers=1, to=".csv")
    found = {r["clip"]: r for r in result.records}
    assert found["killer.bvh"]["error"]["kind"] == "WorkerDied"
    assert found["killer.bvh"]["attempts"] == 2
    assert found["killer.bvh"]["input"] is not None
    assert found["once.bvh"]["result"] == "done"
    assert found["once.bvh"]["attempts"] == 2
    fault = found["fault.bvh"]["error"]
    assert fault == {"kind": "OSError", "message": "[Errno 5] Input/output error: 'fault.bvh'", "again": True}
    assert len(result.done) == 4
    monkeypatch.undo()
    assert convert(clips, tmp_path / "out").kept == 5  # the fault of the machine is tried again, the death is not


def test_clips_beside_one_that_kills_its_worker_are_done(clips: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pool, "run_clip", batch_killer.run_clip)
    (clips / "a.bvh").rename(clips / "killer.bvh")
    result = mk.batch("convert", clips, tmp_path / "out", workers=3, to=".csv")
    assert [r["clip"] for r in result.failed] == ["killer.bvh"]
    assert len(result.done) == 5


class Breaking(Executor):
    """An executor that breaks after three calls."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        future: Future[str] = Future()
        if self.calls > 4:  # the first asks for the version
            future.set_exception(BrokenExecutor("a process died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_broken_executor_ends_the_run_with_its_manifest(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(BrokenRun, match="broke: a process died"):
        convert(clips, tmp_path / "out", Breaking(), workers=1)
    assert len(records(tmp_path / "out")) == 3
    assert convert(clips, tmp_path / "out").kept == 3


def test_a_closed_executor_is_refused(clips: Path, tmp_path: Path) -> None:
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with pytest.raises(BrokenRun, match="the executor is broken or closed"):
        convert(clips, tmp_path / "out", threads)


def test_progress_stops_a_run_and_the_next_continues(clips: Path, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []

    def progress(done: int, count: int) -> bool:
        heard.append((done, count))
        return done < 2

    result = convert(clips, tmp_path / "out", workers=1, progress=progress)
    assert not result.complete
    assert not result.good
    assert 2 <= len(result.records) < 6
    assert {count for _, count in heard} == {6}
    assert convert(clips, tmp_path / "out").kept == len(result.records)


def test_no_more_clips_are_given_than_there_is_room(clips: Path, tmp_path: Path) -> None:
    class Counting(ThreadPoolExecutor):
        running = most = 0
        lock = threading.Lock()

        def submit(self, fn, /, *args, **kwargs):
            with self.lock:
                self.running += 1
                self.most = max(self.most, self.running)
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(lambda _: self._less())
            return future

        def _less(self) -> None:
            with self.lock:
                self.running -= 1

    with Counting(4) as threads:
        convert(clips, tmp_path / "out", threads, workers=2)
    assert threads.most <= 2


def test_another_version_of_a_worker_ends_the_run(clips: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(worker, "__version__", "0.0.1")
    with pytest.raises(OtherVersion, match=r"manikin 0\.0\.1"):
        convert(clips, tmp_path / "out")


def test_two_runs_cannot_write_to_one_folder(clips: Path, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    seen: list[str] = []

    def progress(_done: int, _count: int) -> None:
        with pytest.raises(mk.errors.BadValue) as error:
            convert(clips, tmp_path / "out")
        seen.append(str(error.value))

    convert(clips, tmp_path / "out", progress=progress)
    assert "another run writes to" in seen[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"to": ".xyz"}, "can be written as"),
        ({"to": None}, "job 'convert' needs the option 'to'"),
        ({"colour": 1}, "job 'convert' has no option 'colour'"),
        ({"rate": -1}, "rate is -1; it needs a number above 0"),
        ({"of": mk.human()}, "of is 'Figure'; it needs the path of a file, or one of human, quadruped"),
        ({"pattern": "*.glb"}, "has no clips for 'convert' among 0 files that match"),
        ({"workers": 0}, "workers"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(clips, tmp_path: Path, change, message: str) -> None:
    given = {"to": ".csv", **change}
    with pytest.raises(mk.errors.ManikinError, match=message):
        mk.batch("convert", clips, tmp_path / "out", **{k: v for k, v in given.items() if v is not None})
    assert not results(tmp_path / "out") if (tmp_path / "out").exists() else True


def test_two_clips_with_one_result_are_refused(clips: Path, tmp_path: Path) -> None:
    mk.save(mk.load_motion(clips / "a.bvh"), clips / "a.glb")
    with pytest.raises(mk.errors.BadValue, match=r"a\.glb and a\.bvh would both write a\.csv; select one"):
        convert(clips, tmp_path / "out")
    assert convert(clips, tmp_path / "out", pattern="*.bvh").good


def test_files_of_others_are_not_replaced(clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.csv").write_text("mine")
    with pytest.raises(mk.errors.BadValue, match=r"no manifest.* \(a\.csv\)"):
        convert(clips, out)
    assert (out / "a.csv").read_text() == "mine"
    assert convert(clips, out, force=True).good


def test_folders_may_not_contain_each_other(clips: Path) -> None:
    for out in (clips, clips / "inner", clips.parent):
        with pytest.raises(mk.errors.BadValue, match="use separate folders"):
            convert(clips, out)


def test_memory_of_this_process_needs_threads(tmp_path: Path, clips: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.put(str(clips), "/batch_clips", recursive=True)
    try:
        with pytest.raises(mk.errors.BadValue, match="other processes cannot see"):
            mk.batch("convert", "memory://batch_clips", "memory://batch_out", to=".csv")
        with ThreadPoolExecutor(2) as threads:
            result = mk.batch("convert", "memory://batch_clips", "memory://batch_out", threads, to=".csv")
            assert result.good
            store.pipe("/batch_out/a.csv", b"cut o")
            again = mk.batch("convert", "memory://batch_clips", "memory://batch_out", threads, to=".csv")
        assert again.kept == 5
        convert(clips, tmp_path / "out")
        assert {n: store.cat(f"/batch_out/{n}") for n in results(tmp_path / "out")} == results(tmp_path / "out")
        lines = [json.loads(line) for line in store.cat("/batch_out/manifest.jsonl").splitlines()]
        assert [line["clip"] for line in lines[1:]] == [r["clip"] for r in records(tmp_path / "out")]
    finally:
        store.rm("/batch_clips", recursive=True)
        store.rm("/batch_out", recursive=True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"progress": 5}, "progress is 5; it needs a function"),
        ({"protocols": "s3"}, r"protocols is 's3'; it needs a list such as \['s3'\]"),
        ({"protocols": 5}, r"protocols is 5; it needs a list such as \['s3'\]"),
    ],
)
def test_a_bad_argument_is_named_before_the_run_begins(
    clips: Path, tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(mk.errors.BadValue, match=says):
        convert(clips, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
