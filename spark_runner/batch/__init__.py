"""Runs a bounded program to its end and puts its results in place.

Door: `execute.execute`.
"""
