"""`python -m streamcord` is `streamcord`."""

from __future__ import annotations

import sys

from ._cli import main

sys.exit(main())
