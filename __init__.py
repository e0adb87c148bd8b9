"""mlc: a machine-learning compiler from model text to native code."""
