"""Answers of real PyFlink 1.18.1, 1.19.3, 1.20.5 and 2.3.0."""
