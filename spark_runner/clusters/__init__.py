"""Where a run happens: masters, Java, the driver's JVM, sessions, and why a start failed.

Door: `request.RunRequest` (what was asked), `master.parse_master` and `session.open_session`.
"""
