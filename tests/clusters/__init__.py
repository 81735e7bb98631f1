"""Real clusters on this machine: loopback addresses, free ports, folders of their own, and nothing left behind."""
