"""What both Python front ends share: handing over jobs, places, modules beside the job, settings, triggers.

Door: `handover` (jobs and load options), `places` (the user's file and line), `job_modules`, `operator_settings` and
`trigger_rules`.
"""
