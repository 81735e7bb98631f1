"""The commands for jobs that Flink's exports describe.

Door: one module per command of `cli/commands`, which enters here when its argument is an export.
"""
