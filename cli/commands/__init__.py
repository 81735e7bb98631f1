"""One module per command of `plan`, imported when the command is called.

Door: `cli.app`, whose table names them.
"""
