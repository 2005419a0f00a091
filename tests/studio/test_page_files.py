"""The committed files of the page: what is bundled, how large it is, and that a rebuild gives the same bytes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import needs
import pytest

from manikin.chapter.examples import EXAMPLES
from manikin.solvers import METHODS
from manikin.studio import commands, live, protocol

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "studio"
STATIC = ROOT / "src" / "manikin" / "studio" / "static"
MOST = 300_000
"""Largest size of scripts and styles for the first picture, in bytes, compressed."""
MODULE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/")

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="the source of the page is not here")


def bundled() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in json.loads((STATIC / "packages.json").read_text())}


def test_the_page_and_the_server_have_the_same_commands_and_codes() -> None:
    text = " ".join((SOURCE / "src" / "protocol.ts").read_text().split())

    def names(table: str) -> set[str]:
        found = re.search(rf"export const {table} = \[(.*?)\]", text, re.DOTALL)
        assert found is not None
        return set(re.findall(r'"([\w-]+)"', found[1]))

    assert names("COMMANDS") == set(commands.COMMANDS)
    assert f"VERSION = {protocol.VERSION};" in text
    assert f"NO_TOKEN = {live.NO_TOKEN}, REPLACED = {live.REPLACED}, REFUSED = {live.TOO_MUCH};" in text


def test_the_page_lists_the_examples_and_methods_of_the_package() -> None:
    text = (SOURCE / "src" / "figures.ts").read_text()
    found = dict(re.findall(r'"(figure-\d+)": "([^"]+)"', text))
    assert found == {example.name: example.title for example in EXAMPLES}
    methods = re.search(r"METHODS = \[(.*?)\]", (SOURCE / "src" / "panels" / "methods.ts").read_text(), re.DOTALL)
    assert methods is not None
    assert set(re.findall(r'"([\w-]+)"', methods[1])) == set(METHODS)


def test_what_is_bundled_has_its_licence_text_and_the_locked_version() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    notice = (STATIC / "LICENSES.txt").read_text()
    assert {n: r["license"] for n, r in bundled().items()} == {"three": "MIT", "@fontsource-variable/inter": "OFL-1.1"}
    for name, row in bundled().items():
        assert lock[f"node_modules/{name}"]["version"] == row["version"]
        assert f"{name} {row['version']} ({row['license']})" in notice
    assert "Permission is hereby granted, free of charge" in notice
    assert "SIL OPEN FONT LICENSE Version 1.1" in notice


def test_versions_are_exact_and_the_lock_file_has_no_addresses() -> None:
    about = json.loads((SOURCE / "package.json").read_text())
    versions = {**about["dependencies"], **about["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    lock: dict[str, dict[str, Any]] = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    assert [name for name, row in lock.items() if "resolved" in row] == []
    assert all("integrity" in row for name, row in lock.items() if name)


def test_the_first_picture_needs_little() -> None:
    start = (STATIC / "index.html").read_text()
    needed = set(re.findall(r'(?:src|href)="\./(assets/[\w.-]+\.(?:js|css))"', start))
    assert any(name.endswith(".css") for name in needed)
    queue = list(needed)
    while queue:
        for name in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', (STATIC / queue.pop()).read_text()):
            if f"assets/{name}" not in needed:
                needed.add(f"assets/{name}")
                queue.append(f"assets/{name}")
    assert {"assets/index.js", "assets/three.js"} <= needed
    assert "assets/gizmo.js" not in needed  # loaded when a tool needs it
    assert sum(len(gzip.compress((STATIC / name).read_bytes())) for name in needed) < MOST


def test_the_page_names_no_other_address() -> None:
    assert re.findall(r'(?:src|href)="(?!\./|data:)[^"]*"', (STATIC / "index.html").read_text()) == []
    assert "axe" not in bundled()


def test_files_of_the_page_are_short() -> None:
    long = {
        str(p.relative_to(SOURCE)): n
        for p in (SOURCE / "src").rglob("*.*")
        if (n := len(p.read_text().splitlines())) > 300
    }
    assert long == {}


@pytest.fixture(scope="module")
def node() -> str:
    needs.check("node")
    if not (SOURCE / "node_modules" / "vite").is_dir():
        needs.missing("node", "the packages of the page are not installed: make studio-packages")
    found = shutil.which("node")
    assert found is not None
    return found


def run(node: str, program: str, *arguments: str) -> str:
    done = subprocess.run(
        [node, f"node_modules/{program}", *arguments],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_unit_tests_and_types_of_the_page(node: str) -> None:
    run(node, "typescript/bin/tsc", "--noEmit")
    assert "passed" in run(node, "vitest/vitest.mjs", "run")


def test_a_rebuild_gives_the_committed_bytes(node: str, tmp_path: Path) -> None:
    run(node, "vite/bin/vite.js", "build", "--outDir", str(tmp_path / "built"), "--emptyOutDir")
    built, committed = tmp_path / "built", STATIC
    names = {str(p.relative_to(built)) for p in built.rglob("*") if p.is_file()}
    assert names == {str(p.relative_to(committed)) for p in committed.rglob("*") if p.is_file()}
    assert [name for name in sorted(names) if (built / name).read_bytes() != (committed / name).read_bytes()] == []


def test_the_list_of_packages_is_that_of_the_modules_in_the_bundle(node: str, tmp_path: Path) -> None:
    run(node, "vite/bin/vite.js", "build", "--sourcemap", "--outDir", str(tmp_path / "mapped"), "--emptyOutDir")
    maps = list((tmp_path / "mapped").rglob("*.js.map"))
    assert maps
    sources = [name for file in maps for name in json.loads(file.read_text())["sources"]]
    found = {match[1] for name in sources if (match := MODULE.search(name))}
    fonts = {"@fontsource-variable/inter"} if list(STATIC.rglob("inter-*.woff2")) else set()
    assert found | fonts == set(bundled())
