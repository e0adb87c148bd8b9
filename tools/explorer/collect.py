"""The document of a model: it is compiled once, watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mlc.compiler.compilation import ModelText
from mlc.frontends.onnx.to_graph.bind_inputs import bind
from mlc.pass_manager.pipeline import default_steps
from mlc.support.model_source import ModelSource
from mlc.support.version import __version__
from mlc.targets.program import Program
from mlc.tools.compile_arguments import CompileArguments, start_compilation
from mlc.tools.explorer.artifact import artifact_of
from mlc.tools.explorer.code_results import ResultsOfCode
from mlc.tools.explorer.document import NO_TEXT, Document, RemarkText
from mlc.tools.explorer.graph_view import RecordGraph, with_calls
from mlc.tools.explorer.kernel_pages import kernel_pages
from mlc.tools.explorer.limits import limits_of
from mlc.tools.explorer.loop_view import LoopReader
from mlc.tools.explorer.machine_code import machine_code
from mlc.tools.explorer.measuring import require_measurable, with_reasons, with_times
from mlc.tools.explorer.memory_view import RecordMemory, weight_sizes
from mlc.tools.explorer.record_values import RecordValues
from mlc.tools.explorer.recording import RecordPasses
from mlc.tools.explorer.recording_calls import RecordCalls
from mlc.tools.explorer.telling_passes import TellPasses
from mlc.tools.explorer.texts import Texts
from mlc.tools.input_file import InputFile
from mlc.tools.kernel_numbers import KernelNumbers, ModelNumbers
from mlc.tools.other_results import ComparedModel


def document_of(
    model: ModelSource,
    arguments: CompileArguments,
    progress: Callable[[str, int, int], None] | None = None,
    measure: bool = False,
    inputs: InputFile | None = None,
    with_values: bool = True,
) -> Document:
    """Compile a model for one shape, and write down what happens; with `measure` also how long its kernels take, and
    with `inputs` what its code computes for them and, `with_values`, what its values are.

    `progress` is told what is done now, and how much of it is done, of how much.

    Raises:
        UserError: the model asks for something that mlc cannot do, there is no usable clang, kernels should be
            measured that this machine cannot run, or `inputs` are not those of the model.
        CompilerBug: a pass is wrong.
    """
    timed = start_compilation(model, arguments)
    compilation = timed.compilation
    if measure:
        require_measurable(compilation)
    backend, options, machine, ctx = compilation.backend, compilation.options, compilation.machine, compilation.ctx
    texts = Texts()
    document = Document(
        model.file,
        __version__,
        options.target,
        f"{machine.arch} {machine.cpu}, {machine.cores} cores",
        arguments.spelled(),
    )
    document.source = texts.add(model.text) if isinstance(model, ModelText) else NO_TEXT
    stages = default_steps(options, backend.levels[-1], stages=backend.stages)
    recording, calls = RecordPasses(texts, stages, options), RecordCalls(texts)
    graph, memory = RecordGraph(texts), RecordMemory(texts)
    others = compilation.manager.instrumentations
    if progress is not None:
        others = [TellPasses(partial(progress, "passes"), len(stages)), *others]
    compilation.manager.instrumentations = [recording, calls, graph, memory, *others]
    values: RecordValues | None = None
    results: ResultsOfCode | None = None
    if inputs is not None:
        bind(bound := compilation.module.clone(), arguments.bindings, ctx)
        arrays = ComparedModel(model.file, bound, ctx).inputs_in(inputs)
        document.inputs = inputs.name
        results = ResultsOfCode(compilation, arrays)
        if with_values:
            values = RecordValues(
                inputs.name, arrays, ctx, recording, calls, graph, progress and partial(progress, "values")
            )
            compilation.manager.instrumentations = [recording, calls, graph, memory, values, *others]
    rows: list[KernelNumbers] = []
    if "tensor" in backend.levels:
        compilation.lower("tensor")
        document.calls = calls.calls()
        numbers = ModelNumbers.about(compilation, measure)
        told = partial(progress, "measuring") if progress is not None and measure else None
        rows, whole = numbers.of(numbers.kernels, whole=measure, progress=told)
        if whole is not None:
            document.measured_seconds, document.measured_median = whole.shortest, whole.median
        document.limits, document.sources = (limits_of(numbers), numbers.facts) if rows else (None, "")
        document.kernels = kernel_pages(numbers, rows, texts, document.calls, progress)
    passes_above = len(recording.passes)
    if values is not None:
        document.values = values.finished()
        recording.passes = [replace(run, values=values.by_pass.get(n)) for n, run in enumerate(recording.passes)]
    signature = compilation.lower_fully()
    document.kernels = with_reasons(with_times(document.kernels, rows, recording.removed(passes_above)))
    compilation.finish()
    if isinstance(program := compilation.program(signature), Program):
        reader = LoopReader.of(machine)
        document.simulator, document.no_simulator = reader.words, reader.reason
        document.vector_registers = machine.vector_registers
        document.code = machine_code(
            program, compilation.module, reader, options, texts, progress and partial(progress, "clang")
        )
        document.weights = weight_sizes(program.weights)
        document.artifact = artifact_of(
            compilation, program, progress and partial(progress, "artifact"), results and results.of
        )
    if results is not None:
        document.inputs_digest, document.results = results.inputs_digest, results.found
        document.no_results = results.reason
    document.functions, document.passes = recording.start, recording.passes
    document.graph, document.arenas = with_calls(graph.nodes, document.calls), memory.arenas
    document.remarks = [
        RemarkText(kind, each.message, texts.place_at(each.location), each.kernel or "")
        for kind, told in (("remark", ctx.remarks), ("warning", ctx.warnings))
        for each in dict.fromkeys(told)
    ]
    document.texts, document.places = texts.all_texts(), texts.all_places()
    timed.report()
    return document
