"""Answers as lines of text, one module per command.

Door: the `..._lines` function of each module.
"""
