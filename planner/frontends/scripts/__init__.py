"""What both Python front ends share while a script is loaded: who gets its jobs, its places, its own modules."""
