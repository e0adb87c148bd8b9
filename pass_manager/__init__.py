"""What passes are, how they are found, run, checked and printed."""
