"""Lint findings for machines: JSON, SARIF, GitHub annotations, JUnit.

Door: one function per module, chosen by `plan lint --format`.
"""
