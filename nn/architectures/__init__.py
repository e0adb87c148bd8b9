"""Architectures of language models, one file each, found by the name that files of GGUF give them."""
