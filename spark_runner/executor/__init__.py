"""Everything that runs on workers. Of `spark_runner` only this room is shipped, so it imports nothing outside itself.

Door: `chain` (one pass over one partition), `hidden_columns` and `report`.
"""
