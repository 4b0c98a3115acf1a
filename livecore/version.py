"""The version of the distribution: the one place that says it, read by the build, the clients and the documents."""

from __future__ import annotations

VERSION = "0.1.0"
