"""`python -m cli`: the same as the command `plan`, where scripts are not on PATH."""

from __future__ import annotations

import sys

from cli.app import main

sys.exit(main())
