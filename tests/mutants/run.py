"""Breaks the package on purpose, one small change at a time, and says which changes the tests notice.

    python tests/mutants/run.py --learn    once: notes in build/mutants which lines each test runs
    python tests/mutants/run.py            60 changes in figure, goals, solving, motion and files
    python tests/mutants/run.py --rooms files,motion --count 10 --seed 7 --seconds 60

draws a module of each room and a change in it, and runs the tests of the room against a copy of the installed package
that has this change. The room "solving" is solvers, posing, problem and solution. The data folder is left out, so that
this is the run of somebody who just cloned the repository. Without --seed the seed is the first 32 bits of the commit.
--seconds bounds the processor time of each run, so that other work on the machine does not decide. A test that also
fails on the unchanged copy does not count. After --learn the tests that run a changed line come first, then those that
run its function, the quickest of them before the others.

An older revision is judged by its own tests, with the Python that has it installed:

    git worktree add build/before 14276fb4 && make -C build/before .venv/.tested
    build/before/.venv/bin/python tests/mutants/run.py --tree build/before --learn    and again without --learn

The tree is never changed. The exit code is the number of changes that no test noticed; they are listed at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from choice import ranked, room_modules, room_tests
from mutations import Mutation, mutations
from seen import FOLDER, likely

HERE = Path(__file__).resolve().parent
HANGS, START = 3.0, 10.0
"""Tests hang if they take more than so many times their time, and so many seconds for Python to start."""
MOST = 300
"""Largest number of tests that are named for one change."""
PATIENCE = 10
"""A run is ended after so many times its seconds of elapsed time, if it waits for something."""


@dataclass(frozen=True)
class Drawn:
    """A change of a module."""

    module: Path
    """Below the package, as in files/bvh/read.py."""
    source: str
    mutation: Mutation

    def __str__(self) -> str:
        inside = f" in {self.mutation.function}" if self.mutation.function else ""
        return f"{self.module}:{self.mutation.line} ({self.mutation.kind}{inside})"

    def diff(self) -> str:
        old, new = (text.splitlines() for text in (self.source, self.mutation.applied(self.source)))
        return "\n".join(
            line for line in difflib.unified_diff(old, new, lineterm="", n=1) if line[:3] not in ("---", "+++")
        )


class Copy:
    """A copy of the installed package, which is changed and put right again."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self.folder, self.tree, self.tests = folder, tree, tree / "tests"
        self.notes = tree / "build" / "mutants"
        self.package = folder / "manikin"
        shutil.copytree(_installed(tree), self.package, ignore=shutil.ignore_patterns("__pycache__"))
        seen = self.python(["-c", "import manikin; print(manikin.__file__)"]).stdout.strip()
        if Path(seen).parent != self.package:
            sys.exit(f"the copy is not what Python imports, but {seen}")

    def draw(self, rooms: list[str], count: int, seed: int) -> list[Drawn]:
        """Changes, in turn from each room: a module, a kind of change and a place, each at random."""
        rng = random.Random(seed)
        modules = {room: room_modules(self.package, room) for room in rooms}
        drawn: list[Drawn] = []
        while len(drawn) < count:
            path = rng.choice(modules[rooms[len(drawn) % len(rooms)]])
            source = path.read_text(encoding="utf-8")
            if found := mutations(source):
                kind = rng.choice(sorted({m.kind for m in found}))
                one = Drawn(path.relative_to(self.package), source, rng.choice([m for m in found if m.kind == kind]))
                if one not in drawn:
                    drawn.append(one)
        return drawn

    def notices(self, drawn: Drawn, seconds: int) -> tuple[str, str]:
        """ "killed" and the test that failed; or "survived", or "no time left", and nothing."""
        change = drawn.mutation
        learnt = likely(self.notes, drawn.module.as_posix(), change.function, change.lines(drawn.source))[:MOST]
        known, expected = [test for _, test in learnt], sum(took for took, _ in learnt)
        files = [str(path) for path in ranked(self.tests, drawn.module, change.function, drawn.source)]
        verdict = "", ""
        for tests in filter(None, (known, files)):
            begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            verdict = self._try(drawn, tests, seconds)
            if tests is known and verdict[0] == "no time left" and HANGS * expected + START < seconds:
                return "killed", f"tests that hang; without the change they take {expected:.0f} s"
            seconds -= int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin)
            if verdict[0] == "killed" or seconds < 5:
                break
        return verdict

    def _try(self, drawn: Drawn, tests: list[str], seconds: int) -> tuple[str, str]:
        path = self.package / drawn.module
        unsound: list[str] = []
        while True:
            path.write_text(drawn.mutation.applied(drawn.source), encoding="utf-8")
            try:
                skipped = [f"--deselect={test}" for test in unsound]
                ended = self.python([*PYTEST, *skipped, *tests], seconds)
            finally:
                path.write_text(drawn.source, encoding="utf-8")
            if ended.returncode < 0:
                return "no time left", ""
            failed = re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", ended.stdout, re.MULTILINE)
            if ended.returncode == 0 or (not failed and ended.returncode == 5):
                return "survived", ""
            if not failed:  # the tests did not even begin
                return "killed", (ended.stdout + ended.stderr).strip().splitlines()[-1]
            if failed[0] in unsound or self.python([*PYTEST, failed[0]], PATIENCE * seconds).returncode == 0:
                return "killed", failed[0]
            print(f"  not counted, because it fails without the change too: {failed[0]}", flush=True)
            unsound.append(failed[0])

    def learn(self, rooms: list[str]) -> None:
        """Runs the tests of the rooms once, and notes which lines each runs."""
        shutil.rmtree(self.notes, ignore_errors=True)
        self.notes.mkdir(parents=True)
        tests = sorted({str(path) for room in rooms for path in room_tests(self.tests, room)})
        options = ["-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "seen", "-n", "2"]
        print(self.python([*options, *tests], 3600, {FOLDER: str(self.notes)}).stdout[-2000:])

    def python(
        self, arguments: list[str], seconds: int = 600, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs Python with the copy in place of the package, and without the data folder."""
        left_out = ("MANIKIN_DATA", "MANIKIN_REQUIRE")
        environment = {k: v for k, v in os.environ.items() if k not in left_out}
        environment |= {"PYTHONPATH": os.pathsep.join([str(self.folder), str(HERE)]), "OPENBLAS_NUM_THREADS": "1"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", **(more or {})}

        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.tree,
                env=environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds))
            try:
                code = process.wait(PATIENCE * seconds)
            except subprocess.TimeoutExpired:
                code = -1
            if code < 0:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)  # it is the first of its group; its workers are the others
                process.wait()
            out.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), "")


PYTEST = ["-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-rfE"]


def _installed(tree: Path) -> Path:
    """The package that this Python imports, away from the tree."""
    asked = [sys.executable, "-I", "-c", "import manikin; print(manikin.__file__)"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tree / "tests")
    return Path(answer.stdout.strip()).parent


def commit_seed(tree: Path) -> int:
    """The first 32 bits of the commit."""
    asked = ["git", "rev-parse", "HEAD"]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tree).stdout[:8], 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rooms", default="figure,goals,solving,motion,files", help="folders of the package, or solving"
    )
    parser.add_argument("--count", type=int, default=60, help="how many changes")
    parser.add_argument("--seed", type=int, default=None, help="the first 32 bits of the commit unless given")
    parser.add_argument("--seconds", type=int, default=60, help="processor time of the tests for each change")
    parser.add_argument("--only", type=int, action="append", help="the number of a change; may be given several times")
    parser.add_argument("--list", action="store_true", help="print the changes and run nothing")
    parser.add_argument("--learn", action="store_true", help="note which lines each test runs, for later calls")
    parser.add_argument("--tree", type=Path, default=HERE.parents[1], help="the repository, if not this one")
    given = parser.parse_args()
    os.nice(10)
    tree = given.tree.resolve()
    seed = commit_seed(tree) if given.seed is None else given.seed
    rooms = given.rooms.split(",")
    if unknown := [room for room in rooms if not room_modules(tree / "src" / "manikin", room)]:
        parser.error(f"the package has no room {unknown[0]!r}")
    tried, survivors = 0, []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder).resolve(), tree)
        if given.learn:
            copy.learn(rooms)
            return 0
        drawn = copy.draw(rooms, given.count, seed)
        print(f"{len(drawn)} changes in {', '.join(rooms)}; seed {seed}, {given.seconds} s each")
        for number, one in enumerate(drawn, start=1):
            if given.only and number not in given.only:
                continue
            print(f"\n{number}. {one}\n{one.diff()}", flush=True)
            if given.list:
                continue
            begin = time.monotonic()
            verdict, test = copy.notices(one, given.seconds)
            tried += 1
            survivors += [] if verdict == "killed" else [f"{number}. {one}: {verdict}"]
            print(f"  {verdict} after {time.monotonic() - begin:.0f} s{f' by {test}' if test else ''}", flush=True)
    if tried:
        print(
            f"\n{tried - len(survivors)} of {tried} killed ({100 - 100 * len(survivors) / tried:.0f} %); not noticed:"
        )
        print("\n".join(survivors) or "none")
    return len(survivors)


if __name__ == "__main__":
    sys.exit(main())
