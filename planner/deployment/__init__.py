"""Where and when a plan's subtasks run on a cluster, what fails together, and what it costs."""
