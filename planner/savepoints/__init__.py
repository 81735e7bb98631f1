"""Flink's savepoints and retained checkpoints: what is in them, and whether a job restores from them.

Door: `files` (find and read one), `contents` (what is in it), `verdict` and `fates` (does a job restore).

| module | what it does |
| --- | --- |
| `files` | finds the `_metadata` file that an argument means |
| `cursor`, `java_objects` | read Java's binary formats with a bound on every length |
| `handles`, `handle_format`, `metadata` | the file format, versions 2 to 6 |
| `state_names`, `contents` | the names and kinds of the states, for `plan show` |
| `new_job`, `verdict` | Flink's checks in Flink's order |
| `edits`, `origins`, `reasons` | why a saved state is not found: which change of the job gave its operator another id |
| `expected_states` | which saved states the job's operators ask for |
| `fates`, `fixes` | what becomes of every saved operator, and what to set so that it finds its state |
"""
