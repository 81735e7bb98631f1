"""What the operators of a PyFlink script are when they run: their parts, types, sources and sinks.

Door: `operators.ScriptOperators`.
"""
