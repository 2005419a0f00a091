"""`manikin points FILE`: one command from keypoints to BVH, glTF and USD."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from keypoint_clips import keypoints, moving, person

import manikin as mk
from manikin.cli.main import main
from manikin.errors import BadValue
from manikin.jobs.points import check_units


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["points", *map(str, args)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.save(tmp_path / "swing.npy", keypoints(moving(person(), 20), "body25", 0.005))
    return tmp_path / "swing.npy"


def test_one_command_to_bvh_gltf_and_usd(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    outs = [tmp_path / f"out{ending}" for ending in (".bvh", ".glb", ".usda")]
    done = run(file, "--layout", "body25", "--rate", 25, *(x for out in outs for x in ("-o", out)))
    assert done.exit_code == 0, done.output
    assert "swing: 20 frames, body25, RMS" in done.stdout
    for out in outs:
        motion = mk.load_motion(out)
        assert len(motion) == 20
        assert motion.rate == pytest.approx(25.0, rel=1e-3)


def test_the_sheet_as_csv_and_json(file: Path, tmp_path: Path) -> None:
    done = run(file, "--layout", "body25", "--json", "--sheet", tmp_path / "sheet.csv", "--at-most", 30)
    assert done.exit_code == 0, done.output
    sheet = json.loads(done.stdout)
    assert sheet["layout"] == "body25"
    assert sheet["rms"] < 0.03
    assert len((tmp_path / "sheet.csv").read_text().splitlines()) == 26
    assert any("30 frames per second" in text for text in sheet["warnings"])


def test_an_rms_above_the_bound_is_exit_code_1(file: Path) -> None:
    assert run(file, "--layout", "body25", "--at-most", 0.1, "--quiet").exit_code == 1


def test_a_bound_needs_units_and_is_refused_before_the_work(file: Path, tmp_path: Path) -> None:
    person = mk.human().replaced(unit=None)
    mk.save(person, tmp_path / "person.bvh")
    for args, message in (
        ((file, "--figure", tmp_path / "person.bvh", "--at-most", 30), "the unit of the figure"),
        ((file, "--at-most", -3), "--at-most is -3"),
        ((file, "--at-most", "nan"), "--at-most is nan"),
    ):
        done = run(*args, "--layout", "body25", "-o", tmp_path / "out.bvh")
        assert done.exit_code == 2, done.output
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert not (tmp_path / "out.bvh").exists()
    with pytest.raises(BadValue, match=r"the unit of swing\.trc is not known; state it with unit="):
        check_units("human", 1.0, "swing.trc", None)


def test_bad_input_is_one_line_and_exit_code_2(file: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "flat.npy", np.zeros((5, 17, 2)))
    for args, message in (
        ((file,), "layout is missing"),
        ((file, "--layout", "coco17"), "body25 has 25"),
        ((tmp_path / "flat.npy", "--layout", "coco17"), "triangulate"),
        ((file, "--layout", "body25", "-o", tmp_path / "out.xyz"), "'.xyz' is unknown"),
        ((tmp_path / "none.npy", "--layout", "coco17"), "No such file"),
    ):
        done = run(*args)
        assert done.exit_code == 2
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("option", ["-o", "--sheet"])
def test_the_points_are_not_replaced_by_an_output(option: str, tmp_path: Path) -> None:
    path = tmp_path / "swing.csv"
    path.write_text("nose_x,nose_y,nose_z\n0,1,0\n")
    done = run(path, option, path)
    assert done.exit_code == 2
    assert f"{path} is an input, which would be lost; choose another name" in done.stderr
    assert path.read_text() == "nose_x,nose_y,nose_z\n0,1,0\n"


def test_smoothing_of_zero_is_none(file: Path) -> None:
    done = run(file, "--layout", "body25", "--smooth", 0, "--quiet")
    assert (done.exit_code, done.output) == (0, "")
