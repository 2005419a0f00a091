"""`manikin doctor`: it reports the installed parts and the errors."""

from __future__ import annotations

import json
from importlib import metadata

import numpy as np
import pytest
from click.testing import CliRunner

from manikin import backend
from manikin.cli import doctor as examination
from manikin.cli.main import main


def test_a_sound_installation_is_well() -> None:
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("all is well\n")
    assert np.__version__ in done.stdout
    assert backend.name in done.stdout


def test_json_has_the_same_findings() -> None:
    done = CliRunner().invoke(main, ["doctor", "--json"])
    told = json.loads(done.stdout)
    assert told["healthy"] is True
    found = {finding["what"]: finding for finding in told["findings"]}
    assert found["numpy"]["found"] == np.__version__
    assert found["matplotlib"]["verdict"] == "ok"
    assert found["solver"]["verdict"] == "ok"


def test_an_optional_library_that_is_missing_is_no_illness_but_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(name: str) -> str:
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0
    assert 'not installed; pip install "manikin[plot]"' in done.stdout


@pytest.mark.skipif(not backend.native, reason="compares the native core with its twin")
def test_a_core_that_computes_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from manikin.reference.kinematics import Kinematics

    right = Kinematics.placements
    monkeypatch.setattr(Kinematics, "placements", lambda self, *args: right(self, *args) + 1e-9)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert done.stdout.endswith("something is wrong: see above\n")
    assert examination.agreement().verdict == "wrong"
