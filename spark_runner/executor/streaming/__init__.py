"""The workers' half of streaming runs: subtasks, event time, keyed state, windows, exits. Shipped to workers.

Door: `layers` and `slots`, which Spark calls; `layout` (the job as workers get it) and `table` (operators by name).
"""
