"""Modules that are built in Python, op by op, in words that read like their text."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from mlc import api
from mlc.compiler.compilation import new_context
from mlc.frontends.operators.graph_builder import constant_of_array
from mlc.pass_manager.registry import suggest
from mlc.support.context import CompilerContext
from mlc.support.dtypes import from_numpy
from mlc.support.errors import UserError
from mlc.support.ir import symbols_in
from mlc.syntax import parse_module, verify_module
from mlc.tools.module_view import ModuleView, view

ValueOrArray = SSAValue | NDArray[Any]


def new_module() -> BuiltModule:
    """An empty module, for functions that are built in Python.

    ```python
    graph = mlc.new_module()
    with graph.function("main", x="4x8xf32", w="8x3xf32") as f:
        y = f.graph.matmul(f.x, f.w)
        f.returns(f.graph.relu(y))
    model = mlc.compile(graph.module)
    ```
    """
    return BuiltModule()


class BuiltModule:
    """A module that grows by a function at a time."""

    def __init__(self) -> None:
        self.ctx: CompilerContext = new_context()
        self.module = ModuleOp([])
        """What `mlc.compile` takes; it knows the arrays that became constants."""
        api.know(self.module, self.ctx)

    @contextmanager
    def function(
        self, name: str, inputs: Sequence[tuple[str, str | Attribute]] = (), /, *, private: bool = False, **more: Any
    ) -> Generator[BuiltFunction]:
        """A function that is built inside of a `with`; if that fails, the module stays as it was.

        Args:
            name: of the function.
            inputs: names and types, for names that are not those of Python.
            private: whether only functions of the module may call it.
            more: types by name, as text (`"4x8xf32"`, `"tensor<4x8xf32>"`, `"memref<8xf32>"`, `"f32"`) or attributes.

        Raises:
            UserError: a type is none, there is a function of that name, nothing says what is returned, or the
                function is not valid.
        """
        if any(isinstance(op, FuncOp) and op.sym_name.data == name for op in self.module.ops):
            raise UserError(f"there is a function '{name}' already")
        named = [*inputs, *more.items()]
        if twice := next((n for i, (n, _) in enumerate(named) if n in [each for each, _ in named[:i]]), None):
            raise UserError(f"function '{name}' has two inputs '{twice}'")
        types = [_type(each, text, self.ctx) for each, text in named]
        function = BuiltFunction(self, name, dict(zip([each for each, _ in named], types, strict=True)))
        yield function
        built = function.finished(private)
        self.module.body.block.add_op(built)
        try:
            verify_module(self.module)
        except UserError:
            built.detach()
            raise

    def view(self) -> ModuleView:
        """The module as notebooks show it."""
        return view(self.module)

    def __repr__(self) -> str:
        return self.view().text


class BuiltFunction:
    """A function that is being built: its inputs and the dialects are attributes, ops are calls.

    `f.graph.matmul(f.x, f.w)` makes `graph.matmul` by the constructor of its class, and gives its result; of an op of
    several results a tuple, of one without results the op. Arrays of NumPy become constants. `f["x"]` is the input `x`,
    also where a dialect has that name.
    """

    def __init__(self, built: BuiltModule, name: str, inputs: dict[str, Attribute]) -> None:
        self.ctx, self._name, self._module = built.ctx, name, built.module
        self._block = Block(arg_types=list(inputs.values()))
        self._inputs: dict[str, SSAValue] = dict(zip(inputs, self._block.args, strict=True))
        for each, value in self._inputs.items():
            value.name_hint = each if SSAValue.is_valid_name(each) else None
        self._results: tuple[SSAValue, ...] | None = None

    def __getitem__(self, name: str) -> SSAValue:
        """The input of that name.

        Raises:
            KeyError: there is none.
        """
        return self._inputs[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._inputs:
            return self._inputs[name]
        if self.ctx.get_optional_dialect(name) is None:
            known = [*self._inputs, *(each.name for each in self.ctx.loaded_dialects)]
            raise AttributeError(f"function '{self._name}' has no input and no dialect '{name}'{suggest(name, known)}")
        return _DialectWriter(self, name)

    def constant(self, data: Any, name: str = "constant") -> SSAValue:
        """An array, or what NumPy makes one of, as a constant: large ones are weights of that name. Python's floats are
        f32, its integers i64.
        """
        array = np.asarray(data)
        if not isinstance(data, np.ndarray | np.generic) and array.dtype.kind in "if":
            array = array.astype(np.float32 if array.dtype.kind == "f" else np.int64)
        try:
            element = from_numpy(array.dtype)
        except (KeyError, UserError):
            raise UserError(f"an array of {array.dtype} is not a constant; mlc has no such elements") from None
        array = np.array(array, order="C")  # it may change afterwards
        op = constant_of_array(array, element, self.ctx.resources, name)
        self._add(op)
        return op.result

    def call(
        self, function: str, operands: Sequence[ValueOrArray] = (), types: Sequence[str | Attribute] | None = None
    ) -> Any:
        """A call of another function, of the module or one that is built later, with the types of its results: those
        of a function of the module need not be given.

        Raises:
            UserError: types are not given, and the module has no such function.
        """
        known = {op.sym_name.data: op.function_type.outputs.data for op in self._module.ops if isinstance(op, FuncOp)}
        if (types := known.get(function) if types is None else types) is None:
            words = f"the module has no function '{function}'{suggest(function, [*known])}"
            raise UserError(f"{words}; required: one that it has, or the types of results")
        results = [_type(f"result {n}", text, self.ctx) for n, text in enumerate(types)]
        op = CallOp(function, [self._operand(each) for each in operands], results)
        self._add(op)
        return _results_of(op)

    def write(self, kind: type[Operation], *operands: Any, **options: Any) -> Any:
        """An op of a class, by its constructor; arrays among the arguments become constants.

        Raises:
            UserError: it is not valid.
        """
        given = [self._operand(each) for each in operands]
        named = {key: self._operand(each) for key, each in options.items()}
        try:
            op = cast(Any, kind)(*given, **named)
        except VerifyException as e:
            raise _invalid(kind.name, e) from None
        self._add(op)
        return _results_of(op)

    def returns(self, *values: ValueOrArray) -> None:
        """What the function returns; nothing comes after it.

        Raises:
            UserError: that was said before.
        """
        if self._results is not None:
            raise UserError(f"function '{self._name}' has returned already")
        self._results = tuple(cast(SSAValue, self._operand(each)) for each in values)

    def _operand(self, given: Any) -> Any:
        """Arrays as constants, also in lists; all else as it is."""
        if isinstance(given, np.ndarray):
            return self.constant(given)
        return [self._operand(each) for each in cast(list[Any], given)] if isinstance(given, list) else given

    def _add(self, op: Operation) -> None:
        if self._results is not None:
            raise UserError(f"'{op.name}' comes after what function '{self._name}' returns")
        try:
            if not any(symbols_in(op)):  # these are looked up once the function is there
                op.verify(verify_nested_ops=True)
        except VerifyException as e:
            raise _invalid(op.name, e) from None
        self._block.add_op(op)

    def finished(self, private: bool) -> FuncOp:
        """The function, once all of it was said.

        Raises:
            UserError: nothing says what it returns.
        """
        if self._results is None:
            raise UserError(f"function '{self._name}' does not end; required: returns(), with results if it has any")
        self._block.add_op(ReturnOp(*self._results))
        inputs, outputs = ([value.type for value in values] for values in (self._block.args, self._results))
        kind = FunctionType.from_lists(cast(Any, inputs), cast(Any, outputs))
        return FuncOp(self._name, kind, Region(self._block), "private" if private else None)


class _DialectWriter:
    """The ops of a dialect, as functions that add one."""

    def __init__(self, function: BuiltFunction, dialect: str) -> None:
        self._function, self._dialect = function, dialect

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # An op whose name is a keyword of Python has an underscore behind it: `f.tensor.if_`.
        kind = self._function.ctx.get_optional_op(f"{self._dialect}.{name.rstrip('_')}")
        if kind is None:
            raise AttributeError(f"dialect '{self._dialect}' has no op '{name}'{suggest(name, dir(self))}")
        return partial(self._function.write, kind)

    def __dir__(self) -> list[str]:
        dialect = self._function.ctx.get_optional_dialect(self._dialect)
        return [each.name.partition(".")[2] for each in (dialect.operations if dialect else ())]


def _invalid(op: str, error: VerifyException) -> UserError:
    words = str(error)
    return UserError(words if words.startswith(op) else f"'{op}': {words}")


def _results_of(op: Operation) -> Any:
    results = tuple(op.results)
    return op if not results else results[0] if len(results) == 1 else results


def _type(name: str, text: str | Attribute, ctx: CompilerContext) -> Attribute:
    """A type from its text, of which `tensor<…>` may be left out.

    Raises:
        UserError: it is none.
    """
    if isinstance(text, Attribute):
        return text
    first = text[:1].isdigit() and "x" in text
    spelled = f"tensor<{text}>" if first or text[:2] == "?x" else text
    try:
        module = parse_module(f"func.func private @of({spelled})", "<type>", ctx)
    except UserError as e:
        raise UserError(f"'{name}' has the type '{text}': {e.message}") from None
    (function,) = module.ops
    inputs = cast(FuncOp, function).function_type.inputs.data
    if len(inputs) != 1 or not isinstance(inputs[0], TypeAttribute):
        raise UserError(f"'{name}' has the type '{text}'; required: one type, such as '4x8xf32'")
    return inputs[0]
