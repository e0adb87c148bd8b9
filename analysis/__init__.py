"""What is true of loops and kernels: facts that passes, schedules and costs ask for."""
