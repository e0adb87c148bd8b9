"""What upstream requires of globals of LLVM, of the ops that take their address, and of functions."""

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.llvm import AddressOfOp, AllocaOp, FuncOp, GlobalOp, LLVMArrayType, LoadOp, ReturnOp, StoreOp
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.llvm.kept import LabelType, TargetType
from mlc.support.requirements import requires

_EXTERNAL = ("external", "extern_weak")


@requires(GlobalOp)
def place_and_numbers_of_a_global(op: GlobalOp) -> None:
    """A global stands in a table of symbols; its alignment and its address space are numbers that mean something."""
    if (outer := op.parent_op()) is not None and not outer.has_trait(SymbolTable):
        raise VerifyException(f"{op.name}: stands in '{outer.name}', which has no symbols; it belongs into a module")
    if op.alignment is not None and op.alignment.value.data.bit_count() != 1:
        raise VerifyException(f"{op.name}: the alignment is a power of 2, got {op.alignment.value.data}")
    if not isinstance(op.addr_space.type, IntegerType) or op.addr_space.value.data < 0:
        raise VerifyException(f"{op.name}: the address space is an integer from 0, got {op.addr_space}")
    if isinstance(op.global_type, LabelType):
        raise VerifyException(f"{op.name}: a value of type {op.global_type} cannot be stored")


@requires(GlobalOp)
def value_of_a_global(op: GlobalOp) -> None:
    """What a global holds has its type, and stands at one place."""
    kind, value = op.global_type, op.value
    if isinstance(value, StringAttr):
        size = len(value.data.encode())
        if not isinstance(kind, LLVMArrayType) or kind.size.data != size or kind.type != IntegerType(8):
            raise VerifyException(f"{op.name}: the string is an !llvm.array<{size} x i8>, got {kind}")
    if isinstance(kind, TargetType) and value is not None:
        raise VerifyException(f"{op.name}: a value of type {kind} is made by llvm.mlir.zero in the region")
    if op.body.blocks:
        _check_initializer(op)
    linkage = op.linkage.linkage.data
    if linkage == "common" and value is not None and not _is_zero(value):
        raise VerifyException(f"{op.name}: with 'common' linkage the value is zero, got {value}")
    if linkage == "appending" and not isinstance(kind, LLVMArrayType):
        raise VerifyException(f"{op.name}: with 'appending' linkage it is an array, got {kind}")


def _check_initializer(op: GlobalOp) -> None:
    if op.value is not None:
        raise VerifyException(f"{op.name}: has a value and a region; only one of both may say what it holds")
    for inner in op.body.walk():
        if isinstance(inner, LoadOp | StoreOp | AllocaOp | func.CallOp):
            raise VerifyException(f"{op.name}: '{inner.name}' has effects; the region may only make a value")
        if isinstance(inner, ReturnOp) and inner.parent_op() is op:
            found = inner.arg.type if inner.arg is not None else None
            if found != op.global_type:
                raise VerifyException(
                    f"{op.name}: the region returns {found or 'nothing'}, the type is {op.global_type}"
                )


def _is_zero(value: Attribute) -> bool:
    match value:
        case IntegerAttr() | FloatAttr():
            return value.value.data == 0
        case DenseIntOrFPElementsAttr():
            return not any(value.get_values())
        case _:
            return False


@requires(AddressOfOp)
def address_of_what_is_there(op: AddressOfOp) -> None:
    """The symbol is a global or a function of LLVM, and the pointer is one into its address space."""
    if (outer := _around_symbols(op)) is None:
        return
    name = op.global_name
    found = SymbolTable.lookup_symbol(outer, name)
    if not isinstance(found, GlobalOp | FuncOp):
        raise VerifyException(f"{op.name}: '@{name.string_value()}' is neither an llvm.mlir.global nor an llvm.func")
    space = 0 if isinstance(op.result.type.addr_space, NoneAttr) else op.result.type.addr_space.data
    required = found.addr_space.value.data if isinstance(found, GlobalOp) else 0
    if space != required:
        raise VerifyException(
            f"{op.name}: '@{name.string_value()}' is in address space {required}, the pointer is for {space}"
        )


def _around_symbols(op: Operation) -> Operation | None:
    """The op around that has symbols, if the IR is complete enough to have one."""
    outer = op.parent_op()
    while outer is not None and not outer.has_trait(SymbolTable):
        outer = outer.parent_op()
    return outer


@requires(FuncOp)
def linkage_of_a_function(op: FuncOp) -> None:
    """A function without a body is somewhere else; none is merged with others of its name as a global is."""
    linkage = op.linkage.linkage.data
    if linkage in ("common", "appending"):
        raise VerifyException(f"{op.name}: a function has no '{linkage}' linkage, only a global may have it")
    if not op.body.blocks and linkage not in _EXTERNAL:
        raise VerifyException(
            f"{op.name}: it has no body; required is linkage {' or '.join(_EXTERNAL)}, got '{linkage}'"
        )


@requires(FuncOp)
def inlining_of_a_function(op: FuncOp) -> None:
    """What is said about inlining does not contradict itself."""
    said = {name for name, value in (op.properties | op.attributes).items() if isinstance(value, UnitAttr)}
    if {"no_inline", "always_inline"} <= said:
        raise VerifyException(f"{op.name}: 'no_inline' and 'always_inline' contradict each other")
    if "optimize_none" in said and "no_inline" not in said:
        raise VerifyException(f"{op.name}: with 'optimize_none' it also needs 'no_inline'")


@requires(func.FuncOp)
def kernels_are_functions_of_llvm(op: func.FuncOp) -> None:
    """Attributes for kernels of GPUs mean nothing before a function is one of LLVM."""
    for name in ("nvvm.kernel", "rocdl.kernel"):
        if name in op.attributes:
            raise VerifyException(f"{op.name}: '{name}' is an attribute of llvm.func")


@requires(FuncOp)
def constant_arguments_of_kernels(op: FuncOp) -> None:
    """`nvvm.grid_constant` stands at what a kernel gets by value."""
    for attributes in op.arg_attrs or ():
        value = attributes.data.get("nvvm.grid_constant")
        if value is None:
            continue
        if not isinstance(value, UnitAttr):
            raise VerifyException(f"{op.name}: 'nvvm.grid_constant' has no value, got {value}")
        if "nvvm.kernel" not in op.attributes:
            raise VerifyException(f"{op.name}: 'nvvm.grid_constant' is an attribute of arguments of kernels")
        if "llvm.byval" not in attributes.data:
            raise VerifyException(f"{op.name}: 'nvvm.grid_constant' needs 'llvm.byval' beside it")
