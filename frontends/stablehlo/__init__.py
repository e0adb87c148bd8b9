"""StableHLO, which JAX writes."""
