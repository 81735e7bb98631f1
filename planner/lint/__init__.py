"""Lint: rules that look at a plan, its baseline or a savepoint, and what people wrote to ignore them.

Door: `engine.lint` and `registry.RULES`. A rule is one file in `rules/` and one line in `registry`.
"""
