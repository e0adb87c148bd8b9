"""Files of records: what is written is read, whatever happened to the file, and found again where it holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.passes.tensor.schedule import SchedulePass
from mlc.schedules.records.kernel_key import KernelKey, key_of
from mlc.schedules.records.record import FormatError, Outcome, Record, TunedMachine, parse_record
from mlc.schedules.records.record_file import (
    Records,
    append_records,
    default_records_file,
    read_records,
    records_file,
    require_records,
    require_writable,
)
from mlc.schedules.records.recorded_schedules import RecordedSchedules, record_to_take
from mlc.schedules.records.schedule_texts import parse_schedule, schedule_text
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError

_OPTIONS = CompileOptions("x86-64-v3")
_MODEL = """
func.func private @KERNEL(%IN: tensor<ROWSx50xf32>, %w: tensor<50x200xf32>) -> tensor<ROWSx200xf32> {
  %0 = tensor.contract %IN[m, k], %w[k, n] over (m: ROWS, n: 200) reduce (k: 50)
      : tensor<ROWSx50xf32>, tensor<50x200xf32> -> tensor<ROWSx200xf32>
  return %0 : tensor<ROWSx200xf32>
}
func.func @main(%x: tensor<ROWSx50xf32>, %w: tensor<50x200xf32>) -> tensor<ROWSx200xf32> {
  %0 = func.call @KERNEL(%x, %w) : (tensor<ROWSx50xf32>, tensor<50x200xf32>) -> tensor<ROWSx200xf32>
  return %0 : tensor<ROWSx200xf32>
}
"""


def _model(rows: int = 6, kernel: str = "kernel", argument: str = "x") -> tuple[ModuleOp, FuncOp, CompilerContext]:
    ctx = new_context("x86-64-v3")
    text = _MODEL.replace("ROWS", str(rows)).replace("KERNEL", kernel).replace("IN", argument)
    module = parse_verified(text, "test.mlir", ctx, Path())
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    return module, function, ctx


def _key(rows: int = 6, kernel: str = "kernel", argument: str = "x") -> KernelKey:
    return key_of(_model(rows, kernel, argument)[1])


def _record(schedule: str, ratio: float = 0.8, key: KernelKey | None = None, outcome: Outcome = "ok") -> Record:
    key, machine = key or _key(), TunedMachine.of(_OPTIONS)
    about = key.exact, key.kind, key.sizes, key.spelling, key.arguments
    times = {"time_ns": 80.0, "beside": "", "beside_ns": 100.0, "ratio": ratio, "noise": 0.01}
    return Record(*about, machine, schedule, outcome, "", **times, confirmed=True, date="2026-01-31T00:00:00Z")  # pyright: ignore[reportArgumentType]


def _chosen(tmp_path: Path, records: Sequence[Record], rows: int = 6, argument: str = "x") -> tuple[str, list[str]]:
    """The schedule of a kernel beside records, and the remarks."""
    path = tmp_path / "records.jsonl"
    path.unlink(missing_ok=True)
    append_records(path, records)
    module, kernel, ctx = _model(rows, argument=argument)
    ctx.records = RecordedSchedules(path, PipelineOptions(target="x86-64-v3"))
    SchedulePass().run(module, ctx)
    schedule = kernel.attributes["schedule"]
    return str(schedule).partition("<[")[2].removesuffix("]>"), [remark.message for remark in ctx.remarks]


_GOOD = "tile(n, 8), vectorize(ni)"


def test_kernels_are_the_same_whatever_names_are() -> None:
    assert _key().exact == _key(kernel="linear", argument="image").exact
    assert _key(argument="image").arguments == ("image", "w")
    assert _key().spelling == "contract(m: 6, n: 200; k: 50) of f32"


def test_kernels_of_other_sizes_are_of_one_kind() -> None:
    small, large = _key(6), _key(12)
    assert small.exact != large.exact and small.kind == large.kind
    assert small.distance(large.sizes) == 1.0


def test_what_is_constant_tells_kernels_apart() -> None:
    _, kernel, _ = _model()
    assert key_of(kernel, {("kernel", 1)}).exact != key_of(kernel).exact
    assert constant_arguments(_model()[0]) == {}


def test_a_record_is_read_as_it_was_written() -> None:
    record = replace(_record(_GOOD), reason="wörtlich", loops={"cycles": -0.5})
    assert parse_record(record.line()) == record
    assert record.line().count("\n") == 1


def test_a_change_that_no_clock_shows_is_read(tmp_path: Path) -> None:
    """Of the same size, in place, at the same time."""
    path = tmp_path / "records.jsonl"
    for lanes in (4, 8):
        record = _record(f"tile(n, {lanes}), vectorize(ni)")
        path.write_text(record.line())
        os.utime(path, (10**9, 10**9))
        assert read_records(path).records == (record,)


def test_a_record_without_steps_is_one(tmp_path: Path) -> None:
    record = _record("", 0.5)
    assert parse_record(record.line()) == record
    path = tmp_path / "records.jsonl"
    append_records(path, [record])
    module, kernel, ctx = _model()
    ctx.records = RecordedSchedules(path, PipelineOptions(target="x86-64-v3"))
    SchedulePass().run(module, ctx)
    assert "schedule" not in kernel.attributes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": "fine"}, "found the outcome 'fine'; required: one of ok, refused, crash, hang, wrong"),
        ({"ratio": "half"}, "found 'ratio' as 'half'; required: int or float"),
        ({"confirmed": 1}, "found 'confirmed' as 1; required: bool"),
        ({"helps": "no"}, "found 'helps' as 'no'; required: bool"),
        ({"loops": [1.0]}, "found 'loops' as [1.0]; required: dict"),
        ({"loops": {"cycles": "few"}}, "found 'loops' of something else than numbers"),
    ],
)
def test_a_line_that_is_no_record_says_why(change: dict[str, object], message: str) -> None:
    import json

    line = json.dumps(json.loads(_record(_GOOD).line()) | change)
    with pytest.raises(FormatError) as raised:
        parse_record(line)
    assert str(raised.value) == message


def test_a_line_that_was_cut_off_is_told_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    append_records(path, [_record(_GOOD), _record("tile(n, 16)")])
    path.write_bytes(path.read_bytes()[:-40])
    found = read_records(path)
    assert [r.schedule for r in found.records] == [_GOOD]
    assert [str(each) for each in found.problems] == [
        f"{path}:2: the line is not a record and is left out: it was cut off while it was written"
    ]
    append_records(path, [_record("tile(n, 24)")])  # on a line of its own
    assert [r.schedule for r in read_records(path).records] == [_GOOD, "tile(n, 24)"]


def test_compilations_warn_of_lines_that_are_no_records_once(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("[]\n" + _record(_GOOD).line() + "junk\n{}\njunk\njunk\n")
    module, _, ctx = _model()
    ctx.records = RecordedSchedules(path, PipelineOptions(target="x86-64-v3"))
    for _ in range(2):
        SchedulePass().run(module.clone(), ctx)
    assert [str(each) for each in ctx.warnings] == [
        f"{path}:1: the line is not a record and is left out: it is not a JSON object",
        f"{path}:3: the line is not a record and is left out: it is not JSON",
        f"{path}:4: the line is not a record and is left out: it has no 'kernel'",
        f"{path}: 2 more lines are not records and are left out",
    ]


def test_what_has_the_name_of_records_and_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"cannot read records from '.*': it is a folder; records names another file"):
        records_file(str(tmp_path))
    monkeypatch.setenv("MLC_RECORDS_FILE", "/dev/null")
    with pytest.raises(UserError, match=r"'/dev/null': it is not a regular file; MLC_RECORDS_FILE names another file"):
        records_file(None)
    monkeypatch.setenv("MLC_RECORDS_FILE", str(tmp_path / "none.jsonl"))
    assert records_file(None) is None


@pytest.mark.parametrize("text", ["important\n", '{"records": []}', "[1, 2]\n" * 7, "\x00\x01\n"])
def test_records_are_not_written_behind_something_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text)
    with pytest.raises(UserError, match=r"cannot write records to '.*': it holds something else \(the line is not a"):
        require_writable(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"important\n", "line 1: it is not JSON"),
        (b"\n[]\n{}", "line 2: it is not a JSON object"),
        (b"\xff\xfe\n", "line 1: no UTF-8"),
    ],
)
def test_a_file_without_any_record_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "notes"
    path.write_bytes(data)
    with pytest.raises(UserError) as raised:
        require_records(str(path))
    assert raised.value.message == (
        f"found no record in '{path}' ({reason}); required: a file that `mlc tune MODEL --records FILE` wrote; "
        "--records FILE names another file"
    )


@pytest.mark.parametrize("lines", ["", "\n", "junk\n{record}junk\n"])
def test_an_empty_file_and_one_with_a_record_are_taken(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(lines.replace("{record}", _record(_GOOD).line()))
    require_records(str(path))


def test_where_records_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "records.jsonl"
    assert require_writable(path) == Records()
    assert not path.exists()  # before there is something to keep
    path.write_text("\n" + _record(_GOOD).line() + '{"cut')
    assert [r.schedule for r in require_writable(path).records] == [_GOOD]
    assert path.read_text().endswith('{"cut')


def test_files_are_joined_by_cat(tmp_path: Path) -> None:
    first, second, both = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl"))
    append_records(first, [_record(_GOOD)])
    append_records(second, [_record("tile(n, 16)")])
    both.write_bytes(first.read_bytes() + second.read_bytes())
    assert read_records(both).records == (*read_records(first).records, *read_records(second).records)


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write records to '.*': .*; records names another file"):
        append_records(tmp_path / "file" / "records.jsonl", [])


def test_the_default_file_is_beside_that_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_RECORDS_FILE", "")
    assert default_records_file() is None
    monkeypatch.delenv("MLC_RECORDS_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/config")
    assert default_records_file() == Path("/config/mlc/records.jsonl")


def test_the_fastest_record_is_taken(tmp_path: Path) -> None:
    faster = "tile(n, 16), vectorize(ni)"
    schedule, remarks = _chosen(tmp_path, [_record(_GOOD, 0.9), _record(faster, 0.5)])
    assert schedule == faster
    assert remarks == ["schedule of a record: 2026-01-31, 2.00 times as fast as by the rules"]


def test_names_of_arguments_are_those_of_the_kernel(tmp_path: Path) -> None:
    record = _record("tile(m, 2), pack(x, m)", key=_key(argument="x"))
    assert _chosen(tmp_path, [record], argument="image")[0] == "tile(m, 2), pack(image, m)"


@pytest.mark.parametrize(
    ("record", "remark"),
    [
        (
            _record(_GOOD, 0.96),
            " (2026-01-31, 1.04 times as fast as by the rules) not taken: it saves less than 5% of the",
        ),
        (
            replace(_record(_GOOD, 0.99), confirmed=False),
            ", 1.01 times as fast as by the rules) not taken: it saves less",
        ),
        (replace(_record(_GOOD), confirmed=False), "ules) not taken: it was not confirmed by a second measurement"),
        (replace(_record(_GOOD), helps=False, model_ratio=1.02), " not taken: the whole model is not faster with it"),
        (_record(_GOOD, 1.2), " not taken: none of 1 is known to be faster than the rules"),
        (
            replace(_record(_GOOD), outcome="wrong", ratio=None),
            " not taken: none of 1 is known to be faster than the ru",
        ),
    ],
)
def test_a_record_that_is_no_gain_is_not_taken(tmp_path: Path, record: Record, remark: str) -> None:
    schedule, (told,) = _chosen(tmp_path, [record])
    assert schedule == _chosen(tmp_path, [])[0]
    assert told.startswith("schedule of a record") and remark in told


def test_the_remark_is_about_the_record_that_came_nearest(tmp_path: Path) -> None:
    records = [
        _record("tile(n, 16)", 0.98),
        _record(_GOOD, 0.97),
        replace(_record("tile(n, 24)", 0.5), helps=False),
        replace(_record("tile(n, 32)", 0.9), confirmed=False),
    ]
    _, remarks = _chosen(tmp_path, records)
    about = "(2026-01-31, 1.03 times as fast as by the rules)"
    assert remarks == [f"schedule of a record {about} not taken: it saves less than 5% of the time"]
    assert record_to_take(records, _key(), TunedMachine.of(_OPTIONS)) is None
    gain = _record("tile(n, 40)", 0.8)
    assert record_to_take([*records, gain], _key(), TunedMachine.of(_OPTIONS)) == gain


def test_records_of_other_kernels_are_no_remark(tmp_path: Path) -> None:
    assert _chosen(tmp_path, [_record(_GOOD, 0.99, _key(8))])[1] == []


def test_a_later_measurement_corrects_an_earlier_one(tmp_path: Path) -> None:
    later = replace(_record(_GOOD, 1.1), date="2026-02-01T00:00:00Z")
    assert _chosen(tmp_path, [later, _record(_GOOD, 0.5)])[0] == _chosen(tmp_path, [])[0]


def test_what_is_no_gain_in_a_model_later_is_not_taken(tmp_path: Path) -> None:
    later = replace(_record(_GOOD, 0.5), date="2026-02-01T00:00:00Z", helps=False)
    assert _chosen(tmp_path, [_record(_GOOD, 0.5), later])[0] == _chosen(tmp_path, [])[0]


def test_records_of_earlier_versions_are_read() -> None:
    line = _record(_GOOD).line().replace(', "helps": true', "")
    assert "helps" not in line and parse_record(line).helps


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"cpu": "z80", "name": "Zilog"}, "on another machine (Zilog)"),
        ({"facts": "0", "name": "Zilog"}, "on another machine (Zilog)"),
        ({"threads": 2}, "for 2 threads, not 1"),
        ({"opt_level": 2, "threads": 4}, "for 4 threads, not 1, at -O2, not -O3"),
    ],
)
def test_records_of_another_machine_are_not_taken(tmp_path: Path, change: dict[str, object], difference: str) -> None:
    record = _record(_GOOD)
    other = replace(record, machine=replace(record.machine, **change))  # pyright: ignore[reportArgumentType]
    remark = f"schedule of a record not taken: all 2 were measured {difference}"
    assert _chosen(tmp_path, [other, other]) == (_chosen(tmp_path, [])[0], [remark])
    assert _chosen(tmp_path, [replace(record, machine=replace(record.machine, name="another word"))])[0] == _GOOD


def test_the_nearest_sizes_whose_loops_allow_it_are_taken(tmp_path: Path) -> None:
    far, near = _record("tile(n, 24), vectorize(ni, 32)", 0.5, _key(24)), _record(_GOOD, 0.8, _key(8))
    schedule, remarks = _chosen(tmp_path, [far, near])
    assert schedule == _GOOD
    assert remarks[0].startswith("schedule of a record: of contract(m: 8, n: 200; k: 50) of f32, ")
    # Fewer steps do something here: the next one is tried.
    refused = _record("tile(m, 7), unroll(mi), vectorize(k)", 0.5, _key(7))
    schedule, remarks = _chosen(tmp_path, [refused, near])
    assert schedule == _GOOD
    assert "not taken: 'tile(m, 7)'" in remarks[0] or "not taken: 'vectorize(k)'" in remarks[0]


def test_records_of_much_larger_kernels_are_not_taken(tmp_path: Path) -> None:
    assert _chosen(tmp_path, [_record(_GOOD, 0.5, _key(48))]) == _chosen(tmp_path, [])


def test_a_record_with_a_step_that_is_not_here_is_not_taken(tmp_path: Path) -> None:
    schedule, remarks = _chosen(tmp_path, [_record("skew(n, 8)")])
    assert schedule == _chosen(tmp_path, [])[0]
    (remark,) = remarks
    assert "unknown schedule step 'skew'" in remark


def test_schedules_survive_as_text() -> None:
    text = "interchange(n, m), tile(n, 40), pack(w, n), unroll(ni)"
    assert schedule_text(parse_schedule(text, new_context())) == text
