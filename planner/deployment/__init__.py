"""Where and when a plan's subtasks run on a cluster, what fails together, and what it costs.

Door: `deployment.plan_deployment` with a `request`; `chosen_subtask.choose_subtask` finds a subtask by its name.
"""
