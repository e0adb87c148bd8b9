"""The dlti dialect, data layouts of modules: xDSL's, with lists in the form that upstream has in LLVM 19."""

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, IntegerType, i64
from xdsl.dialects.dlti import DLTI as _Upstream
from xdsl.dialects.dlti import DataLayoutEntryAttr, DLTIEntryMap
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import completed

_Dense = DenseIntOrFPElementsAttr


class _Entries(DLTIEntryMap):
    """A list of entries; no key stands twice."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[ArrayAttr[DataLayoutEntryAttr]]:
        """`<#dlti.dl_entry<"a", 1 : i32>, "b" = 2 : i32>`: the second form is that of later versions."""

        def entry() -> DataLayoutEntryAttr:
            key = parser.parse_attribute()
            if isinstance(key, DataLayoutEntryAttr):
                return key
            parser.parse_punctuation("=")
            return DataLayoutEntryAttr.new((key, parser.parse_attribute()))

        return (ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, entry)),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.entries.data, printer.print_attribute)


@irdl_attr_definition(init=False)
class DataLayoutSpecAttr(_Entries):
    """Sizes and alignments of types, and facts about memory.

    ```mlir
    module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<i64, dense<[32, 64]> : vector<2xi64>>>} {
    }
    ```
    """

    name = "dlti.dl_spec"

    def verify(self) -> None:
        super().verify()
        for entry in self.entries.data:
            if isinstance(entry.key, LLVMPointerType):
                _check_sizes(entry, (3, 4))
            elif isinstance(entry.key, LLVMStructType):
                if entry.key.types.data or entry.key.struct_name.data:
                    raise VerifyException(f"found an entry for {entry.key}; all structs share that of !llvm.struct<()>")
                _check_sizes(entry, (1, 2))


def _check_sizes(entry: DataLayoutEntryAttr, counts: tuple[int, int]) -> None:
    """Numbers of bits: perhaps a size, the least alignment, the preferred one, perhaps the width of an index."""
    value = entry.value
    found = cast("DenseIntOrFPElementsAttr[IntegerType] | None", value if isinstance(value, _Dense) else None)
    numbers = [int(n) for n in found.get_values()] if found is not None and found.get_element_type() == i64 else []
    if len(numbers) not in counts:
        words = f"{counts[0]} or {counts[1]} numbers of type i64"
        raise VerifyException(f"the layout of {entry.key} is dense<...> of {words}, got {value}")
    least = counts[0] // 2
    if len(numbers) > least + 1 and numbers[least + 1] < numbers[least]:
        raise VerifyException(
            f"the preferred alignment of {entry.key} is {numbers[least + 1]}, less than the required {numbers[least]}"
        )


@irdl_attr_definition(init=False)
class TargetDeviceSpecAttr(_Entries):
    """Facts about one device of a target."""

    name = "dlti.target_device_spec"


DLTI = completed(_Upstream, [], [DataLayoutSpecAttr, TargetDeviceSpecAttr])

__all__ = ["DLTI", "DataLayoutEntryAttr", "DataLayoutSpecAttr", "TargetDeviceSpecAttr"]
