"""A picture of a search: each measured schedule, and the best one so far, over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlc.support.errors import UserError
from mlc.tuning.kernel_search import KernelSearch


def require_picture(path: Path) -> None:
    """Make sure that a picture can be drawn, before there is something to draw.

    Raises:
        UserError: the library is missing, the file is not a PNG, or there is no folder for it.
    """
    try:
        import matplotlib  # noqa: F401  # pyright: ignore[reportUnusedImport, reportMissingImports]
    except ImportError:
        raise UserError("--picture needs matplotlib: pip install 'mlc[tune]'") from None
    if path.suffix != ".png":
        raise UserError(f"found --picture '{path}'; required: the name of a PNG file, such as search.png")
    if not path.parent.is_dir():
        raise UserError(f"cannot write '{path}': the folder '{path.parent}' does not exist")


def draw_picture(kernels: Sequence[KernelSearch], path: Path) -> None:
    """Write a PNG file with a panel for each kernel.

    Raises:
        UserError: it cannot be written.
    """
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(8, 1 + 2.4 * len(kernels)), layout="constrained")
    panels = figure.subplots(len(kernels), 1, squeeze=False, sharex=True)[:, 0]
    for panel, search in zip(panels, kernels, strict=True):
        shown = [trial for trial in search.history if trial.ratio < 3]
        panel.plot([t.at for t in shown], [t.ratio for t in shown], ".", color="0.6", label="measured")
        best = [trial for trial in search.history if trial.is_best]
        end = max((t.at for t in search.history), default=1.0)
        times = [0.0, *(t.at for t in best), end]
        ratios = [1.0, *(t.ratio for t in best)]
        panel.step(times, [*ratios, ratios[-1]], where="post", color="C0", label="best so far")
        panel.axhline(1.0, color="0.8", linewidth=0.8, zorder=0)
        panel.set_title(search.name, loc="left", fontsize=10)
        panel.set_ylabel("time / by the rules")
    panels[0].legend(loc="upper right", fontsize=8)
    panels[-1].set_xlabel("seconds of the search")
    try:
        figure.savefig(path, dpi=120)
    except OSError as e:
        raise UserError(f"cannot write '{path}': {e.strerror or e}") from None
