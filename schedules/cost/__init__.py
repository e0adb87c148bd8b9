"""What loops cost on a machine, told from the loops themselves: of any schedule, of any step."""
