"""What both Python front ends share while a script is loaded: who gets its jobs, its places, its own modules.

Door: `handover` (jobs and load options), `places` (the user's file and line) and `job_modules`.
"""
