"""Why a sign-in ends without a session.

Each class is one page for the person in front of the browser. The message of the exception is for the log: it says what
exactly was wrong, and a stranger never sees it.
"""

from __future__ import annotations

from typing import ClassVar


class SignInProblem(Exception):
    """A sign-in that cannot go on; `str()` is the reason, for the log."""

    status: ClassVar[int] = 502
    title: ClassVar[str] = "Signing in failed"
    text: ClassVar[str] = ""
    """What the person should know."""
    remedy: ClassVar[str] = ""
    """What the person can do."""
    again: ClassVar[bool] = True
    """Whether the page offers to begin again."""


class NotConfigured(SignInProblem):
    """The deployment has no identity provider."""

    status = 503
    title = "Signing in is not set up"
    text = "This server knows no identity provider yet, so nobody can sign in."
    remedy = (
        "The operator of the server sets LIVECORE_OIDC_ISSUER, LIVECORE_OIDC_CLIENT_ID, LIVECORE_OIDC_CLIENT_SECRET and "
        "LIVECORE_PUBLIC_URL, makes the first owner with `livecore members add`, and starts it again. The page "
        "“Connect an identity provider” of the documentation shows how."
    )
    again = False


class ProviderFailed(SignInProblem):
    """The provider cannot be reached, or answers something that is not OpenID Connect."""

    text = "The identity provider did not answer as it should."
    remedy = "Try again in a minute. If it goes on, tell the operator of this server: its log says what is wrong."


class TokenRefused(SignInProblem):
    """What the provider says about the person fails a check."""

    text = "What the identity provider said about you did not pass the checks, so it was not used."
    remedy = "Begin again. If it goes on, tell the operator of this server: its log says which check failed."


class SignInInterrupted(SignInProblem):
    """The browser comes back without having left, too late, or for the second time."""

    status = 400
    title = "Please begin again"
    text = "This sign-in was not begun in this browser, took longer than ten minutes, or was used already."
    remedy = "Begin again, and finish in the same browser. It must accept cookies."


class ProviderRefused(SignInProblem):
    """The provider has let the person not in, or the person has stopped there."""

    status = 403
    title = "The identity provider did not let you in"
    text = "It ended the sign-in, or you stopped it there."
    remedy = "Begin again. If it goes on, ask the administrator of your account there."


class NotVerified(SignInProblem):
    """The provider does not vouch for the person's e-mail address."""

    status = 403
    title = "Your e-mail address is not verified"
    text = "The identity provider did not confirm that the e-mail address of your account is yours."
    remedy = "Verify the address there and begin again, or ask the administrator of your account."


class NotMember(SignInProblem):
    """The person is a member of no studio."""

    status = 403
    title = "This account is not a member here"
    text = "You have signed in with your identity provider, but this account is not a member of a studio here."
    remedy = (
        "Ask an owner of the studio to add the e-mail address of this account, or begin again with another account."
    )


class AnotherAccount(SignInProblem):
    """The member with this address has signed in with another account of a provider before."""

    status = 403
    title = "The member with this address uses another account"
    text = (
        "Your e-mail address is a member's here, but that member has signed in with another account before. An address can "
        "pass to somebody else, so it is not enough."
    )
    remedy = (
        "If your account was replaced, ask an owner or an administrator of the studio to renew your invitation on the page "
        "“Members”. The operator of this server can do it with `livecore members renew`. "
        "Or begin again with the other account."
    )


class TooManySignIns(SignInProblem):
    """Too many sign-ins wait for the provider."""

    status = 503
    title = "Too many people are signing in"
    text = "The server is waiting for the identity provider for many people at once."
    remedy = "Try again in a minute."


class LinkUnknown(SignInProblem):
    """The link of a development server was used already, or is none."""

    status = 403
    title = "This link does not work"
    text = "A sign-in link works once, in a browser on the machine where the server runs."
    remedy = "The terminal in which `livecore dev` runs shows a new link after each use. Or start `livecore dev` again."
    again = False


class LinkWanted(SignInProblem):
    """A development server has no provider, but a link."""

    status = 403
    title = "Use the link in the terminal"
    text = "This is a development server without an identity provider."
    remedy = "The terminal in which `livecore dev` runs shows a sign-in link, which works once."
    again = False
