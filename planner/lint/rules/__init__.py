"""One module per lint rule; its docstring is its page.

Door: `planner.lint.registry`, which lists them.
"""
