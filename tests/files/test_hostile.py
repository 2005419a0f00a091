"""Files that are cut off, changed or hostile: each loads or is one BadFile, in bounded time and memory.

They are loaded in processes with limits (`hostile`). Where a reader stands on a native library that crashes, the same
file is read with safe=True, and that must be one BadFile.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import pytest
from hostile import Outcome, all_changes, run
from hostile_monsters import MONSTERS
from hostile_seeds import GOOD, gltf_document

import manikin as mk
from manikin.errors import BadFile, OddFile
from manikin.files.formats import FORMATS, READ

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are set as Linux has them")

NATIVE = (".usda", ".usdc", ".usdz", ".xml", ".fbx")
"""Endings whose readers stand on native libraries."""


NEEDS = {".usda": "pxr", ".usdc": "pxr", ".usdz": "pxr", ".xml": "mujoco", ".fbx": "ufbx"}
"""The package without which a format is not read."""


def made(ending: str, folder: Path) -> Path:
    """A good small file, where the package that reads it is there."""
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending], reason=f"{NEEDS[ending]} is not installed")
    path = folder / f"good{ending}"
    GOOD[ending][0](path)
    return path


def roles(ending: str) -> list[str]:
    kind = FORMATS[".mjcf" if ending == ".xml" else ending]
    return [role for role in READ if getattr(kind, role) is not None]


def check(outcomes: Iterable[Outcome], names: dict[str, str], ending: str) -> None:
    """Every file was loaded or refused; what killed the process is refused with safe=True."""
    outcomes = [safely(o) if o.kind == "died" and ending in NATIVE else o for o in outcomes]
    wrong = [
        f"{names.get(o.path, 'the good file')}, {o.role}: {o.kind}: {o.message[:200]} ({o.path})"
        for o in outcomes
        if not o.right
    ]
    assert not wrong, f"{len(wrong)} of {len(outcomes)} files:\n" + "\n".join(wrong[:12])


def safely(outcome: Outcome) -> Outcome:
    """What comes of a file with safe=True."""
    kind, message, bad = "loaded", "", False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        try:
            getattr(mk, f"load_{outcome.role}")(outcome.path, safe=True)
        except Exception as error:
            kind, message, bad = type(error).__name__, str(error), isinstance(error, BadFile)
    return Outcome(outcome.path, outcome.role, kind, message, bad=bad)


def put(folder: Path, ending: str, contents: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Write files, and tell what each is by its path; @SELF@ in one stands for its own name."""
    names = {}
    for k, (name, content) in enumerate(contents):
        path = folder / f"case{k}{ending}"
        path.write_bytes(content.replace(b"@SELF@", path.name.encode()))
        names[str(path)] = name
    return names


@pytest.mark.parametrize("ending", GOOD)
def test_a_file_that_was_cut_off_or_changed_loads_or_is_one_bad_file(ending: str, tmp_path: Path) -> None:
    good, text = made(ending, tmp_path), GOOD[ending][1]
    slow = ending == ".fbx"  # a process for each file
    names = put(tmp_path, ending, all_changes(good.read_bytes(), text, 24 if slow else 200))
    assert len(names) > (50 if slow else 220)
    kinds = roles(ending)[-1:] if slow else roles(ending)
    outcomes = run([(role, Path(path)) for role in kinds for path in [good, *names]])
    assert [o.kind for o in outcomes if o.path == str(good)] == ["loaded"] * len(kinds)
    check(outcomes, names, ending)
    assert sum(o.kind == "loaded" for o in outcomes) < 0.9 * len(outcomes)  # the changes do something


@pytest.mark.parametrize("ending", MONSTERS)
def test_a_hostile_file_loads_or_is_one_bad_file(ending: str, tmp_path: Path) -> None:
    good = made(ending, tmp_path)
    names = put(tmp_path, ending, MONSTERS[ending](good.read_bytes()).items())
    role = roles(ending)[-1]  # reading a motion reads its figure, too
    check(run([(role, Path(path)) for path in [good, *names]]), names, ending)


@pytest.mark.parametrize("ending", ["bvh", "urdf", "xml"])
def test_an_entity_that_would_read_a_file_does_not(ending: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    path = tmp_path / f"x.{ending}"
    entity = f'<!ENTITY e SYSTEM "{(tmp_path / "secret.txt").as_uri()}">'
    path.write_text(f'<!DOCTYPE x [{entity}]><robot name="&e;"><link name="a"/></robot>')
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert "the secret" not in str(caught.value)


def _reference(ending: str, outside: Path) -> bytes:
    """A file that refers to another one in the folder above its own, which is there and sound."""
    if ending == ".gltf":
        document, buffer = gltf_document()
        outside.write_bytes(buffer)
        return json.dumps({**document, "buffers": [{"byteLength": len(buffer), "uri": f"../{outside.name}"}]}).encode()
    if ending == ".usda":
        GOOD[".usda"][0](outside)
        return f"#usda 1.0\n(\n subLayers = [@../{outside.name}@]\n)\n".encode()
    outside.write_bytes(b"<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    return f"<mujoco><include file='../{outside.name}'/></mujoco>".encode()


@pytest.mark.parametrize("linked", [False, True], ids=["by its name", "by a link"])
@pytest.mark.parametrize("ending", [".gltf", ".usda", ".xml"])
def test_what_lies_outside_of_the_folder_of_a_file_is_not_read(ending: str, linked: bool, tmp_path: Path) -> None:
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending], reason=f"{NEEDS[ending]} is not installed")
    inner = tmp_path / "inner"
    inner.mkdir()
    outside = tmp_path / f"outside{'.bin' if ending == '.gltf' else ending}"
    content = _reference(ending, outside)
    path, near = inner / f"x{ending}", inner / outside.name
    if linked:
        near.symlink_to(outside)
    path.write_bytes(content.replace(b"../", b"") if linked else content)
    with pytest.raises(BadFile, match="outside"):
        mk.load_figure(path)
    # In its own folder it is read.
    near.unlink(missing_ok=True)
    near.write_bytes(outside.read_bytes())
    path.write_bytes(content.replace(b"../", b""))
    assert mk.load_figure(path).nv > 0


@pytest.mark.parametrize("ending", sorted({*FORMATS, ".xml"}))
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 3000, b"\n \n", b"\xff" * 3000, b"A" * 3000, b"\n".join([b"1 2 3"] * 99)]
)
def test_rubbish_is_refused_in_every_format(ending: str, content: bytes, tmp_path: Path) -> None:
    kind = FORMATS[".urdf" if ending == ".xml" else ending]
    path = tmp_path / f"rubbish{ending}"
    path.write_bytes(content)
    for role in READ:
        if getattr(kind, role) is not None:
            options = {"figure": mk.chain(2)} if "figure" in getattr(kind, role) else {}
            with pytest.raises((BadFile, mk.errors.Unsupported), match=r"rubbish\."):
                getattr(mk, f"load_{role}")(path, **options)


@pytest.mark.parametrize("ending", sorted({*FORMATS, ".xml"}))
def test_a_folder_a_missing_file_and_a_forbidden_one_are_the_systems_errors(ending: str, tmp_path: Path) -> None:
    kind = FORMATS[".urdf" if ending == ".xml" else ending]
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    shut = tmp_path / f"shut{ending}"
    shut.write_bytes(b"content")
    shut.chmod(0)
    for role in READ:
        if getattr(kind, role) is not None:
            for safe in (False, True):
                with pytest.raises(IsADirectoryError, match="folder"):
                    getattr(mk, f"load_{role}")(folder, safe=safe)
                with pytest.raises(FileNotFoundError, match="none"):
                    getattr(mk, f"load_{role}")(tmp_path / f"none{ending}", safe=safe)
            if os.geteuid() != 0:  # root may read everything
                with pytest.raises(PermissionError, match="shut"):
                    getattr(mk, f"load_{role}")(shut)
