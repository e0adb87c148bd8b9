"""mlc inside of other frameworks: `mlc.torch` and `mlc.jax`."""
