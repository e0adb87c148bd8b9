"""Text to IR and back."""

from mlc.syntax.parse import parse_module
from mlc.syntax.printing import print_module
from mlc.syntax.verify import verify_module

__all__ = ["parse_module", "print_module", "verify_module"]
