"""Comparing two versions of a job: which operators are the same, what changed, and what each change costs.

Door: `comparison.compare`, `changes.find_changes` and `versions.load_version`.
"""
