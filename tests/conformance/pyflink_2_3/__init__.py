"""Scripts compiled by real PyFlink 2.3.0, with its plans."""
