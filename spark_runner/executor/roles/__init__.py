"""What each kind of operator does inside a pass of a bounded run. Shipped to workers.

Door: `table`, which lists the roles by name.
"""
