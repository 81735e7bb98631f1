"""The commands for jobs that Flink's exports describe; each command enters here when its argument is an export."""
