"""The bare address of a development server: it leads to the portal, which leads to signing in."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from livecore.api.requests.http import Response
from livecore.api.requests.prepared import Prepared
from livecore_server.http.host import PageHandler
from livecore_server.sign_in.problem_pages import SAFE_HEADERS, refused_page
from livecore_server.sign_in.return_path import HOME


async def _lead_on(_: web.BaseRequest, __: Prepared) -> Response:
    return Response(303, (("Location", HOME), *SAFE_HEADERS))


FRONT_PAGE: Final = PageHandler("host:front", _lead_on, refused_page)
