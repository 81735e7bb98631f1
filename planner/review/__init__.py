"""What a change does to jobs: per job the verdict, the changes by cause, the figures before and after, and the fixes.

Door: `report.review_versions` for two versions of one file, `changed_jobs.review_since` for all that changed since a
revision.
"""
