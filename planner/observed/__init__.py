"""What can be said for certain about a job that only Flink's exports describe."""
