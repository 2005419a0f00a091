"""NumPy files from strangers take as much memory as their size allows, whatever they state."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from manikin.base import numpy_file
from manikin.base.numpy_file import NumpyFile, load_npy
from manikin.errors import BadFile


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_can_only_be_unpacked_at_once_is_refused(how: int, tmp_path: Path) -> None:
    """Of bzip2, 1.6 kB hold 2 GB of zeros, and Python unpacks 4 kB at once."""
    path, held = tmp_path / "a.npz", io.BytesIO()
    np.save(held, np.zeros((2, 3)))
    with zipfile.ZipFile(path, "w", how) as file:
        file.writestr("poses.npy", held.getvalue())
    with pytest.raises(BadFile, match=f"packed with method {how}: 'poses.npy'; pack it again"):
        NumpyFile(path)


@pytest.mark.parametrize("kind", ["S2", "U1"])
def test_texts_count_as_the_strings_that_they_become(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numpy_file, "ROOM", 100_000)
    path = tmp_path / "a.npz"
    np.savez_compressed(path, names=np.full(10_000, "a", dtype=kind), few=np.full(100, "a", dtype=kind))
    with NumpyFile(path) as file:
        assert file.array("few").tolist()[0] in ("a", b"a")
        with pytest.raises(BadFile, match=r"names would take 2,\d\d\d,\d\d\d bytes of memory"):
            file.array("names")


@pytest.mark.parametrize("shape", [(2**40, 0, 3), (0, 2**40), (0, 10**30)])
def test_a_long_axis_counts_although_the_array_is_empty(shape: tuple[int, ...], tmp_path: Path) -> None:
    path, head = tmp_path / "a.npy", io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
    path.write_bytes(head.getvalue())
    with pytest.raises(BadFile, match=r"the array would take [\d,]+ bytes of memory"):
        load_npy(path)
