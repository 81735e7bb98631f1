"""Real PyFlink beside ours: declarations taken from it, and plans compared with it."""
