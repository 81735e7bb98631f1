"""Comparing two versions of a job: which operators are the same, what changed, and what each change costs."""
