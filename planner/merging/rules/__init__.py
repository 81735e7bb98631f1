"""One module for each of PyFlink's merge conditions."""
