"""`import mlc.torch` gives mlc.frameworks.torch."""

import sys

from mlc.frameworks import torch

sys.modules[__name__] = torch
