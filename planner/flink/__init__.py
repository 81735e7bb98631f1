"""What Flink does, by version: defaults and limits, default names, the order of vertices.

Door: `registry.flink` gives the `profile.FlinkProfile` of a version; `defaults` has what all versions share.
"""
