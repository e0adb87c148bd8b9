"""From a file of GGUF to graph ops, by its architecture."""
