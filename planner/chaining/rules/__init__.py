"""One module per chaining condition: what it finds, what it says where it holds, its remedy, and its page.

Door: `planner.chaining.registry`, which lists them.
"""
