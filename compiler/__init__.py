"""From a model to an artifact: options, compilation, code generation, recall."""
