"""`pyflink.datastream.formats` as PyFlink 2.3 declares it."""
