"""Values that scripts make: types, rows, times, windows, triggers, options."""
