"""Measurements of mlc: the code that it makes beside its peers (`python -m benchmarks`), and its text language."""
