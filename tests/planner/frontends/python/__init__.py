"""PyFlink scripts: the stand-in, jobs of a file, what is refused."""
