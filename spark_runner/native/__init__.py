"""Compiles simple Python functions to Spark SQL, or says why they stay in Python. The door: `compilation`."""
