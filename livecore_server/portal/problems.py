"""What a page says when it cannot be shown."""

from __future__ import annotations

from livecore.access.sessions import UNKNOWN_NAME


class PortalProblem(Exception):
    """A page that cannot be shown: its status, and what the person reads."""

    status = 500
    title = "Something went wrong"
    text = "The page could not be made. Try again in a moment."


class NotHere(PortalProblem):
    """No such page, studio or game, or not one of the viewer's."""

    status = 404
    title = "Page not found"
    text = (
        "There is nothing at this address, or you are no member of the studio that it belongs to. If you were invited after "
        "you had signed in, sign out and sign in again."
    )


class Forbidden(PortalProblem):
    """The viewer's role does not allow this."""

    status = 403
    title = "Your role does not allow this"
    text = "Ask an administrator of the studio if you need it."

    def __init__(self, permission: str) -> None:
        super().__init__(permission)
        self.permission = permission


class OtherOrigin(PortalProblem):
    """A form that no page of this service has sent."""

    status = 403
    title = "This form was not sent from here"
    text = (
        "Another page sent this request, so nothing was done. Open the page in the portal and send the form from there."
    )


class UnknownName(PortalProblem):
    """A form that was sent to a server without a public URL by another name than those of its machine."""

    status = 403
    title = "This server does not know its name"
    text = f"Nothing was done. {UNKNOWN_NAME}"


class WrongMethod(PortalProblem):
    """A method that the page does not have."""

    status = 405
    title = "This page cannot do that"
    text = "Open the page again, and use what it offers."


class BadForm(PortalProblem):
    """A form that cannot be read."""

    status = 400
    title = "The form could not be read"
    text = "Open the page again, and send the form from there."


class FormTooLarge(PortalProblem):
    """A form that is larger than the portal takes."""

    status = 413
    title = "The form is too large"
    text = "Nothing was done. Go back in the browser, and send less at a time."


class SignedOut(PortalProblem):
    """A form that was sent after the session had ended."""

    status = 401
    title = "You are not signed in"
    text = "Your session has ended, so nothing was done. Sign in again, and repeat what you did last."
