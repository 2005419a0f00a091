"""Reading in a process of its own: the same result, and one BadFile whatever happens to the process."""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin.errors import BadFile, BadValue, NoMotion, OddFile, Unsupported
from manikin.files import safe
from manikin.files.safe import Limits
from manikin.files.safe import child as safe_child
from manikin.files.safe.answer import Answer, NotOurs, unpickled

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Xrotation Yrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0
10 20 30
"""
needs_signals = pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals on POSIX only")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "two.bvh"
    path.write_text(BVH)
    return path


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each test: no process that was started is still there, not even as a zombie, and no temporary file."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    started: list[subprocess.Popen[bytes]] = []

    class Seen(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    monkeypatch.setattr(safe.subprocess, "Popen", Seen)
    yield
    assert all(process.returncode is not None for process in started)
    if os.name == "posix":
        for process in started:
            with pytest.raises(ProcessLookupError):
                os.kill(process.pid, 0)
    assert list(folder.iterdir()) == []


def child(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the process run something else."""
    monkeypatch.setattr(safe, "CHILD", code)


def test_it_gives_what_reading_gives(path: Path, tmp_path: Path) -> None:
    here, there = mk.load_motion(path), mk.load_motion(path, safe=True)
    assert there.figure == here.figure
    assert np.array_equal(there.poses, here.poses)
    assert np.array_equal(there.times, here.times)
    mk.save(there, tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_text() == BVH  # its words came along
    assert mk.load_figure(path, safe=True) == mk.load_figure(path)


def test_figures_robots_and_markers_come_through(tmp_path: Path) -> None:
    mk.save(mk.human(), tmp_path / "a.json")
    assert mk.load_figure(tmp_path / "a.json", safe=True) == mk.human()
    mk.save(mk.human(), tmp_path / "a.urdf")
    assert mk.load_figure(tmp_path / "a.urdf", root="free", safe=True) == mk.load_figure(
        tmp_path / "a.urdf", root="free"
    )
    markers = mk.Markers(["A", "B"], np.arange(12.0).reshape(2, 2, 3), rate=10, unit=0.001)
    for ending in ("trc", "c3d"):
        mk.save(markers, tmp_path / f"m.{ending}")
        back = mk.load_markers(tmp_path / f"m.{ending}", safe=True)
        assert back.names == markers.names
        assert np.allclose(back.positions, markers.positions)


@pytest.mark.parametrize(
    "name",
    [
        "bvh/makehuman_walk1.bvh",
        "gltf/CesiumMan.glb",
        "gltf/sphere_vrm0.vrm",
        "markers/EB015PI.c3d",
        "mjcf/agility_cassie.xml",
        "urdf/panda.urdf",
        "usd/CesiumMan.usdz",
    ],
)
def test_a_real_file_is_the_same_from_a_process_of_its_own(name: str) -> None:
    path = data_file(name)
    load = mk.load_markers if name.startswith("markers") else mk.load_figure
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        here, there = load(path), load(path, safe=True)
    if isinstance(here, mk.Figure):
        assert there == here
        assert sorted(there.source) == sorted(here.source)
        assert list(there.source.get("notes", ())) == list(here.source.get("notes", ()))
    else:
        assert np.array_equal(there.positions, here.positions, equal_nan=True)
        assert there.names == here.names


@needs_signals
def test_a_native_library_that_crashes_is_one_bad_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.xml").write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mujoco.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    monkeypatch.syspath_prepend(tmp_path / "lib")  # the process imports what its caller would
    with pytest.raises(BadFile, match=r"model\.xml: the reader crashed \(SIGSEGV\)"):
        mk.load_figure(tmp_path / "model.xml", safe=True)


def test_what_the_reader_says_is_said(path: Path, tmp_path: Path) -> None:
    path.write_text(BVH.replace("OFFSET 0 1 0", "OFFSET 0 one 0"))
    with pytest.raises(BadFile, match=r"two\.bvh, line 8: OFFSET .* 'one'") as caught:
        mk.load_figure(path, safe=True)
    assert (caught.value.path, caught.value.line) == (str(path), 8)
    path.write_text(BVH[: BVH.index("MOTION")])
    with pytest.raises(NoMotion):
        mk.load_motion(path, safe=True)
    with pytest.raises(BadValue, match="load_motion has no option clip= for BVH"):
        mk.load_motion(path, clip="Walk", safe=True)
    with pytest.raises(FileNotFoundError):
        mk.load_motion(tmp_path / "none.bvh", safe=True)
    with pytest.raises(Unsupported):
        mk.load_motion(tmp_path / "none.xyz", safe=True)


def test_oddities_are_warned_of_at_the_line_that_asked(path: Path) -> None:
    path.write_text(BVH.replace("Frames: 2", "Frames: 7"))
    with pytest.warns(OddFile, match="Frames: is 7, but the file has 2 frames") as heard:
        mk.load_motion(path, safe=True)
    assert [w.filename for w in heard] == [__file__]


@pytest.mark.parametrize("value", ["yes", 5, Limits])
def test_the_option_is_yes_no_or_limits(path: Path, value: Any) -> None:
    with pytest.raises(BadValue, match=r"it must be True, False or manikin\.files\.safe\.Limits"):
        mk.load_figure(path, safe=value)


@pytest.mark.parametrize("field", ["memory", "processor", "seconds"])
def test_limits_are_positive_numbers(field: str) -> None:
    for value in (0, -1, float("nan"), float("inf"), "much"):
        with pytest.raises(BadValue, match=f"Limits.{field}"):
            Limits(**{field: value})


@needs_signals
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os.abort()", r"the reader crashed \(SIGABRT\); its limit is 4 GiB of memory"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", r"the reader crashed \(SIGSEGV\)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", r"the reader was killed \(SIGKILL\)"),
        ("import os; os._exit(3)", r"the reader failed \(exit code 3\)"),
        (
            "import sys; sys.exit('no licence for this')",
            r"the reader failed \(exit code 1\); its last output: no licence for this",
        ),
        ("pass", "returned an invalid answer"),
        ("print('hello')", "returned an invalid answer"),
        ("import sys, pickle; pickle.dump({'a': 1}, sys.stdout.buffer)", "returned an invalid answer"),
        (
            "import sys, pickle, os; pickle.dump(os.getcwd, sys.stdout.buffer)",
            "it contains posix.getcwd, which is neither",
        ),
    ],
)
def test_however_the_process_ends_it_is_one_bad_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    child(monkeypatch, code)
    with pytest.raises(BadFile, match=message) as caught:
        mk.load_figure(path, safe=True)
    assert caught.value.path == str(path)


def test_a_process_that_takes_too_long_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import time; time.sleep(3600)")
    begun: list[Any] = []
    start = safe.subprocess.Popen

    def noted(*args: Any, **options: Any) -> Any:
        begun.append(start(*args, **options))
        return begun[-1]

    monkeypatch.setattr(safe.subprocess, "Popen", noted)
    with pytest.raises(BadFile, match=r"two\.bvh: reading took more than 0\.3 s and was stopped"):
        mk.load_figure(path, safe=Limits(seconds=0.3))
    assert begun[0].poll() not in (None, 0)  # it was ended, before it was done


@needs_signals
def test_a_process_that_computes_too_long_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = safe.CHILD.replace("c.main()", "c.read = lambda *_: [None for _ in iter(int, 1)]; c.main()")
    child(monkeypatch, loop)
    with pytest.raises(BadFile, match="reading took more than 1 s of processor time and was stopped"):
        mk.load_figure(path, safe=Limits(processor=1.0))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux for certain")
def test_a_file_that_takes_too_much_memory_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(BVH + "1 2 3\n" * 5_000_000)
    with pytest.raises(BadFile, match="reading exceeds the limit of 200 MiB of memory"):
        mk.load_motion(path, safe=Limits(memory=200 * 2**20))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux for certain")
def test_native_code_that_takes_too_much_memory_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, safe.CHILD.replace("c.main()", "c.read = lambda *_: (bytearray(2**40), None); c.main()"))
    with pytest.raises(BadFile, match=r"exit code 1.*its last output: .*MemoryError"):
        mk.load_figure(path, safe=True)


def test_what_a_library_prints_is_no_part_of_the_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = "import os; os.write(1, b'Warning: in file ...'); print('more'); c.read = c.read; "
    child(monkeypatch, safe.CHILD.replace("c.main()", f"c.restrict = lambda limits: exec({noise!r}) or (); c.main()"))
    assert mk.load_figure(path, safe=True) == mk.load_figure(path)


def test_any_other_exception_of_a_reader_is_a_bad_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "c.files._load = lambda *_, **__: 1 / 0; c.main()"
    child(monkeypatch, safe.CHILD.replace("c.main()", broken))
    with pytest.raises(BadFile, match=r"two\.bvh: .*ZeroDivisionError"):
        mk.load_figure(path, safe=True)


def test_what_the_system_cannot_limit_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, safe.CHILD.replace("c.main()", "sys.modules['resource'] = None; c.main()"))
    words = "safe=True cannot limit memory and processor time on this system; only elapsed time is limited"
    with pytest.warns(RuntimeWarning, match=words) as heard:
        assert mk.load_figure(path, safe=True) == mk.load_figure(path)
    assert heard[0].filename == __file__


def test_an_interrupt_ends_the_process_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "import time; time.sleep(60)")

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(safe.subprocess.Popen, "communicate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        mk.load_figure(path, safe=True)


def test_a_program_without_a_python_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(Unsupported, match="safe=True needs a Python executable to start"):
        mk.load_figure(path, safe=True)


def test_threads_may_read_at_the_same_time(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.bvh" for k in range(6)]
    for k, path in enumerate(paths):
        path.write_text(BVH + f"{k} 0 0\n" * k if k % 2 else "HIERARCHY")

    def read(path: Path) -> Any:
        try:
            return len(mk.load_motion(path, safe=True))
        except BadFile as error:
            return error.path

    with ThreadPoolExecutor(4) as pool, pytest.warns(OddFile):
        assert list(pool.map(read, paths)) == [str(p) if k % 2 == 0 else 2 + k for k, p in enumerate(paths)]


def test_nothing_in_the_current_folder_is_imported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle", "math", "warnings", "sitecustomize", "numpy"):
        (path.parent / f"{name}.py").write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("PYTHONPATH", str(path.parent))
    assert mk.load_figure("two.bvh", safe=True) == mk.load_figure("two.bvh")


@pytest.mark.parametrize(
    "what",
    [
        os.system,
        subprocess.run,
        mk.save,
        eval,
        pickle.loads,
        Path("x"),
        safe.load,
        np.load,
    ],
    ids=lambda what: getattr(what, "__name__", "path"),
)
def test_an_answer_holds_plain_values_and_our_own_types_only(what: Any) -> None:
    with pytest.raises(NotOurs, match="which is neither a plain type nor a type of manikin"):
        unpickled(io.BytesIO(pickle.dumps(Answer(what))))


def test_a_name_with_a_dot_does_not_reach_through_a_module() -> None:
    raw = b"\x80\x04\x8c\x12manikin.files.safe\x8c\x09os.system\x93."
    with pytest.raises(NotOurs):
        unpickled(io.BytesIO(raw))
    raw = b"\x80\x04\x8c\x12manikin.files.safe\x8c\x0asubprocess\x93."
    with pytest.raises(NotOurs):
        unpickled(io.BytesIO(raw))


@pytest.mark.parametrize("failure", [MemoryError, OSError])
def test_an_answer_that_does_not_fit_is_replaced_by_an_error(
    failure: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    # dask.distributed, if a test before imported it here, changes how exceptions are pickled; the process never does
    monkeypatch.delitem(copyreg.dispatch_table, BadFile, raising=False)

    class Large:
        def __reduce__(self) -> Any:
            raise failure

    with tempfile.TemporaryFile() as file:
        safe_child.leave(
            file.fileno(), Answer([bytes(100_000), Large()], None, ("odd",)), BadFile("a.usd", "too large")
        )
        file.seek(0)
        answer = unpickled(file)
    assert str(answer.error) == "a.usd: too large"
    assert (answer.value, answer.warnings) == (None, ("odd",))


def test_a_result_of_many_numbers_comes_through_whole(path: Path) -> None:
    frames = 100_000
    path.write_text(BVH.replace("Frames: 2", f"Frames: {frames + 2}") + "1 2 3\n" * frames)
    motion = mk.load_motion(path, safe=True)
    assert len(motion) == frames + 2
    assert not motion.poses.flags.writeable


@needs_signals
def test_the_process_ends_by_itself_should_its_caller_be_killed() -> None:
    code = (
        "import signal, sys, time; sys.path[:] = " + repr(sys.path) + "\n"
        "from manikin.files.safe import Limits, child\n"
        "signal.setitimer = (lambda real: lambda which, seconds: real(which, 0.2))(signal.setitimer)\n"
        "child.restrict(Limits(seconds=5)); time.sleep(60)"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=300, check=False)
    assert done.returncode == -signal.SIGALRM
