"""One module per merge condition of PyFlink.

Door: `planner.merging.registry`, which lists them.
"""
