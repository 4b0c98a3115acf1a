"""The pages of signing in: small, without scripts, and the same for everybody."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from typing import Final

from livecore.api.requests.http import Response
from livecore_server.sign_in.problems import SignInProblem

SIGN_IN_PATH: Final = "/admin/v1/sign-in"

_STYLE: Final = (
    ":root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}"
    "body{max-width:36rem;margin:12vh auto;padding:0 1rem}"
    "h1{font-size:1.4rem;line-height:1.3}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

SAFE_HEADERS: Final[tuple[tuple[str, str], ...]] = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", _POLICY),
)
"""The headers of every answer of signing in."""

_BY_STATUS: Final = {
    429: ("Too many requests", "Too many requests came from your network.", "Wait a minute and try again."),
    503: ("The server is busy", "The server has too much to do just now.", "Try again in a minute."),
}
_OTHERWISE: Final = ("Something went wrong", "The server could not answer.", "Begin again.")
_KEPT: Final = frozenset({"allow", "retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"})


def problem_page(problem: SignInProblem) -> Response:
    """The page of a problem."""
    return _page(problem.status, problem.title, problem.text, problem.remedy, again=problem.again)


def refused_page(refused: Response) -> Response:
    """The page in place of an error envelope, with the headers that say when to come back."""
    title, text, remedy = _BY_STATUS.get(refused.status, _OTHERWISE)
    page = _page(refused.status, title, text, remedy, again=True)
    kept = tuple((name, value) for name, value in refused.headers if name.lower() in _KEPT)
    return Response(page.status, (*page.headers, *kept), page.body)


def _page(status: int, title: str, text: str, remedy: str, *, again: bool) -> Response:
    link = f'<p><a href="{SIGN_IN_PATH}">Sign in</a></p>' if again else ""
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1><p>{_marked(text)}</p><p>{_marked(remedy)}</p>{link}</main></body></html>"
    )
    return Response(status, (("Content-Type", "text/html; charset=utf-8"), *SAFE_HEADERS), body.encode())


def _marked(text: str) -> str:
    """A text for a page, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
