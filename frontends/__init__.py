"""Where models come from: each folder reads one kind of file into the dialect of its name, and decides nothing."""
