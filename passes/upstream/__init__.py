"""To the dialects of upstream MLIR."""
