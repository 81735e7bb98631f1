"""Reads what Flink itself says about a job: stream plans, job plans, REST answers, and the text printed around them.

Door: `planner.observed.loading`, which chooses the reader.
"""
