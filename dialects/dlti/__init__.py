"""The dlti dialect, data layouts of modules: xDSL's, with lists in the form that upstream has in LLVM 19."""

from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.dlti import DLTI as _Upstream
from xdsl.dialects.dlti import DataLayoutEntryAttr, DLTIEntryMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from mlc.dialects.upstream import completed


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


@irdl_attr_definition(init=False)
class TargetDeviceSpecAttr(_Entries):
    """Facts about one device of a target."""

    name = "dlti.target_device_spec"


DLTI = completed(_Upstream, [], [DataLayoutSpecAttr, TargetDeviceSpecAttr])

__all__ = ["DLTI", "DataLayoutEntryAttr", "DataLayoutSpecAttr", "TargetDeviceSpecAttr"]
