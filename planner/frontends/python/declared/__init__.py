"""`pyflink` as PyFlink 2.3 declares it."""
