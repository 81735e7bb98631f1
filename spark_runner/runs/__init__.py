"""The life of a run: requested, prepared, supervised, reported, and kept in `.plan/runs`.

Door: `preparation.prepare`, `supervision.supervise` and `store.RunStore`.
"""
