"""What PyFlink does between a script and Flink."""
