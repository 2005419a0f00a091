"""What a test needs: it is skipped without it, and fails where MANIKIN_REQUIRE names it."""

from __future__ import annotations

from pathlib import Path

import needs
import pytest


@pytest.mark.parametrize("named", ["", "{}/none"])
def test_without_the_folder_a_test_is_skipped(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_DATA", named.format(tmp_path))
    monkeypatch.delenv("MANIKIN_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="MANIKIN_DATA is"):
        needs.data_folder()
    assert needs.find_data("urdf/panda.urdf") is None


def test_a_file_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_DATA", str(tmp_path))
    monkeypatch.delenv("MANIKIN_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"urdf/panda\.urdf is not in MANIKIN_DATA"):
        needs.data_file("urdf/panda.urdf")


@pytest.mark.parametrize("call", [needs.data_file, needs.find_data])
@pytest.mark.parametrize("there", [False, True])
def test_what_is_required_fails(call: object, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_DATA", str(tmp_path) if there else "")
    monkeypatch.setenv("MANIKIN_REQUIRE", "node, data")
    assert callable(call)
    with pytest.raises(pytest.fail.Exception, match="MANIKIN_REQUIRE names 'data', but"):
        call("urdf/panda.urdf")


@pytest.mark.parametrize("need", ["browser", "node"])
def test_programs_are_looked_for_on_the_path(need: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MANIKIN_REQUIRE", "")
    with pytest.raises(pytest.skip.Exception, match="is not installed"):
        needs.check(need)
    monkeypatch.setenv("MANIKIN_REQUIRE", need)
    with pytest.raises(pytest.fail.Exception, match=need):
        needs.check(need)


def test_an_unknown_name_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_REQUIRE", "date")
    with pytest.raises(pytest.UsageError, match="MANIKIN_REQUIRE names 'date'; it knows browser, data, node"):
        needs.required()
