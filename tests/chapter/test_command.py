"""`manikin chapter`: what it writes, what it prints, how it ends."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from chapter_command import FRAMES, Chapter, call
from PIL import Image

from manikin.chapter.examples import EXAMPLES
from manikin.chapter.statements import Statement
from manikin.cli.chapter import chapter as chapter_command


def test_every_example_has_a_picture_and_an_animation(chapter: Chapter) -> None:
    for example in EXAMPLES:
        with Image.open(chapter.folder / f"{example.name}.png") as picture:
            assert picture.size[0] >= 1000
        with Image.open(chapter.folder / f"{example.name}.gif") as moving:
            assert getattr(moving, "n_frames", 1) == FRAMES


def test_results_name_exactly_the_files_that_are_there(chapter: Chapter) -> None:
    assert sorted(chapter.results["files"]) == sorted(p.name for p in chapter.folder.iterdir())


def test_the_page_needs_nothing_but_its_folder(chapter: Chapter) -> None:
    page = (chapter.folder / "chapter.html").read_text(encoding="utf-8")
    linked = re.findall(r"(?:src|href)='([^']+)'", page)
    assert {f"{e.name}.png" for e in EXAMPLES} <= set(linked)
    for link in linked:
        assert (chapter.folder / link).is_file(), link
    assert "http" not in page
    assert "<script" not in page


def test_the_page_has_a_text_for_each_example_and_the_tables(chapter: Chapter) -> None:
    page = (chapter.folder / "chapter.html").read_text(encoding="utf-8")
    for entry in chapter.examples.values():
        assert escape(entry["text"]) in page
    assert "error against α" in page
    assert "Lemma 7.1" in page
    assert "not those of the chapter" in page


def test_it_prints_a_row_for_each_figure_and_each_statement(chapter: Chapter) -> None:
    for entry in chapter.examples.values():
        assert re.search(
            rf"^{entry['label'].removeprefix('Figure ')} +{re.escape(entry['method'])} ", chapter.done.out, re.MULTILINE
        )
    assert chapter.done.out.count("holds") == len(chapter.results["statements"])
    assert chapter.done.err == ""


def test_one_example_as_json(tmp_path: Path) -> None:
    done = call("figure-15", "--out", tmp_path, "--frames", 0, "--no-compare", "--json")
    assert done.code == 0
    printed = json.loads(done.out)
    assert list(printed["examples"]) == ["figure-15"]
    assert printed["statements"] == []  # each compares it with others
    assert not list(tmp_path.glob("*.gif"))
    assert printed == json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))


def test_an_unknown_example_is_one_line_and_code_2(tmp_path: Path) -> None:
    done = call("figure-122", "--out", tmp_path / "out")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "manikin: the chapter has no example 'figure-122'; did you mean 'figure-12'? It has 15: figure-3, figure-5, "
        "figure-6, figure-8, figure-9, figure-10, figure-11, figure-12, …\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_file_where_the_folder_should_be_is_code_2(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    done = call("figure-8", "--out", tmp_path / "out")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize(("holds", "code"), [(True, 0), (False, 1)])
def test_a_statement_that_fails_is_code_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any, holds: bool, code: int
) -> None:
    monkeypatch.setattr("manikin.chapter.write.statements", lambda *_: [Statement("the moon is full", holds, (1.0,))])
    monkeypatch.setattr("manikin.chapter.write._drawn", lambda *_: [])
    assert chapter_command.callback is not None
    assert chapter_command.callback(("figure-8",), tmp_path, 0, False, False, False) == code
    assert ("FAILS" in capsys.readouterr().out) is not holds
    assert ("✗" in (tmp_path / "chapter.html").read_text(encoding="utf-8")) is not holds
