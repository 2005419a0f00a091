"""The command as a whole: help, versions, exit codes, and one line for every failure."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.main import NAMES, main


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def test_it_says_its_version() -> None:
    done = run("--version")
    assert done.exit_code == 0
    assert done.output == f"manikin {mk.__version__}\n"


def test_without_a_command_it_shows_its_help() -> None:
    done = run()
    assert done.exit_code == 0
    for name in NAMES:
        assert name in done.output


@pytest.mark.parametrize("command", NAMES)
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.exit_code == 0
    assert f"Example:\n      manikin {command}" in done.output


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["dmeo"], "manikin: manikin has no command 'dmeo'; did you mean 'demo'?"),
        (["demo", "--wide"], "manikin: No such option '--wide'."),
        (["info"], "manikin: Missing argument 'FILE'."),
        (["info", "nothing.urdf"], "manikin: nothing.urdf: "),
        (["solve", "human"], "manikin: there is no goal; give at least one of --position"),
        (
            ["solve", "human", "--position", "RightHnd", "0", "1", "0"],
            "manikin: figure 'human' has no segment 'RightHnd'",
        ),
        (["solve", "human", "--position", "RightHand", "0", "one", "0"], "manikin: Invalid value for '--position'"),
        (["solve", "human", "--position", "RightHand", "0", "nan", "0"], "manikin: Position RightHand: target"),
        (["solve", "human", "--balance", "LeftFoot", "--method", "magic"], "manikin: "),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(args: list[str], line: str) -> None:
    done = run(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("manikin.cli.doctor.versions", broken)
    done = run("doctor")
    assert isinstance(done.exception, ZeroDivisionError)


def test_python_m_manikin_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "manikin", "info", "none.bvh"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("manikin: none.bvh")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["doctor"], ["solve", "human", "--balance", "LeftFoot"], ["demo"]])
def test_a_backend_that_does_not_exist_is_one_line(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "manikin", *command],
        env={**os.environ, "MANIKIN_BACKEND": "foo"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("manikin: MANIKIN_BACKEND is 'foo'; on this machine it must be one of ")
    assert done.stderr.count("\n") == 1


def test_a_native_core_that_is_not_there_is_one_line() -> None:
    code = "import sys; sys.modules['manikin._core'] = None; from manikin.cli.main import main; main(['doctor'])"
    env = {k: v for k, v in os.environ.items() if k != "MANIKIN_BACKEND"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("manikin: the native core is missing: ")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_hears_no_complaint() -> None:
    code = (
        "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n"
        "from manikin.cli.main import main; main(['doctor', '--json'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_the_help_of_the_command_loads_neither_the_core_nor_matplotlib() -> None:
    code = (
        "import sys\n"
        "from manikin.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('matplotlib', 'scipy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


COMMAND = [sys.executable, "-m", "manikin"]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp932"])
@pytest.mark.parametrize(
    "command", ["info human", "map human", "doctor", "solve human --position RightHand 0.3 1.2 0.3"]
)
def test_a_stream_that_lacks_characters_gets_escapes(command: str, encoding: str) -> None:
    """As on a Windows machine whose output is redirected to a file."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, *command.split()], capture_output=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout.decode(encoding).strip()


@pytest.mark.skipif(os.name != "posix", reason="closes a file descriptor by its number")
@pytest.mark.parametrize("stream", [1, 2])
@pytest.mark.parametrize("command", ["info human", "map human", "info nothing.bvh"])
def test_a_closed_stream_is_no_error(command: str, stream: int) -> None:
    code = f"import os, sys; os.close({stream}); os.execv(sys.argv[1], sys.argv[1:])"
    started = [sys.executable, "-c", code, *COMMAND, *command.split()]
    done = subprocess.run(started, capture_output=True, timeout=120, check=False)
    assert done.returncode == (2 if "nothing" in command else 0), done.stderr
    assert b"Traceback" not in done.stderr
