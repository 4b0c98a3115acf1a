"""Python imports this before any program where its folder is on PYTHONPATH: takes away what the named system lacks."""

from __future__ import annotations

import os
from typing import cast

from tests.portability.systems import System
from tests.portability.taken_away import take_away

take_away(cast(System, os.environ["SYSTEM_OF_THE_TEST"]))
