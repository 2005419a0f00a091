"""Two runs of the tests: the second runs what the first did not, and lets nothing be skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import needs
import pytest

TESTS = Path(__file__).parent
SOME = """
import pytest
from needs import data_file, real_files

def test_anything(): pass
@pytest.mark.xfail
def test_fails(): assert False
@pytest.mark.parametrize("path", real_files("*.txt"))
def test_a_real_file(path): assert path.suffix == ".txt"
@pytest.mark.needs("data")
def test_marked(): pass
def test_one_file(): data_file("a.txt")
@pytest.mark.uses("data")
def test_on_less(): pass
"""
OPTIONS = """
[pytest]
addopts = -ra --strict-markers
markers =
    needs(need, file)
    uses(need)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("")
    (tmp_path / "pytest.ini").write_text(OPTIONS)
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_some.py").write_text(SOME)
    return tmp_path


def run(folder: Path, *options: str, data: bool = False) -> tuple[int, str, set[str]]:
    """The exit code, what is printed, and the tests that ran."""
    env = {name: value for name, value in os.environ.items() if name not in ("MANIKIN_DATA", "MANIKIN_REQUIRE")}
    env |= {
        "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)]),
        "PYTEST_ADDOPTS": "",
        "COLUMNS": "200",
    }
    env |= {"MANIKIN_DATA": str(folder / "real"), "MANIKIN_REQUIRE": "data"} if data else {}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", *options],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    ran = {word.split("::")[1] for line in lines for word in line if "::" in word and {"PASSED", "XFAIL"} & {*line}}
    return done.returncode, done.stdout + done.stderr, ran


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two"])
def test_over_both_runs_every_test_runs_and_none_twice(folder: Path, options: tuple[str, ...]) -> None:
    code, said, first = run(folder, *options)
    assert (code, first) == (0, {"test_anything", "test_fails", "test_on_less"}), said
    skips = [line for line in said.splitlines() if line.startswith("SKIPPED")]
    assert len(skips) == 1  # for want of the folder, all in one line
    assert skips[0].startswith("SKIPPED [3] ")
    assert skips[0].endswith(f"needs.py: {needs.NO_DATA}")
    code, said, second = run(folder, "--rest", *options, data=True)
    assert (code, second) == (0, {"test_a_real_file[a]", "test_marked", "test_one_file", "test_on_less"}), said


@pytest.mark.parametrize("at", ["    pytest.skip('never')", "pytest.skip('never', allow_module_level=True)"])
def test_the_second_run_lets_nothing_be_skipped(folder: Path, at: str) -> None:
    (folder / "test_other.py").write_text(f"import pytest\ndef test_other():\n    pass\n{at}\n")
    code, said, _ = run(folder)
    assert code == 0, said
    code, said, _ = run(folder, "--rest", data=True)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "--rest lets no test be skipped" in said
    assert "test_other.py" in said.split("--rest lets no test be skipped")[1]
    assert "SKIPPED [1] test_other.py:4: never" in said  # other skips are listed by their place


def test_without_a_first_run_there_is_no_second(folder: Path) -> None:
    code, said, _ = run(folder, "--rest")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "make test" in said
