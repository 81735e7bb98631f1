"""The workers' half of PyFlink jobs: PyFlink's operators, state, windows and conversions. Shipped to workers.

Door: `bounded`, which Spark calls, and `table` (operators by name).
"""
