"""Turns a plan into a Spark program, or says which operator Spark cannot run as Flink would. No PySpark.

Door: `lower.lower`. `operators` has one lowering per kind of operator.
"""
