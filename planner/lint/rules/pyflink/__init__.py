"""One module per rule that looks at what PyFlink does to a job."""
