"""What a Python file meets while it is loaded, whatever it imports: who gets its jobs, its own lines, its modules.

Door: `handover` (jobs and load options), `places` (the user's file and line), `job_modules`. `absent_modules` and
`waiting` are for scripts that are only loaded.
"""
