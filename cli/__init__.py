"""The command line of `plan`.

Door: `app.main`.
"""

__version__ = "0.3.0"  # here too, so that `plan --version` reads no package metadata; a test holds it to pyproject.toml
