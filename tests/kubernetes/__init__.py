"""`plan run` on Kubernetes: the real API server and scheduler, and a node that runs pods as local processes."""
