"""PyFlink scripts, unmodified: a stand-in for `pyflink` while a job's file is loaded, and the plan PyFlink makes.

Door: `stand_in.pyflink_stand_in`.
"""
