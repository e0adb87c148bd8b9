"""The executable meaning of every op, in NumPy, one module per dialect."""
