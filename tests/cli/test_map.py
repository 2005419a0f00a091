"""`manikin map FILE`: the parts of a figure, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.main import main


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["map", *map(str, args)])


def test_it_shows_the_parts_and_writes_the_map(tmp_path: Path) -> None:
    path = tmp_path / "human.map.json"
    done = run("human", "--out", path)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "human: 25 parts by names, two legs"
    assert "left forearm     LeftForeArm, LeftForeArmTwist\n" in done.stdout
    assert done.stdout.endswith(f"wrote {path}\n")
    assert dict(mk.BoneMap.load(path, mk.human())) == dict(mk.bone_map(mk.human()))


def test_json_is_for_programs() -> None:
    data = json.loads(run("quadruped", "--json").stdout)
    assert (data["legs"], data["how"], data["parts"]["left foot"]) == (4, "names", ["LeftHindPaw"])


def test_parts_of_a_file_replace_what_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.map.json"
    path.write_text('{"parts": {"left toes": null}}')
    data = json.loads(run("human", "--bones", path, "--json").stdout)
    assert "left toes" not in data["parts"]
    assert "right toes" in data["parts"]


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"parts": {"left to": ["LeftToeBase"]}}', "did you mean 'left toes'"), ("{", "line 1: this is not JSON")],
)
def test_a_bad_map_is_one_line_and_exit_code_two(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.map.json"
    path.write_text(text)
    done = run("human", "--bones", path)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_figure_without_arms_and_legs_is_one_line_and_exit_code_two(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    mk.save(mk.chain(3), path)
    done = run(path)
    assert done.exit_code == 2
    assert "arms and legs were found neither" in done.stderr


def test_the_figure_is_not_replaced_by_its_map(tmp_path: Path) -> None:
    path = tmp_path / "human.json"
    mk.save(mk.human(), path)
    before = path.read_bytes()
    done = run(path, "--out", path)
    assert done.exit_code == 2
    assert f"{path} is an input, which would be lost; choose another name" in done.stderr
    assert path.read_bytes() == before


def test_a_map_in_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = run("human", "--out", tmp_path / "no" / "x.json")
    assert done.exit_code == 2
    assert "there is no folder" in done.stderr


def test_a_misspelt_figure_gets_a_suggestion() -> None:
    done = run("humann")
    assert done.exit_code == 2
    assert "there is no file 'humann', and manikin has no built-in figure 'humann'; did you mean 'human'" in done.stderr


@pytest.mark.parametrize(("option", "value"), [("--root", "fixed"), ("--within", ".")])
def test_an_option_without_effect_on_a_built_in_figure_is_refused(option: str, value: str) -> None:
    done = run("human", option, value)
    assert done.exit_code == 2
    assert f"{option} has no effect on human, which is built in" in done.stderr
