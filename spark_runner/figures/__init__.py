"""What a run counts and how far it is: events while it runs, figures when it is over.

Door: `results` (the types), `tracking.VertexTracker` (progress) and `wire` (the same as JSON).
"""
