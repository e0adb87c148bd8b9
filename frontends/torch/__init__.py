"""Graphs of PyTorch: those of `torch.compile` and of `torch.export`."""

SUFFIX = "pt2"
