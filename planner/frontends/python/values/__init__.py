"""Values that scripts make: types, rows, times, windows, triggers, options.

Door: the packages under `declared`, which give them PyFlink's names.
"""
