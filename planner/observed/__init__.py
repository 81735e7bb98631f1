"""What can be said for certain about a job that only Flink's exports describe.

Door: `loading.load_observed`, then `verdicts`, `drift` and `pressure`.
"""
