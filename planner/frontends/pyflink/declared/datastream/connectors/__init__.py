"""`pyflink.datastream.connectors` as PyFlink 2.3 declares it."""
