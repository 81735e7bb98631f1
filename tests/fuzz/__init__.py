"""Random bounded jobs, run in every way there is: each way must give what a model in plain Python gives.

    python -m tests.fuzz --jobs 2000 --seed 7

One description of a job (`description`, plain data) is made at random (`generation`), written as a script of our own
API or of PyFlink (`rendering`), computed by a model (`model`), and run (`running`) as a batch and as a stream,
chained and not. A job that fails is made smaller while it still fails (`shrinking`).

Only what Flink determines is generated:

- Updates of `sum`, `min`, `max` and `reduce` depend on the order of the records. Where more than one subtask or source
  is in front, a function behind the operator keeps the last one per key until the input ends.
- So do functions that answer per record. They stand behind one source and subtasks of parallelism 1 only.
- Which records are late depends on the order too. Where it is not one subtask that gives event times, watermarks stay
  far enough behind for none to be late. A batch has no late records; a stream has a watermark behind every record.
- What broadcast rules do to a record depends on which of the two came first: rules are looked at when the
  input has ended.
"""
