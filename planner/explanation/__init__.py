"""Plans as plain data with reasons: chains, edges with their obstacles, figures, what a change would do, the order."""
