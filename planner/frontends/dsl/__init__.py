"""The Python front end: PyFlink's DataStream names, building the frozen job definition."""
