"""Schedule templates: one file per kind of kernel, which offers candidates."""
