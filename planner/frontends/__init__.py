"""Every way in: a file becomes a `JobDefinition`.

Door: `loading.load_job` and `loading.load_jobs` find the front end by the file; `job_files` finds the jobs of a folder.
"""
