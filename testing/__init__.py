"""What tests of the compiler and tests of plugins share."""
