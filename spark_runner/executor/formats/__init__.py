"""What stands at the ends of a PyFlink script: messages, files of several kinds, text. Shipped to workers.

Door: the operators that `executor.table` names.
"""
