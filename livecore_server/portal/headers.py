"""The headers of every answer of the portal."""

from __future__ import annotations

from typing import Final

__all__ = ["CONTENT_SECURITY_POLICY", "PAGE_HEADERS", "SECURITY_HEADERS"]

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""A page loads its stylesheet and its pictures from this service, sends forms to it, and does nothing else."""
SECURITY_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
PAGE_HEADERS: Final = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("Cache-Control", "no-store"),
    *SECURITY_HEADERS,
)
