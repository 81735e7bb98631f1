"""Measurements: every figure a ratio of two things measured side by side, in one run, on one machine."""
