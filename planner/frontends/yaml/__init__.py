"""The YAML front end, which also reads JSON: positions, checks and hints for every key.

Door: `loader.load_yaml`, `loader.load_job_data` and `schema.job_schema`.
"""
