"""The headers of every answer of the portal."""

from __future__ import annotations

from typing import Final

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""A page loads its stylesheet and its pictures from this service, sends forms to it, and does nothing else."""
LIVE_POLICY: Final = f"{CONTENT_SECURITY_POLICY}; script-src 'self'; connect-src 'self'"
"""A page that follows a leaderboard also runs the service's own script, which reads from the service."""
SECURITY_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


def _page_headers(policy: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        *SECURITY_HEADERS,
    )


PAGE_HEADERS: Final = _page_headers(CONTENT_SECURITY_POLICY)
LIVE_PAGE_HEADERS: Final = _page_headers(LIVE_POLICY)
