"""Settings by argument and environment, and what is refused before anything is sent."""

from __future__ import annotations

import httpx
import pytest
import respx

from livecore_client import AsyncSdkClient, AsyncServerClient, SdkClient, ServerClient, errors
from livecore_client._settings import ENVIRONMENT, detect_platform
from tests.client.flavours import BASE_URL, Flavour
from tests.contract.operations.economy import WALLET


def _transport(seen: list[httpx.Request]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": WALLET})

    return httpx.MockTransport(answer)


def test_everything_a_game_needs_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that is configured by variables alone calls the right server as the right player."""
    values = {
        "LIVECORE_BASE_URL": "https://eu.example.com/",
        "LIVECORE_API_KEY": "lc_live_client_k",
        "LIVECORE_SERVER_KEY": "lc_live_server_k",
        "LIVECORE_EXTERNAL_PLAYER_ID": "bea",
        "LIVECORE_PLAYER_SECRET": "lcs_env",
        "LIVECORE_PLATFORM": "handheld",
        "LIVECORE_APP_VERSION": "2.0",
        "LIVECORE_TIMEOUT_SECONDS": "2.5",
        "LIVECORE_DEADLINE_SECONDS": "7",
        "LIVECORE_MAX_ATTEMPTS": "1",
    }
    assert set(values) == set(ENVIRONMENT)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    seen: list[httpx.Request] = []
    with SdkClient(transport=_transport(seen)) as client:
        client.wallet.get()
        assert client._caller.settings.timeout_seconds == 2.5
        assert client._caller.settings.deadline_seconds == 7
        assert client._caller.settings.retries.max_attempts == 1
    (request,) = seen
    assert str(request.url) == "https://eu.example.com/sdk/v1/players/bea/wallet"
    assert request.headers["Authorization"] == "Bearer lc_live_client_k"
    assert request.headers["X-Player-Secret"] == "lcs_env"
    assert request.headers["X-Svc-Platform"] == "handheld"
    assert request.headers["X-Svc-App-Version"] == "2.0"


def test_an_argument_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the program says itself is not overruled by where it runs."""
    monkeypatch.setenv("LIVECORE_EXTERNAL_PLAYER_ID", "bea")
    with SdkClient(base_url=BASE_URL, api_key="k", external_player_id="anna") as client:
        assert client.external_player_id == "anna"


@pytest.mark.parametrize("missing", ["base_url", "api_key", "external_player_id"])
def test_what_is_missing_is_named_with_its_variable(missing: str) -> None:
    """The first error that a newcomer sees says what to do about it."""
    given = {"base_url": BASE_URL, "api_key": "k", "external_player_id": "anna"}
    del given[missing]
    with pytest.raises(errors.ConfigurationError, match=f"give {missing}, or set LIVECORE_{missing.upper()}"):
        SdkClient(
            base_url=given.get("base_url"),
            api_key=given.get("api_key"),
            external_player_id=given.get("external_player_id"),
        )


def test_a_backends_key_has_a_variable_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that both clients run in one shell; a backend that has only the other variable finds its key there."""
    with pytest.raises(errors.ConfigurationError, match="give api_key, or set LIVECORE_SERVER_KEY"):
        ServerClient(base_url=BASE_URL)
    monkeypatch.setenv("LIVECORE_API_KEY", "lc_live_server_a")
    with ServerClient(base_url=BASE_URL) as studio:
        assert studio._caller.settings.api_key == "lc_live_server_a"
    monkeypatch.setenv("LIVECORE_API_KEY", "lc_live_client_a")
    with pytest.raises(errors.ConfigurationError, match="needs a server key"):
        ServerClient(base_url=BASE_URL)
    monkeypatch.setenv("LIVECORE_SERVER_KEY", "lc_live_server_b")
    with ServerClient(base_url=BASE_URL) as studio, SdkClient(base_url=BASE_URL, external_player_id="a") as game:
        assert studio._caller.settings.api_key == "lc_live_server_b"
        assert game._caller.settings.api_key == "lc_live_client_a"


def test_a_server_key_in_a_game_client_is_refused() -> None:
    """Rule 1 of the specification's section 5: the studio's key must never ship to players, not even to be rejected."""
    with pytest.raises(errors.ConfigurationError, match="never be in a game client"):
        SdkClient(base_url=BASE_URL, api_key="lc_live_server_abc", external_player_id="anna")
    with pytest.raises(errors.ConfigurationError, match="needs a server key"):
        ServerClient(base_url=BASE_URL, api_key="lc_live_client_abc")


@pytest.mark.parametrize(
    "base_url",
    ["live.example.com", "ftp://x", "https://", "https://x?y=1", "https://x#y", "http://[::1", "https://x:99999"],
)
def test_an_address_that_cannot_be_called_is_refused(base_url: str) -> None:
    """A typing mistake shows where it was made, not at the first call."""
    with pytest.raises(errors.ConfigurationError, match="base_url"):
        SdkClient(base_url=base_url, api_key="k", external_player_id="anna")


_PATH = "base_url must have no path, and has '{}' (the client adds /sdk/v1 or /server/v1 itself): did you mean "


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("https://live.example.com/sdk/v1", f"{_PATH.format('/sdk/v1')}https://live.example.com?"),
        ("http://127.0.0.1:8080/server/v1/", f"{_PATH.format('/server/v1/')}http://127.0.0.1:8080?"),
        ("https://[::1]:8443/live", f"{_PATH.format('/live')}https://[::1]:8443?"),
        (
            "https://anna:pass-word@live.example.com/sdk/v1",
            "base_url must hold no user name or password: did you mean https://live.example.com?",
        ),
        ("live.example.com/sdk/v1", "base_url must be an address such as https://live.example.com"),
        ("localhost:8080", "base_url must be an address such as http://localhost:8080"),
        ("https://live.example.com?token=pass-word", "base_url must be an address such as https://live.example.com"),
    ],
)
def test_an_address_with_a_path_is_refused_with_the_one_that_was_meant(base_url: str, words: str) -> None:
    """`…/sdk/v1` stands in the reference of operations, and each call would end in a 404."""
    for make in (
        lambda: SdkClient(base_url=base_url, api_key="k", external_player_id="anna"),
        lambda: AsyncServerClient(base_url=base_url, api_key="k"),
    ):
        with pytest.raises(errors.ConfigurationError) as caught:
            make()
        assert str(caught.value) == words


@pytest.mark.parametrize("value", ["två", "a\nb", " padded"])
def test_a_credential_that_no_header_can_carry_is_refused_without_being_repeated(value: str) -> None:
    """A key pasted with its line break is the commonest mistake; the message must not print the key."""
    with pytest.raises(errors.ConfigurationError) as caught:
        SdkClient(base_url=BASE_URL, api_key=value, external_player_id="anna")
    assert value.strip() not in str(caught.value)
    client = SdkClient(base_url=BASE_URL, api_key="k", external_player_id="anna")
    with client, pytest.raises(errors.ConfigurationError):
        client.player_secret = value


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_a_time_out_that_means_nothing_is_refused(seconds: float) -> None:
    """No time-out at all is a game that hangs."""
    with pytest.raises(errors.ConfigurationError, match="timeout_seconds"):
        ServerClient(base_url=BASE_URL, api_key="k", timeout_seconds=seconds)


@pytest.mark.parametrize("name", ["LIVECORE_TIMEOUT_SECONDS", "LIVECORE_DEADLINE_SECONDS", "LIVECORE_MAX_ATTEMPTS"])
@pytest.mark.parametrize("value", ["soon", "1.5.1"])
def test_a_number_in_the_environment_that_is_none_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the variable, since no line of the program does."""
    monkeypatch.setenv(name, value)
    with pytest.raises(errors.ConfigurationError, match=name):
        ServerClient(base_url=BASE_URL, api_key="k")


def test_a_players_route_without_a_secret_says_what_to_do(flavour: Flavour, router: respx.Router) -> None:
    """Calling the server would only count as a failed try against the player."""
    with pytest.raises(errors.ConfigurationError, match="register, or set player_secret"):
        flavour.settle(flavour.sdk(router, player_secret=None).wallet.get())
    assert not router.calls


def test_a_client_brought_along_stays_open_and_keeps_its_own_settings() -> None:
    """Whoever made a connection pool decides when it ends."""
    seen: list[httpx.Request] = []
    with httpx.Client(transport=_transport(seen), headers={"X-Trace": "t"}) as own:
        with SdkClient(
            base_url=BASE_URL, api_key="k", player_secret="s", http_client=own, external_player_id="anna"
        ) as client:
            client.wallet.get()
        assert not own.is_closed
    assert seen[0].headers["X-Trace"] == "t"


def test_a_client_of_our_own_is_closed_with_its_context(flavour: Flavour, router: respx.Router) -> None:
    """Leaving the block leaves no connection behind."""
    client = flavour.sdk(router)
    if isinstance(client, AsyncSdkClient):
        flavour.runner.run(client.aclose())
    else:
        client.close()
    assert client._caller._connections.http.is_closed


def test_transport_and_client_together_are_refused() -> None:
    """One of the two would silently not be used."""
    with httpx.Client() as own, pytest.raises(errors.ConfigurationError, match="not both"):
        ServerClient(base_url=BASE_URL, api_key="k", http_client=own, transport=_transport([]))


@pytest.mark.parametrize(
    ("name", "android", "platform"),
    [
        ("linux", False, "linux"),
        ("linux", True, "android"),
        ("android", True, "android"),
        ("ios", False, "ios"),
        ("darwin", False, "macos"),
        ("win32", False, "windows"),
        ("cygwin", False, "windows"),
        ("emscripten", False, "web"),
        ("wasi", False, "web"),
        ("freebsd14", False, None),
    ],
)
def test_the_platform_is_detected(name: str, android: bool, platform: str | None) -> None:
    """Each machine that Python runs on has one of the specification's six words, or none."""
    assert detect_platform(name, android=android) == platform
