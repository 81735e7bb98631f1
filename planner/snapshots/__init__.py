"""A plan reduced to what versions are compared by, and the lock file of such plans.

Door: `snapshot.take_snapshot`, `baseline_file.load_baseline` and `baseline_update.update_baseline`.
"""
