"""Every door that reads a file loads a damaged file, or refuses it by one of manikin's errors that names the file.

The doors of `load_figure`, `load_motion` and `load_markers` are in `test_hostile.py`, by format.
"""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doors import DOORS, Door
from hostile import all_changes, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are set as Linux has them")

HUGE = (b"1e308", b"1" + b"0" * 400, b"-1" + b"0" * 5000, b"NaN", b"-Infinity", b"1e999", b"true", b"[[[0]]]")
"""What stands in the place of a number."""
DEEP = 100_000
HEADERS = (
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3)}",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 1000000000000, 3)}",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (True, 3)}",
    b"{'descr': '|S0', 'fortran_order': False, 'shape': (100000000000,)}",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"1," * 100 + b")}",
    b"{'descr': [('a', '<f8'), ('b', '|O')], 'fortran_order': False, 'shape': (3,)}",
    b"(" * 5000,
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",)}",
    b"__import__('os')",
    b"'''",
)
"""Headers of arrays that are not sound."""


def monsters(door: Door, good: bytes) -> Iterator[tuple[str, bytes]]:
    """Files that a damage by chance does not give."""
    if door.ending in (".npz", ".npy"):
        yield from arrays(door, good)
        return
    yield "CR line ends", good.replace(b"\n", b"\r")
    yield "mixed line ends", good.replace(b"\n", b"\r", 1)
    yield "a line end inside of a line", good.replace(b",", b",\r", 3)
    yield "a cell of a megabyte", good.replace(b",", b"," + b"x" * 2**20, 1)
    yield "a quote that never ends", good.replace(b",", b',"', 1)
    if door.ending in (".json", ".jsonl"):
        yield "nested deeply", b"[" * DEEP + b"]" * DEEP
        yield "nested deeply in a line", good + b'{"clip": ' + b"[" * DEEP + b"]" * DEEP + b"}\n"
        yield "only a number", b"1\n"
        yield "only a list", b"[]\n"
    spots = [m.span() for m in re.finditer(rb"(?<![\w.\"])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w\"])", good)]
    for k, (a, b) in enumerate(spots[:: max(1, len(spots) // 12)]):
        for number in HUGE:
            yield f"{number[:20].decode()} for number {k}", good[:a] + number + good[b:]
    if door.ending == ".json":
        yield from values(json.loads(good))


def values(data: Any) -> Iterator[tuple[str, bytes]]:
    """JSON in which one value of another type stands in the place of a value."""
    for path in list(paths(data))[:40]:
        wrong: Any
        for wrong in (None, True, 10**17, "x", [], {}, [None], {"x": [[]]}):
            changed = json.loads(json.dumps(data))
            place = changed
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = wrong
            yield f"{wrong!r} for {path}", json.dumps(changed).encode()


def paths(data: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to the values of JSON data, of lists only the first two."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data[:2]):
        yield (*before, key)
        if isinstance(value, (dict, list)) and len(before) < 3:
            yield from paths(value, (*before, key))


def arrays(door: Door, good: bytes) -> Iterator[tuple[str, bytes]]:
    """NumPy files whose arrays are not what they should be."""
    if door.ending == ".npy":
        for name, array in spoilt(np.load(io.BytesIO(good))):
            yield name, npy(array)
        yield from (("a header of " + h[:30].decode(), header(h)) for h in HEADERS)
        return
    with np.load(io.BytesIO(good)) as file:
        held = {name: file[name] for name in file.files}
    content = {name: npy(array) for name, array in held.items()}
    small = len(good) < 2**20
    for name in held if small else list(held)[:3]:
        yield f"without {name}", archive({k: v for k, v in content.items() if k != name})
        for what, array in spoilt(held[name]):
            yield f"{name}: {what}", archive({**content, name: npy(array)})
    name = next(iter(held))
    for h in HEADERS:
        yield f"a header of {h[:30].decode()}", archive({**content, name: header(h)})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key in (*held, name):
            file.writestr(f"{key}.npy", content[key])
    yield "an array twice", out.getvalue()
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA) if small else ():
        packed = archive(content, method)
        yield from ((f"method {method}: {what}", data) for what, data in all_changes(packed, False, 40))


def spoilt(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Arrays in the place of one."""
    yield "objects", np.array([object(), None], dtype=object)
    yield "text", np.full(array.shape, "x")
    yield "complex", np.ones(array.shape, dtype=np.complex128)
    yield "dates", np.zeros(array.shape, dtype="M8[s]")
    yield "records", np.zeros(array.shape, dtype=[("a", "<f8"), ("b", "<i4")])
    yield "empty", np.zeros((0, *array.shape[1:]))
    yield "one axis more", np.ones((*array.shape, 1))
    yield "no axis", np.array(3.0)
    for value in (np.nan, np.inf, 1e308, -1e308):
        yield f"{value}", np.full(array.shape, value)
    yield "not a character", np.full((*array.shape, 1), 0xFFFFFFFF, dtype=np.uint32).view("<U1").reshape(array.shape)
    if array.dtype.kind in "iu":
        yield "the largest", np.full(array.shape, np.iinfo(array.dtype).max)
        yield "below zero", -array - 1


def npy(array: np.ndarray[Any, Any]) -> bytes:
    """An .npy file."""
    out = io.BytesIO()
    np.save(out, np.zeros(2) if array.dtype == object else array)
    data = out.getvalue()
    return data.replace(b"'<f8'", b"'|O' ") if array.dtype == object else data


def header(text: bytes) -> bytes:
    """An .npy file with any header."""
    return b"\x93NUMPY\x02\x00" + len(text + b"\n").to_bytes(4, "little") + text + b"\n" + bytes(100)


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An .npz file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return out.getvalue()


@pytest.mark.parametrize("name", DOORS)
def test_a_damaged_file_is_read_or_refused_by_name(name: str, tmp_path: Path) -> None:
    door = DOORS[name]
    good = tmp_path / f"good{door.ending}"
    door.make(good)
    data = good.read_bytes()
    count = 120 if len(data) < 2**20 else 20
    cases = {}
    for k, (what, content) in enumerate([*all_changes(data, door.text, count), *monsters(door, data)]):
        path = tmp_path / f"case{k}{door.ending}"
        path.write_bytes(content)
        cases[str(path)] = what
    outcomes = run([(name, good), *((name, Path(path)) for path in cases)])
    assert outcomes[0].kind == "loaded", outcomes[0].message
    wrong = [f"{cases.get(o.path, 'the good file')}: {o.kind}: {o.message[:200]}" for o in outcomes if not o.right]
    assert not wrong, f"{len(wrong)} of {len(outcomes)} files:\n" + "\n".join(wrong[:12])
    assert any(o.kind != "loaded" for o in outcomes)  # the changes do something


@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.ending == ".npz" and name != "net"])
def test_a_small_archive_that_says_it_is_large_takes_no_memory(name: str, tmp_path: Path) -> None:
    """Each array in turn is 900 MB of zeros, which is less than 1 MB when it is compressed."""
    door = DOORS[name]
    good = tmp_path / f"good{door.ending}"
    door.make(good)
    with np.load(good) as file:
        held = {key: npy(file[key]) for key in file.files}
    zeros = packed_zeros()
    cases = []
    for key in held:
        path = tmp_path / f"{key}{door.ending}"
        path.write_bytes(with_member(archive({k: v for k, v in held.items() if k != key}), f"{key}.npy", zeros))
        assert path.stat().st_size < 2**20
        cases.append((name, path))
    outcomes = run([(name, good), *cases], memory=400)
    assert not [o for o in outcomes if not o.right], [(o.path, o.kind, o.message) for o in outcomes]
    assert any(re.search(r"would take [\d,]+ bytes of memory; the limit .* is [\d,]+", o.message) for o in outcomes)


def packed_zeros() -> bytes:
    """A ZIP archive of one array of zeros, 900 MB."""
    text = b"{'descr': '|i1', 'fortran_order': False, 'shape': (100000000, 3, 3), }"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file, file.open("zeros", "w", force_zip64=True) as data:
        data.write(b"\x93NUMPY\x02\x00" + len(text + b"\n").to_bytes(4, "little") + text + b"\n")
        for _ in range(900):
            data.write(bytes(1_000_000))
    return out.getvalue()


def with_member(whole: bytes, name: str, packed: bytes) -> bytes:
    """An archive with the only member of another one, copied without packing it again."""
    out = io.BytesIO(whole)
    with zipfile.ZipFile(io.BytesIO(packed)) as other:
        entry = other.infolist()[0]
    start = entry.header_offset + 30 + len(entry.filename) + int.from_bytes(packed[28:30], "little")
    with zipfile.ZipFile(out, "a") as file:
        new = zipfile.ZipInfo(name)
        new.compress_type, new.CRC = zipfile.ZIP_DEFLATED, entry.CRC
        new.compress_size, new.file_size = entry.compress_size, entry.file_size
        new.header_offset = file.start_dir
        file.fp.seek(file.start_dir)  # type: ignore[union-attr]
        file.fp.write(new.FileHeader(zip64=False))  # type: ignore[union-attr]
        file.fp.write(packed[start : start + entry.compress_size])  # type: ignore[union-attr]
        file.start_dir = file.fp.tell()  # type: ignore[union-attr]
        file.filelist.append(new)
        file.NameToInfo[name] = new
        file._didModify = True  # type: ignore[attr-defined]
    return out.getvalue()
