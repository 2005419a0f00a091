"""Folders of clips and results: names stay inside, links are not followed, damaged manifests raise errors."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from batch_runs import results

import manikin as mk
from manikin.errors import BadFile, BadValue
from manikin.jobs.folder.cluster import checked_address
from manikin.jobs.folder.manifest import NAME, Manifest
from manikin.jobs.folder.places import LocalPlace, checked_name, opened

PERSON = mk.human()


def clip(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mk.save(mk.Motion(PERSON, np.tile(PERSON.rest, (3, 1)), rate=30), path)


def convert(clips: Path, out: Path, **options):
    with ThreadPoolExecutor(1) as threads:
        return mk.batch("convert", clips, out, threads, to=".csv", **options)


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/a", "a//b", "", "a/.", "a\0b"])
def test_a_name_that_leaves_its_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="leaves its folder"):
        checked_name(name)
    source = tmp_path / "file"
    source.write_text("x")
    with pytest.raises(BadValue, match="leaves its folder"):
        LocalPlace(str(tmp_path)).publish(str(source), name)


def test_links_among_clips_are_left_out(tmp_path: Path) -> None:
    clip(tmp_path / "elsewhere" / "secret.bvh")
    clip(tmp_path / "clips" / "a.bvh")
    (tmp_path / "clips" / "file.bvh").symlink_to(tmp_path / "elsewhere" / "secret.bvh")
    (tmp_path / "clips" / "folder").symlink_to(tmp_path / "elsewhere")
    result = convert(tmp_path / "clips", tmp_path / "out")
    assert [r["clip"] for r in result.records] == ["a.bvh"]
    assert result.notes == ("2 links were left out; links are not followed",)


def test_one_link_one_other_file_and_hidden_files(tmp_path: Path) -> None:
    clip(tmp_path / "clips" / "a.bvh")
    clip(tmp_path / "clips" / ".hidden.bvh")
    (tmp_path / "clips" / "b.bvh").symlink_to("a.bvh")
    (tmp_path / "clips" / "read.me").write_text("x")
    result = convert(tmp_path / "clips", tmp_path / "out")
    assert [r["clip"] for r in result.records] == ["a.bvh"]
    assert result.notes == ("1 link was left out; links are not followed", "1 other file was left out")


def test_a_clip_that_becomes_a_link_is_not_read(tmp_path: Path) -> None:
    clip(tmp_path / "elsewhere" / "secret.bvh")
    place = LocalPlace(str(tmp_path / "elsewhere"))
    assert place.digest("secret.bvh") is not None
    (tmp_path / "elsewhere" / "link.bvh").symlink_to("secret.bvh")
    assert place.digest("link.bvh") is None
    with pytest.raises(OSError, match="this is a link"):
        place.fetched("link.bvh", "")


def test_a_link_among_results_is_not_followed(tmp_path: Path) -> None:
    clip(tmp_path / "clips" / "a.bvh")
    clip(tmp_path / "clips" / "inner" / "b.bvh")
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    out.mkdir()
    (elsewhere / "mine.csv").write_text("mine")
    (out / "inner").symlink_to(elsewhere)
    (out / "a.csv").symlink_to(elsewhere / "mine.csv")
    result = convert(tmp_path / "clips", out, force=True)
    assert [(r["clip"], r["result"]) for r in result.records] == [("a.bvh", "done"), ("inner/b.bvh", "failed")]
    assert "this is a link or not a folder" in result.failed[0]["error"]["message"]
    assert [path.name for path in elsewhere.iterdir()] == ["mine.csv"]
    assert (elsewhere / "mine.csv").read_text() == "mine"
    assert not (out / "a.csv").is_symlink()


def test_odd_names_are_kept(tmp_path: Path) -> None:
    names = ["ä ö.bvh", "a'b\"<i>.bvh", "new\nline.bvh", "-rf.bvh", "x\x1b[31m.bvh"]
    for name in names:
        clip(tmp_path / "clips" / name)
    if os.name == "posix":
        os.rename(os.fsencode(tmp_path / "clips" / "-rf.bvh"), os.fsencode(tmp_path / "clips") + b"/\xff.bvh")
    result = convert(tmp_path / "clips", tmp_path / "out")
    assert result.good
    assert sorted(results(tmp_path / "out")) == sorted(r["clip"][:-4] + ".csv" for r in result.records)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<i>" not in page
    assert "\x1b" not in page + str(result)
    assert convert(tmp_path / "clips", tmp_path / "out").kept == 5


def test_a_manifest_survives_a_line_that_was_cut_off(tmp_path: Path) -> None:
    place = LocalPlace(str(tmp_path))
    manifest = Manifest(place, "check")
    manifest.add({"clip": "b", "n": 1})
    manifest.add({"clip": "a", "n": 2})
    text = (tmp_path / NAME).read_bytes()
    for cut in range(len(text) - 1, text.index(b'{"clip": "a"'), -1):
        (tmp_path / NAME).write_bytes(text[:cut])
        again = Manifest(place, "check")
        assert list(again.records) == ["b"]
        again.add({"clip": "a", "n": 3})
        assert Manifest(place, "check").records["a"]["n"] == 3
    manifest.close()
    lines = [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()]
    assert [line.get("clip") for line in lines] == [None, "a", "b"]


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    place = LocalPlace(str(tmp_path))
    Manifest(place, "check").add({"clip": "a"})
    with pytest.raises(BadValue, match="belongs to the job 'check'; choose another folder for 'edit'"):
        Manifest(place, "edit")
    with (tmp_path / NAME).open("a") as file:
        file.write('nonsense\n{"clip": "b"}\n')
    with pytest.raises(BadFile, match="line 3: this is not a record of a manifest"):
        Manifest(place, "check")


def test_protocols_need_permission() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(BadValue, match="the protocol 'ftp' is not allowed; allowed are file, memory"):
        opened("ftp://host/clips")
    with pytest.raises(BadValue, match="is not allowed"):
        opened("simplecache::memory://clips")
    assert not opened("memory://clips").local


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "localhost:8786", "tls://host:8786", "tcp://[::1]:8786"])
def test_addresses_of_this_machine_and_encrypted_ones_are_taken(address: str) -> None:
    assert checked_address(address, insecure=False).endswith(address)


def test_other_addresses_are_refused() -> None:
    with pytest.raises(BadValue, match=r"on another host.*tls://"):
        checked_address("tcp://10.0.0.1:8786", insecure=False)
    assert checked_address("10.0.0.1:8786", insecure=True) == "tcp://10.0.0.1:8786"
    for wrong in ("host", "http://127.0.0.1:80", "tcp://host:port", "127.0.0.1.evil.org"):
        with pytest.raises(BadValue, match="it needs an address such as"):
            checked_address(wrong, insecure=True)
    with pytest.raises(BadValue, match="another host"):
        checked_address("tcp://127.0.0.1.evil.org:8786", insecure=False)
