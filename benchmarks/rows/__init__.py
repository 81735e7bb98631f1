"""What is measured: one module per group of figures, listed in `benchmarks/registry.py`."""
