"""Everything that is printed or drawn, from plain data.

Door: the modules of `text/`, `findings/`, `pictures/` and `page/`; `styled` and `words` are what they share.
"""
