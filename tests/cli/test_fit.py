"""`manikin fit MARKERS`: files in, files out, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from synthetic_markers import recorded

import manikin as mk
from manikin.cli.main import main


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["fit", *map(str, args)])


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fit") / "walk.trc"
    mk.save(recorded(40).markers, path)
    return path


def test_a_recording_becomes_a_motion_a_sheet_and_a_calibration(trial: Path, tmp_path: Path) -> None:
    out, sheet, person = (tmp_path / name for name in ("walk.csv", "rms.csv", "anna.json"))
    done = run(trial, "--out", out, "--sheet", sheet, "--save-attach", person)
    assert done.exit_code == 0, done.output
    assert "bony markers: RMS" in done.stdout
    assert "not seen in these data" in done.stdout
    assert sheet.read_text().startswith("marker,kind,segment,rms_mm")
    assert len(out.read_text().splitlines()) == 41
    again = run(trial, "--attach", person, "--no-calibrate", "--json", "--out", tmp_path / "walk.mot")
    assert again.exit_code == 0, again.output
    data = json.loads(again.stdout)
    assert data["rms_mm"] < 5.0
    assert data["deviations"] == {}
    assert data["warnings"] == []
    assert data["notes"] == ["walk has no up axis; y is taken as up, because the body stands along it"]
    assert (tmp_path / "walk.mot").read_text().startswith("Coordinates")


def test_exit_codes_and_one_line_errors(trial: Path, tmp_path: Path) -> None:
    assert run(trial, "--at-most", 0.001, "--quiet").exit_code == 1
    calm = run(trial, "--calibrate", trial, "--scales", "one", "--plain", "--smooth", 0, "--quiet")
    assert calm.exit_code == 0
    assert not calm.stdout
    for options, says in (
        (("--no-calibrate",), "--no-calibrate needs"),
        (("--no-calibrate", "--calibrate", trial), "exclude each other"),
        (("--subject", "Anna"), "Anna"),
        (("--figure", "quadruped"), "four legs"),
        (("--out", tmp_path / "none" / "a.bvh"), "no folder"),
        (("--out", tmp_path / "a.xyz"), "xyz"),
    ):
        done = run(trial, *options)
        assert done.exit_code == 2, options
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.needs("data", "markers/gait2392/*.osim")
def test_an_opensim_model_and_its_weights(data: Path, tmp_path: Path) -> None:
    folder = data / "markers/gait2392"
    done = run(
        folder / "subject01_walk1.trc",
        *("--attach", folder / "subject01_simbody.osim", "--weights", folder / "subject01_Setup_IK.xml"),
        *("--plain", "--out", tmp_path / "walk.mot", "--json"),
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["frames"] == 151


@pytest.mark.parametrize("most", [0, -4])
def test_the_largest_rms_is_above_zero(trial: Path, most: int) -> None:
    done = run(trial, "--at-most", most)
    assert done.exit_code == 2
    assert f"--at-most is {most};" in done.stderr
