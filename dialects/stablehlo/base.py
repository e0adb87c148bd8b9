"""How ops of StableHLO are declared: a line per op, which says what it takes, how it is written, and what it requires.

Most of the 130 ops differ in nothing else, so that a table of lines says more than as many classes. Each line makes a
class of the frame that xDSL has for all ops; `hlo("dot_general")` is that class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Block, Operation
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import CustomDirective
from xdsl.traits import OpTrait, Pure

from mlc.dialects.stablehlo import directives

I64 = IntegerAttr.constr(i64)
I32 = IntegerAttr.constr(i32)
BOOL = IntegerAttr.constr(i1)
I64S = DenseArrayBase.constr(i64)
BOOLS = DenseArrayBase.constr(i1)
TEXT = BaseAttr(StringAttr)
ARRAY = BaseAttr(ArrayAttr)
DENSE = BaseAttr(DenseIntOrFPElementsAttr)
SYMBOL = BaseAttr(SymbolRefAttr)
UNIT = BaseAttr(UnitAttr)
ANY = AnyAttr()

Requirement = Callable[["HloOp"], None]
"""Checks what the specification requires of an op.

Raises:
    VerifyException: it does not hold; the message ends in the number of the constraint.
"""


class HloOp(IRDLOperation):
    """An op of StableHLO or of CHLO."""

    RULES: ClassVar[tuple[Requirement, ...]] = ()
    COMMUTATIVE: ClassVar[bool] = False
    """Whether it gives the same for exchanged operands; a reduction by such an op has a short form."""
    POINTWISE: ClassVar[bool] = False
    """Whether elements are computed one by one, so that the op means for an array what it means for a number."""

    def verify_(self) -> None:
        for rule in self.RULES:
            rule(self)

    @classmethod
    def mnemonic(cls) -> str:
        """The name without the dialect's."""
        return cls.name.partition(".")[2]

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        """A property that is a list of integers or of truth values; `default` if it is not there."""
        found = self.properties.get(name)
        return tuple(default) if found is None else tuple(map(int, cast("DenseArrayBase[Any]", found).get_values()))

    def number(self, name: str, default: int = 0) -> int:
        """A property that is an integer or a truth value; `default` if it is not there."""
        found = self.properties.get(name)
        return default if found is None else int(cast("IntegerAttr[Any]", found).value.data)

    def word(self, name: str, default: str = "") -> str:
        """A property that is one of an enumeration or a string; `default` if it is not there."""
        found = self.properties.get(name)
        return default if found is None else str(cast(Any, found).data)

    def pairs(self, name: str) -> tuple[tuple[int, int], ...]:
        """A property that is a matrix of two columns, such as padding; empty if it is not there."""
        found = self.properties.get(name)
        if found is None:
            return ()
        data = cast("DenseIntOrFPElementsAttr[Any]", found)
        flat = [int(v) for v in data.get_values()]
        rows: int = cast(Any, data.get_type()).get_shape()[0]
        flat = flat * 2 * rows if len(flat) == 1 else flat  # a number for all
        return tuple(zip(flat[::2], flat[1::2], strict=True))

    def body(self, index: int = 0) -> Block:
        """The block of a region."""
        return self.regions[index].block


_OPS: dict[str, type[HloOp]] = {}


def hlo(mnemonic: str, dialect: str = "stablehlo") -> type[HloOp]:
    """The class of an op, by its name without the dialect's.

    ```python
    @lowers("convert-stablehlo-to-graph", hlo("dot_general"))
    ```

    Raises:
        KeyError: there is no such op.
    """
    return _OPS[f"{dialect}.{mnemonic}"]


def declare(
    mnemonic: str,
    form: str = "",
    operands: str = "operand",
    results: str = "result",
    properties: Mapping[str, AttrConstraint] | None = None,
    optional: Mapping[str, AttrConstraint] | None = None,
    regions: str = "",
    rules: Sequence[Requirement] = (),
    traits: Sequence[OpTrait] = (Pure(),),
    dialect: str = "stablehlo",
    base: type[HloOp] = HloOp,
    **facts: bool,
) -> type[HloOp]:
    """Make the class of an op.

    Args:
        form: how it is written, as in `assembly_format`; nothing if it only has the generic form.
        operands: their names; `*name` is any number of them, `?name` one or none. So for results and regions.
        facts: of the class, such as `POINTWISE`.
    """
    name = f"{dialect}.{mnemonic}"
    made: dict[str, Any] = {"name": name, "RULES": tuple(rules), "__module__": __name__, **facts}
    made["__doc__"] = f"`{name}`, as the specification of StableHLO describes it."
    made["__annotations__"] = {"RULES": ClassVar[Any], **dict.fromkeys(facts, ClassVar[bool])}
    kinds: list[tuple[str, dict[str, Any]]] = [
        (operands, {"": operand_def, "*": var_operand_def, "?": opt_operand_def}),
        (results, {"": result_def, "*": var_result_def, "?": opt_result_def}),
        (regions, {"": region_def, "*": var_region_def, "?": var_region_def}),
    ]
    for names, kind in kinds:
        for part in names.split():
            count = part[0] if part[0] in "*?" else ""
            made[part.removeprefix(count)] = kind[count]()
    made |= {n: prop_def(constraint) for n, constraint in (properties or {}).items()}
    made |= {n: opt_prop_def(constraint) for n, constraint in (optional or {}).items()}
    if form:
        made["assembly_format"] = form
        made["irdl_options"] = (ParsePropInAttrDict(),)
        made["custom_directives"] = cast("tuple[type[CustomDirective], ...]", directives.ALL)
    made["traits"] = traits_def(*traits)
    title = "".join(word.capitalize() for word in mnemonic.split("_"))
    made_class = irdl_op_definition(cast(Any, type(f"{title}Op", (base,), made)))
    _OPS[name] = made_class
    return made_class


def operations(dialect: str) -> list[type[Operation]]:
    """The ops of a dialect, in the order in which they were declared."""
    return [op for name, op in _OPS.items() if name.startswith(f"{dialect}.")]
