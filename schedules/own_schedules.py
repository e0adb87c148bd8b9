"""What becomes of a schedule that mlc's own rules wrote and that turns out to be wrong.

No model is refused for it: a step that cannot be carried out is left out, with a remark, or another candidate is taken.
But it is a mistake of mlc. Tests set `MLC_STRICT_SCHEDULES` and get an error, as a person does for a schedule of their
own.
"""

from __future__ import annotations

import os

STRICT = "MLC_STRICT_SCHEDULES"
"""The environment variable: if it is set, and not empty, a mistake in a schedule of mlc's own is an error."""


def is_strict() -> bool:
    """Whether a mistake in a schedule of mlc's own is an error."""
    return bool(os.environ.get(STRICT))
