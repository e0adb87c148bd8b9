"""Files of GGUF that somebody broke are refused in words, or read."""

from __future__ import annotations

import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("jinja2")

from mlc.tests.numeric.gguf import mutations


@pytest.mark.slow
def test_each_is_refused_or_read() -> None:
    """In processes with little memory; one that dies is an error."""
    mutants = list(mutations.run(300, jobs=2))
    assert [each for each in mutants if each.outcome not in ("read", "refused")] == []
    assert {each.outcome for each in mutants} == {"read", "refused"}


def test_what_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign would see a crash."""

    def crash(path: object) -> None:
        raise IndexError("no")

    monkeypatch.setattr(mutations, "open_gguf", crash)
    assert mutations.try_one(0).outcome == "IndexError: no"
