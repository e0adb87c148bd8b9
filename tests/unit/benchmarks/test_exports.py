from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mlc.benchmarks import exports


def test_a_missing_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(exports, "_package", missing)
    assert exports.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("No module named 'torch'; pip install torch==")


def test_an_unknown_network_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def networks(batch: int) -> dict[str, None]:
        return {"resnet18": None, "t5": None}

    monkeypatch.setattr(exports, "_package", str)
    monkeypatch.setattr(exports, "networks", networks)
    assert exports.main([str(tmp_path / "new"), "resnet18", "resnet19"]) == 2
    assert capsys.readouterr().err == "no network is called resnet19; found resnet18, t5\n"
    assert not (tmp_path / "new").exists()


def test_a_batch_is_one_at_least(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        exports.main([str(tmp_path), "--batch", "0"])
    assert "--batch takes a positive number, got 0" in capsys.readouterr().err
