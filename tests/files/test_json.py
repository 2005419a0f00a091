"""Figures as JSON: not a bit is lost, and bad files are told with their line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_figure, rngs

import manikin as mk
from manikin.errors import BadFile, BadValue
from manikin.figure import Figure, Hinge, Joint, Segment
from manikin.files import figure_json


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "figure.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@given(rng=rngs())
def test_a_figure_comes_back_to_the_bit(rng: np.random.Generator, tmp_path_factory: pytest.TempPathFactory) -> None:
    figure = random_figure(rng)
    path = tmp_path_factory.mktemp("json") / "figure.json"
    mk.save(figure, path)
    again = mk.load_figure(path)
    assert again == figure
    assert again.segments == figure.segments
    assert again.rest.tobytes() == figure.rest.tobytes()


def test_the_person_comes_back(tmp_path: Path) -> None:
    mk.save(mk.human(), tmp_path / "human.json")
    assert mk.load_figure(tmp_path / "human.json") == mk.human()


def test_the_file_is_json_with_one_segment_a_line(tmp_path: Path) -> None:
    figure = mk.chain(3)
    mk.save(figure, tmp_path / "chain.json")
    text = (tmp_path / "chain.json").read_text()
    assert json.loads(text)["name"] == "chain"
    for name in figure.segment_names:
        assert sum(line.lstrip().startswith(f'{{"name": "{name}"') for line in text.splitlines()) == 1


def test_infinite_limits_come_back(tmp_path: Path) -> None:
    figure = Figure("f", [Segment("A", joint=Hinge(limits=(-np.inf, 1.0)))])
    mk.save(figure, tmp_path / "f.json")
    assert mk.load_figure(tmp_path / "f.json").lower.tolist() == [-np.inf]


@pytest.mark.parametrize("name", ["Käfer", "左手", "a\nb", 'a"b\\', "😀", "\ud800", "😀\ud800", "NaN"])
def test_names_of_any_letters_come_back(tmp_path: Path, name: str) -> None:
    figure = Figure(name, [Segment(name, joint=Joint(name + "1", (Hinge(),)))])
    mk.save(figure, tmp_path / "f.json")
    assert mk.load_figure(tmp_path / "f.json") == figure


def test_names_stay_readable_in_the_file(tmp_path: Path) -> None:
    mk.save(Figure("左手", [Segment("Käfer")]), tmp_path / "f.json")
    assert "左手" in (tmp_path / "f.json").read_text(encoding="utf-8")


def test_plain_parts_of_the_source_are_kept(tmp_path: Path) -> None:
    source: dict[str, Any] = {"format": "x", "lines": [1, 2.5, None, True, {"a": "b"}], "array": np.zeros(2), "t": (1,)}
    source |= {"nan": float("nan"), "keys": {1: 2}}
    figure = Figure("f", [Segment("A")], source=source)
    mk.save(figure, tmp_path / "f.json")
    again = mk.load_figure(tmp_path / "f.json")
    assert again.source == {"format": "x", "lines": [1, 2.5, None, True, {"a": "b"}]}
    assert again == figure


def test_a_urdf_survives_the_way_through_json(tmp_path: Path) -> None:
    text = '<robot name="r"><link name="a"><visual name="v"/></link><link name="b"/><joint name="j" type="fixed">'
    (tmp_path / "r.urdf").write_text(
        text + '<parent link="a"/><child link="b"/><origin rpy="1.57 0 0"/></joint></robot>'
    )
    mk.save(mk.load_figure(tmp_path / "r.urdf"), tmp_path / "r.json")
    mk.save(mk.load_figure(tmp_path / "r.json"), tmp_path / "again.urdf")
    again = (tmp_path / "again.urdf").read_text()
    assert '<visual name="v"/>' in again
    assert 'rpy="1.57 0 0"' in again


GOOD = '{"manikin": 1,\n"name": "f",\n"segments": [\n{"name": "A"}\n]}'


def test_the_smallest_file_is_read(tmp_path: Path) -> None:
    assert mk.load_figure(write(tmp_path, GOOD)).segment_names == ("A",)
    assert mk.load_figure(write(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())).name == "f"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GOOD[:-3], 4, "not JSON"),
        (GOOD.replace('"A"', '"A'), 4, "not JSON"),
        (
            GOOD.replace('"A"', '"NaN", "mass": NaN'),
            4,
            "NaN is not JSON; an infinite limit is written as the text 'inf'",
        ),
        (GOOD.replace('"A"', '"A", "mass": -Infinity'), 4, "-Infinity is not JSON"),
        (GOOD.encode().replace(b'"A"', b'"\xff"'), 4, "the text is not UTF-8"),
        (GOOD.replace("1,", "2,"), None, "this is not a figure record of version 1: its key 'manikin' is 2"),
        ("{}", None, "its key 'manikin' is None"),
        (GOOD.replace('"name": "f",\n', ""), None, "figure record has no 'name'"),
        (GOOD.replace("[\n", "[\n1, "), None, "malformed"),
        (GOOD.replace('[\n{"name": "A"}\n]', "7"), None, ""),
        (GOOD.replace('"A"', '"A", "mass": -1'), None, "segment 'A': mass is -1; it must be at least 0"),
        (GOOD.replace('"A"', '"A", "colour": 1'), None, "segment 'A' is malformed"),
        (GOOD.replace('"A"', '"A", "shapes": [{"kind": "torus"}]'), None, "kind 'torus' is not one of"),
        (GOOD.replace('"A"', '"A", "parent": "B"'), None, "has the parent 'B'"),
        (GOOD.replace('"A"', '"A", "mass": 1e999'), 4, "the number 1e999 is too large"),
        (GOOD.replace('"A"', f'"A", "mass": {"9" * 5000}'), 4, "5,000 characters"),
        (GOOD[:-1] + ', "source": 3}', None, "'source' is int; it must be an object"),
        ('{"a":' * 100_000, None, "nested too deeply"),
        ("[" * 100_000, None, ""),
    ],
)
def test_a_bad_file_is_told(tmp_path: Path, text: str | bytes, line: int | None, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile) as caught:
        figure_json.load_figure(path)
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_json, "MOST_BYTES", 10)
    with pytest.raises(BadFile, match="the limit for a figure is 10"):
        mk.load_figure(write(tmp_path, GOOD))


def test_only_figures_are_saved(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="a JSON file stores a Figure, got dict"):
        figure_json.save({}, tmp_path / "f.json")  # type: ignore[arg-type]


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_is_read_or_told_and_never_crashes(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = bytearray(figure_json.to_json(mk.chain(2, mk.Ball(mk.SwingTwist()))))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        end = min(len(text), at + data.draw(st.integers(0, 20)))
        words = [
            b"",
            b"null",
            b"1e400",
            b"-1",
            b'"',
            b"{",
            b"[",
            b"]",
            b"}",
            b"\xff",
            b"true",
            b",",
            b":",
            b"0",
            b'"inf"',
            b"{}",
        ]
        text[at:end] = data.draw(st.sampled_from(words))
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(bytes(text))
    try:
        figure = figure_json.load_figure(path)
    except BadFile:
        pass
    else:
        assert np.isfinite(figure.placements(figure.rest)).all()
