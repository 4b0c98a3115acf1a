"""Descriptions of scans that serve both to announce a scan and to make it, so that the two cannot differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from livecore.kernel.store import Scan, Transaction
from livecore.kernel.tables import Key

__all__ = ["ScanOf", "scanned", "scanned_together"]

R = TypeVar("R")

ScanOf: TypeAlias = tuple[Scan[R], Key]
"""A scan and the prefix of its index that it reads."""


def scanned(tx: Transaction, wanted: ScanOf[R]) -> list[R]:
    """The rows that a scan finds."""
    scan, prefix = wanted
    return tx.scan(
        scan.index,
        *prefix,
        start=scan.start,
        after=scan.after,
        stop=scan.stop,
        reverse=scan.reverse,
        limit=scan.limit,
    )


def scanned_together(tx: Transaction, wanted: Iterable[ScanOf[R]]) -> list[R]:
    """The rows of several scans, one scan after another; all of them are announced first."""
    scans = list(wanted)
    tx.prefetch(scans)
    return [row for scan in scans for row in scanned(tx, scan)]
