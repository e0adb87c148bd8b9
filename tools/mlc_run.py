"""Run a model on inputs in a file of safetensors or NumPy, or on an image, and tell how long a call takes. A model is
text, which is compiled first, or a shared library that 'mlc compile' made. Tensors with more rows than the model takes
make several calls; of a model for several shapes, the one runs that needs the fewest. Shapes that the model and --shape
leave open are those of the tensors.
With a --target of another architecture the model runs in an emulator.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from mlc.compiler.backends import backend_of
from mlc.compiler.model_inputs import Array, Calls, choose_calls
from mlc.compiler.native_backend import NativeBackend
from mlc.compiler.recall import Recipe
from mlc.runtime.elf import ARCHIVE_MAGIC, ELF_MAGIC
from mlc.support.cache_folder import make_folder
from mlc.support.dtypes import in_safetensors
from mlc.support.errors import UserError
from mlc.support.model_source import ModelSource
from mlc.targets.cache import Cache, digest
from mlc.targets.machine import resolve_target
from mlc.targets.output import OutputError, staged_output
from mlc.tools.answers import accuracy_of, note_on_nan
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, read_model
from mlc.tools.driver import ArgumentParser, Namespace, check_not_input
from mlc.tools.execution import EmulatedModel, LocalModel, RunnableModel
from mlc.tools.input_file import INPUTS_HELP, InputFile, take_open_shapes
from mlc.tools.mlc_compile import build_artifacts, make_artifacts


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    inputs: str
    outputs: str | None
    check_labels: str | None
    repeat: int | None
    trace: str | None
    output: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: text, a file of ONNX, or a .so")
    add(
        "--inputs",
        required=True,
        metavar="FILE",
        help=INPUTS_HELP,
    )
    add("--outputs", metavar="FILE", help="write the model's outputs to this safetensors file")
    labels = "how often the largest output is the label; labels are in the tensor KEY (labels) of the inputs"
    add("--check-labels", nargs="?", const="labels", metavar="KEY", help=labels)
    add("--repeat", type=int, metavar="N", help="measure N calls (default: half a second)")
    words = "record when kernels run, in a file for chrome://tracing or ui.perfetto.dev (sets --instrument kernels)"
    add("--trace", metavar="FILE", help=words)
    add("-o", dest="output", metavar="FILE", help="keep the compiled model there instead of in the cache")
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile if need be, run, report."""
    args = Arguments(**vars(arguments))
    if args.repeat is not None and args.repeat < 1:
        raise UserError(f"--repeat {args.repeat}: at least 1 is needed")
    for output in (args.outputs, args.output, args.trace):
        if output:
            check_not_input(output, [args.model, args.inputs])
    is_library = args.model.endswith(".so") or _is_elf(args.model)
    if is_library and (ignored := [*args.given(), *(["-o"] if args.output else [])]):
        verb = "do" if len(ignored) > 1 else "does"
        raise UserError(
            f"'{args.model}' is compiled already: {' and '.join(ignored)} {verb} not apply to it; leave out what is "
            "for compiling, or give the model's text"
        )
    if args.trace and not is_library:
        args.chosen["instrument"] = "kernels"
    inputs = InputFile.open(args.inputs)
    labels = inputs.take(args.check_labels) if args.check_labels else None
    if args.check_labels and labels is None:
        raise UserError(f"'{args.inputs}' has no tensor '{args.check_labels}' to compare with")
    with ExitStack() as files:
        variants = LocalModel.open(Path(args.model), NativeBackend()) if is_library else _compile(args, files, inputs)
        tensors = inputs.tensors([model.inputs for model in variants])
        _run(variants, tensors, labels, args, is_library)
    if (path := variants[0].path).exists():
        print(f"artifact: {path}")


def _run(
    variants: Sequence[RunnableModel],
    tensors: Mapping[str, Array],
    labels: Array | None,
    args: Arguments,
    is_library: bool,
) -> None:
    """Call the model, for the shapes that it is given, and report."""
    number, calls = choose_calls(tensors, [model.inputs for model in variants], args.inputs)
    model = variants[number]
    outputs = model.run(calls)
    for info, output in zip(model.outputs, outputs, strict=True):
        if (note := note_on_nan(info.name, output)) is not None:
            print(note, file=sys.stderr)
    if labels is not None:
        accuracy, notes = accuracy_of(outputs[0], labels)
        print(accuracy)
        for note in notes:
            print(note, file=sys.stderr)
    if args.outputs:
        _save({info.name: o for info, o in zip(model.outputs, outputs, strict=True)}, calls, Path(args.outputs))
        if Path(args.outputs).suffix != ".safetensors":
            print(f"note: wrote '{args.outputs}' in the format safetensors", file=sys.stderr)
    if args.trace:
        _write_trace(model, calls, args, is_library)
    print(model.latency(calls, args.repeat))


def _write_trace(model: RunnableModel, calls: Calls, args: Arguments, is_library: bool) -> None:
    """Run all calls again, and write when kernels ran, with what is known of a model that is no library."""
    from mlc.syntax.words import counted
    from mlc.tools.kernel_trace import kernel_facts

    assert args.trace is not None
    recorded = model.trace(calls)
    if not is_library and not args.bindings:
        recorded.about = kernel_facts(read_model(args.model, args), args)
    try:
        recorded.save(args.trace)
    except OSError as e:
        raise UserError(f"cannot write '{args.trace}': {e.strerror}") from None
    lost = f", {recorded.lost} found no room" if recorded.lost else ""
    print(f"trace: {args.trace}, {counted(len(recorded.spans), 'event')} of {counted(calls.count, 'call')}{lost}")


def _is_elf(model: str) -> bool:
    """Whether a compiler made the file: what is wrong with it then is told by what loads it."""
    try:
        with Path(model).open("rb") as file:
            return file.read(8).startswith((ELF_MAGIC, ARCHIVE_MAGIC))
    except OSError:
        return False


def _compile(args: Arguments, files: ExitStack, inputs: InputFile) -> Sequence[RunnableModel]:
    """Compile into the file that was asked for, else into the cache, else, if that cannot be written, into one of
    `files`, which are gone after the run. Shapes that nobody gives are those of `inputs`.
    """
    source = read_model(args.model, args)
    take_open_shapes(inputs, source, args)
    if args.output:
        return _compile_to(Path(args.output), source, args)
    cache = Cache.default()
    path = cache.folder / "run" / _artifact_name(args)
    try:
        make_folder(cache.folder, "run")
        with TemporaryFile(dir=path.parent):
            is_new = not path.exists()
        model = _compile_to(path, source, args)
    except (OSError, OutputError) as e:
        print(f"note: nothing is kept in the cache '{path.parent}': {_reason(e)}", file=sys.stderr)
        folder = files.enter_context(TemporaryDirectory(prefix="mlc-"))
        return _compile_to(Path(folder) / path.name, source, args)
    if is_new:
        cache.trim()
    return model


def _compile_to(path: Path, source: ModelSource, args: Arguments) -> Sequence[RunnableModel]:
    """Make the artifact `path`, and open it: the model, for each of its shapes.

    Raises:
        OutputError: `path` cannot be written.
        UserError: the model is wrong, or there is no usable clang.
    """
    machine = resolve_target(args.options.target)
    backend = backend_of(machine)
    outputs = [output for output in (args.output, args.outputs) if output]
    if backend.runs_here(machine):
        make_artifacts(source, {path: backend.runnable}, args, outputs)
        return LocalModel.open(path, backend)
    args.bindings.require_single("a program for another machine")
    signatures = build_artifacts(source, {path: Recipe(source, args.options, "exe")}, args, outputs, {})
    return [EmulatedModel(path, machine.arch, signatures[0])]


def _artifact_name(args: Arguments) -> str:
    """Another name for each model and each choice of options: another process may just be going to load what it
    compiled, or somebody to use what an earlier run named."""
    machine = resolve_target(args.options.target)
    backend = backend_of(machine)
    suffix = backend.suffix if backend.runs_here(machine) else ""
    plugins = repr([args.load_dialect, args.load_pass, args.irdl_file])
    options = args.options
    others = *options.identity, options.cc or "", options.records or "", plugins
    rest = digest(str(Path(args.model).absolute()), *others)[:8]
    return f"{Path(args.model).stem}-{options.target}-O{options.opt_level}-threads{options.threads}-{rest}{suffix}"


def _reason(error: Exception) -> str:
    if isinstance(error, UserError):
        return error.message
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _save(outputs: dict[str, Array], calls: Calls, path: Path) -> None:
    """Write outputs [calls, ...] with the calls told apart as they were in the inputs."""
    from safetensors.numpy import save  # pyright: ignore[reportUnknownVariableType]

    if not calls.stacked:
        joined = {name: (o.shape[0] * o.shape[1], *o.shape[2:]) for name, o in outputs.items() if o.ndim > 1}
        outputs = {name: o.reshape(joined.get(name, o.shape)) for name, o in outputs.items()}
    with staged_output(path) as staged:
        held = {name: in_safetensors(o) for name, o in outputs.items()}
        staged.write_bytes(save(held))  # save_file would leave a file that only its owner may read
