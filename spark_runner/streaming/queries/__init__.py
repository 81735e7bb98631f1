"""The one Spark query of a streaming job: its sources, its steps and layers, and what is done with every batch.

Door: `query` (the query's rows), `batches` (one batch at a time) and `on_server` (batches over Connect).
"""
