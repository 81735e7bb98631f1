"""Plans as plain data with reasons: chains, edges with their obstacles, figures, what a change would do, the order.

Door: `explain.explain_plan`; `selection.select_edges` for one edge, `settings.apply_settings` and `what_if.compare` for
`--set`, `order` for the order of the vertices.
"""
