"""Functions of the math dialect as polynomials: one file per family."""
