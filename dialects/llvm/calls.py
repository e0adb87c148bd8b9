"""What upstream requires of calls."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from mlc.support.requirements import requires


@requires(llvm.CallOp)
def calls_fit_their_function(op: llvm.CallOp) -> None:
    """Arguments and results are those of the function that is called; of one with variadic arguments, the call says the
    type.
    """
    callee = None if op.callee is None else SymbolTable.lookup_symbol(op, op.callee)
    kind = callee.function_type if isinstance(callee, llvm.FuncOp) else op.var_callee_type
    if kind is None:
        return
    name = f"@{op.callee.string_value()}" if op.callee is not None else "the pointer"
    if kind.is_variadic and op.var_callee_type is None:
        raise VerifyException(f"llvm.call: {name} has variadic arguments, so the call needs vararg(!llvm.func<…>)")
    given, wanted = _arguments(op), kind.inputs.data
    if len(given) < len(wanted) or (len(given) > len(wanted) and not kind.is_variadic):
        at_least = "at least " if kind.is_variadic else ""
        raise VerifyException(
            f"llvm.call: the number of arguments is {len(given)}, but {name} takes {at_least}{len(wanted)}"
        )
    for index, (found, required) in enumerate(zip(given, wanted, strict=False)):
        if found != required:
            raise VerifyException(f"llvm.call: argument {index} is of type {found}, but {name} takes {required}")
    _check_result(op, kind.output, name)


def _arguments(op: llvm.CallOp) -> Sequence[Attribute]:
    """The types of the arguments; the pointer before them is what an indirect call calls."""
    types = [argument.type for argument in op.args]
    return types if op.callee is not None else types[1:]


def _check_result(op: llvm.CallOp, required: Attribute, name: str) -> None:
    found = None if op.returned is None else op.returned.type
    if isinstance(required, llvm.LLVMVoidType):
        if found is not None:
            raise VerifyException(f"llvm.call: a result of type {found}, but {name} returns nothing")
    elif found is None:
        raise VerifyException(f"llvm.call: no result, but {name} returns {required}")
    elif found != required:
        raise VerifyException(f"llvm.call: a result of type {found}, but {name} returns {required}")
