"""Job `fit`: recorded trials of two formats, one calibration for all, and what the manifest says about quality."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from needs import data_file
from synthetic_markers import recorded

import manikin as mk
from manikin.cli.main import main
from manikin.errors import BadFile, BadValue, Unsupported


def manikin(*args: object) -> Result:
    return CliRunner().invoke(main, list(map(str, args)))


def batch(trials: Path, out: Path, **options):
    with ThreadPoolExecutor(2) as threads:
        return mk.batch("fit", trials, out, threads, **options)


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    """Cuts of a .c3d and of a .trc recording of two persons, and a file that is no trial."""
    folder = tmp_path / "trials"
    (folder / "gait").mkdir(parents=True)
    mk.save(mk.load_markers(data_file("markers/cmu_02_01.c3d"))[:20], folder / "walk.c3d")
    mk.save(mk.load_markers(data_file("markers/gait2392/subject01_walk1.trc"))[:20], folder / "gait" / "walk.trc")
    (folder / "readme.txt").write_text("two trials")
    return folder


@pytest.fixture
def cuts(tmp_path: Path) -> Path:
    """Two cuts of one trial with known truth. The second has wild samples."""
    folder = tmp_path / "cuts"
    folder.mkdir()
    markers = recorded(40, noise=0.001).markers
    mk.save(markers[:20], folder / "calm.trc")
    positions = np.array(markers[20:].positions)
    positions[::5, 0] += 0.4
    mk.save(markers[20:].replaced(positions=positions), folder / "wild.trc")
    return folder


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished calibration of the person of `cuts`."""
    path = tmp_path_factory.mktemp("person") / "anna.json"
    mk.fit_markers(mk.human(), recorded(40, noise=0.001).markers).attachments.save(path)
    return path


def test_trials_give_what_the_single_command_gives(trials: Path, tmp_path: Path) -> None:
    result = batch(trials, tmp_path / "out")
    assert result.good, str(result)
    assert [record["clip"] for record in result.records] == ["gait/walk.trc", "walk.c3d"]
    for record in result.records:
        single = manikin("fit", trials / record["clip"], "--out", tmp_path / "walk.bvh", "--json")
        assert single.exit_code == 0, single.output
        sheet = json.loads(single.stdout)
        assert (tmp_path / "out" / record["output"]["name"]).read_bytes() == (tmp_path / "walk.bvh").read_bytes()
        assert record["output"]["name"].endswith("walk.bvh")
        quality = record["quality"]
        assert quality["rms_mm"] == sheet["rms_mm"]
        assert quality["marker_rms_mm"] == max(row["rms_mm"] for row in sheet["markers"])
        assert quality["worst_mm"] == max(row["worst_mm"] for row in sheet["markers"])
        assert quality["rejected_percent"] == 100.0 * sheet["rejected"]
        missing = np.mean([row["missing"] for row in sheet["markers"]])
        assert quality["missing_percent"] == pytest.approx(100.0 * missing, abs=1e-9)
        assert record["notes"] == sheet["notes"]
        assert record["frames"] == 20


def test_one_calibration_serves_all_trials(cuts: Path, person: Path, tmp_path: Path) -> None:
    result = batch(cuts, tmp_path / "out", attach=person, at_most=10.0)
    calm, wild = result.records
    assert calm["good"], calm
    assert calm["quality"]["rms_mm"] < 5.0
    assert (wild["result"], wild["good"]) == ("done", False)
    assert wild["quality"]["rejected_percent"] > 0.0
    assert wild["quality"]["worst_mm"] > 300.0
    assert wild["notes"][-1] == f"the RMS is {wild['quality']['rms_mm']:.1f} mm; at_most is 10 mm"
    assert result.worst("rms_mm", 1)[0][0] == "wild.trc"
    assert calm["files"].keys() == {"figure", "attach"}
    args = ("--attach", person, "--at-most", 10, "--quiet")
    for name, code in (("calm", 0), ("wild", 1)):
        assert manikin("fit", cuts / f"{name}.trc", *args, "--out", tmp_path / f"{name}.bvh").exit_code == code
        assert (tmp_path / "out" / f"{name}.bvh").read_bytes() == (tmp_path / f"{name}.bvh").read_bytes()
    assert batch(cuts, tmp_path / "out", attach=person, at_most=10.0).kept == 2
    other = tmp_path / "other.json"
    other.write_text(person.read_text().replace('"weight": 1.0', '"weight": 0.5', 1))
    assert batch(cuts, tmp_path / "out", attach=other, at_most=10.0).kept == 0


@pytest.mark.parametrize("to", [".glb", ".usda", ".mot", ".csv"])
def test_formats(cuts: Path, person: Path, tmp_path: Path, to: str) -> None:
    result = batch(cuts, tmp_path / "out", attach=person, to=to, pattern="calm*")
    assert result.good, str(result)
    args = ("--attach", person, "--out", tmp_path / f"calm{to}", "--quiet")
    assert manikin("fit", cuts / "calm.trc", *args).exit_code == 0
    assert (tmp_path / "out" / f"calm{to}").read_bytes() == (tmp_path / f"calm{to}").read_bytes()


def test_a_unit_for_trials_without_one_read_safely(cuts: Path, person: Path, tmp_path: Path) -> None:
    text = (cuts / "calm.trc").read_text()
    assert "\tm\t" in text
    (cuts / "bare.trc").write_text(text.replace("\tm\t", "\t?\t", 1))
    given: dict[str, Any] = {"attach": person, "pattern": "[bc]*"}
    without = mk.batch("fit", cuts, tmp_path / "none", workers=1, **given)
    assert [record["clip"] for record in without.failed] == ["bare.trc"]
    result = mk.batch("fit", cuts, tmp_path / "out", workers=1, unit=1.0, safe=True, **given)
    assert result.good, str(result)
    bare, calm = result.records
    assert bare["quality"] == calm["quality"]
    assert any("unit is None" in note for note in bare["notes"])


@pytest.mark.needs("data", "markers/gait2392/*.osim")
def test_an_opensim_model_with_weights(data: Path, trials: Path, tmp_path: Path) -> None:
    folder = data / "markers/gait2392"
    given = {"attach": folder / "subject01_simbody.osim", "weights": folder / "subject01_Setup_IK.xml"}
    result = batch(trials / "gait", tmp_path / "out", **given, plain=True, smooth=0.0)
    assert result.good, str(result)
    args = [text for name, path in given.items() for text in (f"--{name}", path)]
    single = manikin("fit", trials / "gait/walk.trc", *args, "--plain", "--smooth", 0, "--json")
    assert result.records[0]["quality"]["rms_mm"] == json.loads(single.stdout)["rms_mm"]
    assert result.records[0]["quality"]["rejected_percent"] == 0.0


def test_a_static_trial_calibrates_all(cuts: Path, tmp_path: Path) -> None:
    static = cuts / "calm.trc"
    result = batch(cuts, tmp_path / "out", calibrate=static, pattern="wild*")
    args = ("--calibrate", static, "--out", tmp_path / "wild.bvh", "--quiet")
    assert manikin("fit", cuts / "wild.trc", *args).exit_code == 0
    assert result.good, str(result)
    assert (tmp_path / "out" / "wild.bvh").read_bytes() == (tmp_path / "wild.bvh").read_bytes()


def test_warnings_are_notes_and_a_bad_trial_stops_nothing(
    cuts: Path, person: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    markers = recorded(60).markers
    positions = np.array(markers.positions)
    one, two = markers.names.index("LKNE"), markers.names.index("RKNE")
    positions[30:45, [one, two]] = positions[30:45, [two, one]]
    mk.save(markers.replaced(positions=positions), cuts / "swapped.trc")
    mk.save(mk.Markers(["A", "B"], np.zeros((5, 2, 3)), rate=30.0, unit=1.0, up="y"), cuts / "strange.trc")
    result = mk.batch("fit", cuts, tmp_path / "out", workers=1, attach=person)
    assert [(r["clip"], r["error"]["kind"]) for r in result.failed] == [("strange.trc", "BadValue")]
    swapped = next(record for record in result.records if record["clip"] == "swapped.trc")
    assert any("LKNE and RKNE in frames 30 to 44" in note for note in swapped["notes"])
    assert "OddMarkers" not in capfd.readouterr().err
    page = (tmp_path / "out" / "report.html").read_text()
    assert "RMS of all markers, mm" in page


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"no_calibrate": True}, BadValue, "no_calibrate needs the places of the markers"),
        ({"no_calibrate": True, "calibrate": "calm.trc"}, BadValue, "exclude each other"),
        ({"smooth": -1.0}, BadValue, "smooth"),
        ({"slack": -1.0}, BadValue, "slack"),
        ({"attach": "broken.json"}, BadFile, r"broken\.json"),
        ({"weights": "broken.json"}, BadFile, r"broken\.json"),
        ({"calibrate": "broken.json"}, Unsupported, "json"),
        ({"to": ".trc"}, Unsupported, "can be written as"),
    ],
)
def test_bad_options_end_the_run_before_it_begins(
    cuts: Path, tmp_path: Path, options: dict[str, object], error: type[Exception], says: str
) -> None:
    (cuts / "broken.json").write_text("{")
    given = {k: cuts / v if isinstance(v, str) and k != "to" else v for k, v in options.items()}
    with pytest.raises(error, match=says):
        batch(cuts, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()
