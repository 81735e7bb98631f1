"""The function that says where it runs. It stands beside the job, so the runner ships it to the cluster."""

import os
import socket
import time

from planner import MapFunction


class Stamp(MapFunction):
    """Works a little on each number and stamps it with the machine and the process that did."""

    def open(self, runtime_context):
        named = os.environ.get("NM_HOST") or os.environ.get("SPARK_LOCAL_IP")
        self.place = f"{named or socket.gethostname()} process {os.getpid()}"

    def map(self, number):
        time.sleep(0.01)
        return self.place, 1
