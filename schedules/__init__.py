"""Schedules: their steps, the templates that choose them, and what loops cost."""
