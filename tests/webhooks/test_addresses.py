"""The address guard: what an endpoint's URL may say, and where a socket may go."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.scope import Environment
from livecore.webhooks.addresses import Network, Target, address_allowed, check_url, parse_networks

INTRANET = parse_networks(["10.20.0.0/16", "fd12:3456::/32"])

WELL_FORMED = {
    "https://hooks.example.com": "https://hooks.example.com/",
    "https://hooks.example.com/": "https://hooks.example.com/",
    "HTTPS://Hooks.Example.COM/In?a=1&b[]=2": "https://hooks.example.com/In?a=1&b[]=2",
    "https://example.com:443/in": "https://example.com/in",
    "https://example.com:8443/in": "https://example.com:8443/in",
    "https://example.com?x=1": "https://example.com/?x=1",
    "https://xn--bcher-kva.example/in%20box": "https://xn--bcher-kva.example/in%20box",
    "https://1and1.example/": "https://1and1.example/",
    "https://8.8.8.8.nip.example/": "https://8.8.8.8.nip.example/",
    "https://8.8.8.8/in": "https://8.8.8.8/in",
    "https://[2606:4700::6810:84e5]/in": "https://[2606:4700::6810:84e5]/in",
    "https://[2606:4700:0:0::6810:84E5]:8443/": "https://[2606:4700::6810:84e5]:8443/",
}

_HOSTS = """
    localhost LOCALHOST localhost. foo.localhost intranet metadata example.com. 8.8.8.8. 127.0.0.1.
    127.0.0.1 127.1 127.0.1 127.255.255.254 0x7f000001 0x7f.0.0.1 0X7F.1 2130706433 017700000001 0177.0.0.1 127.0.0.01
    0x7f.1 127.0x0.1 4294967295 0 0.0.0.0 0.0.0.1 00.0.0.0 0x0 0x 1 1.2 1.2.3 256.256.256.256 1.2.3.4.5 8.8.8.08 134744072
    10.0.0.1 10.20.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.100.100.200 169.254.169.254 0xa9fea9fe
    2852039166 0251.0376.0251.0376 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
    [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::ffff:0:127.0.0.1]
    [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::808:808] [64:ff9b:1::1] [2002:7f00:1::] [2002:808:808::1] [2001::1]
    [2001:db8::1] [2001:2::1] [2001:10::1] [2001:20::1] [3fff::1] [5f00::1] [100::1] [fe80::1] [fe80::1%25eth0]
    [fe80::1%eth0] [fec0::1] [fc00::1] [fd00:ec2::254] [fd12:3456::1] [ff02::1] [ff0e::1] [::ffff] [1::1] [4000::1] [e000::1]
    [] [:] [:::] [::g] [127.0.0.1] [8.8.8.8] [1:2:3:4:5:6:7] [v1.fe80::1] ::1 2606:4700::1111
    user@example.com user:pass@example.com @example.com example.com@127.0.0.1 127.0.0.1@example.com example.com:80@[::1]
    example.com:0 example.com:65536 example.com:99999 example.com:-1 example.com: example.com:443x example.com:0443
    .example.com example..com -example.com example-.com exa_mple.com exam%70le.com %6c%6f.com
    example.com\\@127.0.0.1 example.com\\.evil.com 127.0.0.1\\example.com
    example.com|x example.com^ <example.com> "example.com"
    * example.* . .. - [example.com] example.com] [example.com $(id).com `id`.com {x}.com example.com;x example.com,x
"""
HOSTILE_HOSTS = [
    *_HOSTS.split(),
    "example.com:\N{FULLWIDTH DIGIT FOUR}\N{FULLWIDTH DIGIT FOUR}3",
    "\N{FULLWIDTH DIGIT ONE}27.0.0.1",
    "\N{CIRCLED DIGIT ONE}27.0.0.1",
    "\N{CIRCLED LATIN SMALL LETTER L}ocalhost.com",
    "l\N{CYRILLIC SMALL LETTER O}calhost.com",
    "b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example",
    "example\N{IDEOGRAPHIC FULL STOP}com",
    "example.com\N{ONE DOT LEADER}",
    "exa\N{SOFT HYPHEN}mple.com",
    "exa\N{ZERO WIDTH JOINER}mple.com",
    "example.com\N{FULLWIDTH SOLIDUS}@127.0.0.1",
]

HOSTILE_URLS = [
    "",
    " ",
    "https",
    "https:",
    "https:/",
    "https://",
    "https:///in",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "//example.com/in",
    "/in",
    "example.com",
    "http://example.com",
    "http://8.8.8.8/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "httpsx://example.com",
    "https+unix://example.com",
    "wss://example.com",
    " https://example.com",
    "https://example.com ",
    "https://example.com\n",
    "https://exam\nple.com",
    "https://exam\tple.com",
    "https://example.com\r\nHost: evil",
    "https://example.com/a b",
    "https://example.com/\x00",
    "https://example.com/\x7f",
    "https://example.com/é",
    "https://example.com/\ud800",
    "https://example.com/%",
    "https://example.com/%4",
    "https://example.com/%zz",
    "https://example.com/in\\..",
    "https://example.com/#",
    "https://example.com/in#part",
    "https://example.com#@127.0.0.1/",
    "https://example.com?x=#y",
    "https://example.com?x= y",
    "https://example.com?x=\r\nX: y",
    "https://example.com&@127.0.0.1",
    f"https://{'a' * 64}.com/",
    f"https://{'a.' * 127}com/",
    "https://example.com/" + "a" * 2048,
]


def refusal(url: str, environment: Environment = "live", *, production: bool = True) -> str:
    """Why a URL is refused; the test fails where it is not."""
    with pytest.raises(ValidationFailed) as caught:
        check_url(url, environment, production=production)
    fields = caught.value.details["fields"]
    assert isinstance(fields, dict)
    assert set(fields) == {"url"}
    return str(fields["url"])


@pytest.mark.parametrize("environment", ["live", "test"])
@pytest.mark.parametrize("url", WELL_FORMED)
def test_public_https_is_accepted_in_one_spelling(url: str, environment: Environment) -> None:
    """An https URL at a public place will do in either environment, and comes back normalised."""
    target = check_url(url, environment, production=True)
    assert target.url == WELL_FORMED[url]
    assert not target.to_localhost
    assert check_url(target.url, environment, production=True) == target


@pytest.mark.parametrize("host", HOSTILE_HOSTS)
def test_hostile_hosts_are_refused(host: str) -> None:
    """No notation of an internal host passes, in no environment, not even where local tests are allowed."""
    assert refusal(f"https://{host}/in")
    assert refusal(f"https://{host}/in", "test", production=False)
    assert refusal(f"http://{host}/in")
    assert refusal(f"http://{host}/in", "test")


@pytest.mark.parametrize("url", HOSTILE_URLS)
def test_hostile_urls_are_refused(url: str) -> None:
    """Everything but a plain https URL is a typed refusal, whatever it tries."""
    assert refusal(url)
    assert refusal(url, "test", production=False)


LOOPBACK_HOSTS = ["localhost", "LocalHost", "127.0.0.1", "127.0.0.53", "[::1]", "[0:0::1]"]


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
def test_test_endpoints_may_be_local_outside_production(host: str) -> None:
    """While developing, a test endpoint is plain http on the same machine, at any port."""
    target = check_url(f"http://{host}:3000/in", "test", production=False)
    assert target.to_localhost
    assert (target.scheme, target.port, target.path) == ("http", 3000, "/in")
    assert check_url(f"http://{host}/", "test", production=False).port == 80


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
def test_local_endpoints_are_for_tests_only(host: str) -> None:
    """Neither a live endpoint nor a production deployment may call its own machine."""
    assert refusal(f"http://{host}:3000/in", "live", production=False)
    assert refusal(f"http://{host}:3000/in", "test", production=True)
    assert refusal(f"https://{host}:3000/in", "test", production=False)


@pytest.mark.parametrize(
    "host",
    [h for h in HOSTILE_HOSTS if h.lower() not in {*(one.lower() for one in LOOPBACK_HOSTS), "127.255.255.254"}],
)
def test_plain_http_is_for_the_loopback_only(host: str) -> None:
    """The exception for local tests lets nothing else in, however it is spelt."""
    if host == "[0:0:0:0:0:0:0:1]":
        assert check_url(f"http://{host}/", "test", production=False).host == "::1"
    else:
        assert refusal(f"http://{host}/in", "test", production=False)


def test_operator_listed_networks_are_accepted() -> None:
    """An operator may list internal networks: addresses inside them pass, and names are left to the socket's check."""
    for url in ("https://10.20.3.4/", "https://[fd12:3456::9]/", "https://receiver/", "https://receiver.internal/"):
        assert check_url(url, "live", production=True, allowed_networks=INTRANET).url == url
    for url in ("https://10.21.0.1/", "https://[fd12:3457::9]/", "https://127.0.0.1/", "http://10.20.3.4/"):
        with pytest.raises(ValidationFailed):
            check_url(url, "live", production=True, allowed_networks=INTRANET)


def test_refusal_names_the_field_that_was_asked_for() -> None:
    """A caller whose field has another name gets the refusal under that path."""
    with pytest.raises(ValidationFailed) as caught:
        check_url("http://example.com", "live", production=True, field="endpoint.url")
    assert caught.value.details == {"fields": {"endpoint.url": "must begin with https://"}}


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0.0/33", "example.com", "", "10.0.0.0/8;::/0"])
def test_networks_must_be_networks(text: str) -> None:
    """A mistyped network is an error of the configuration, not a wider gate."""
    with pytest.raises(ValueError, match=r"."):
        parse_networks([text])


def test_host_of_a_literal_has_no_brackets() -> None:
    """The sender gets the address as a socket takes it, and the URL keeps its brackets."""
    target = check_url("https://[2606:4700::1111]:8443/in", "live", production=True)
    assert (target.host, target.port) == ("2606:4700::1111", 8443)
    assert isinstance(target, Target)


# -- at the socket --------------------------------------------------------------------------------------------------------

_PUBLIC = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
    172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    2606:4700::1111 2001:200::1 2001:4860:4860::8888 2a00:1450::1 2400:: 3ffe::1
    ::ffff:8.8.8.8 64:ff9b::8.8.8.8
"""
PUBLIC = _PUBLIC.split()

_INTERNAL = """
    0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.0
    169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.170 192.0.0.255 192.0.2.255
    192.31.196.1 192.52.193.1 192.88.99.255 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.255
    203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255 168.63.129.16
    :: ::1 ::2 ::7f00:1 ::ffff:0.0.0.0 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:8.8.8.8
    64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:7f00::1 2001:2::1
    2001:1ff:ffff::1 2001:db8::1 2002:808:808::1 2002:7f00:1::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1 4000:: 5f00::1
    fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 feff::1 ff00::1 ff02::1%1 ff0e::1
    localhost 127.1 0x7f000001 2130706433 [::1] 8.8.8.8:443
"""
INTERNAL = _INTERNAL.split()


@pytest.mark.parametrize("address", PUBLIC)
def test_socket_may_go_to_public_addresses(address: str) -> None:
    """Addresses right beside the internal ranges are public, also when wrapped in IPv6."""
    assert address_allowed(address)
    assert address_allowed(ip_address(address))
    assert not address_allowed(address, to_localhost=True)


@pytest.mark.parametrize("address", [*INTERNAL, "", " ", "8.8.8.8 ", "8.8.8.8\n"])
def test_socket_may_not_go_inside(address: str) -> None:
    """Addresses at both ends of each internal range are refused, and so is what is no address."""
    assert not address_allowed(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_local_targets_reach_the_loopback_only(address: str) -> None:
    """The name localhost is no way to anywhere but this machine."""
    assert address_allowed(address, to_localhost=True)
    assert not address_allowed("10.20.0.1", to_localhost=True, allowed_networks=INTRANET)


def test_socket_may_go_to_listed_networks() -> None:
    """The operator's networks are open, also by the wrapped form, and nothing beside them."""
    for address in ("10.20.0.0", "10.20.255.255", "::ffff:10.20.1.1", "fd12:3456::1"):
        assert address_allowed(address, allowed_networks=INTRANET)
    for address in ("10.19.255.255", "10.21.0.0", "::ffff:10.21.0.0", "fd12:3455::1", "127.0.0.1"):
        assert not address_allowed(address, allowed_networks=INTRANET)


@pytest.mark.parametrize("address", ["0.0.0.0", "255.255.255.255", "224.0.0.1", "::", "ff02::1"])  # noqa: S104 - refused
def test_no_list_opens_what_is_no_single_host(address: str) -> None:
    """The unspecified address, broadcast and multicast stay shut however wide the list."""
    everything: tuple[Network, ...] = parse_networks(["0.0.0.0/0", "::/0"])
    assert not address_allowed(address, allowed_networks=everything)
    assert address_allowed("192.168.1.1", allowed_networks=everything)


@given(st.ip_addresses())
def test_public_implies_what_python_knows_of_it(address: object) -> None:
    """Whatever we call public, Python's tables do not call private, loopback, link-local, multicast or reserved."""
    one = ip_address(str(address))
    if address_allowed(one):
        assert not any((one.is_private, one.is_loopback, one.is_link_local, one.is_multicast, one.is_unspecified))


@given(st.text())
def test_any_text_is_a_target_or_a_refusal(text: str) -> None:
    """No text breaks the check: it is understood, or refused in words."""
    for url in (text, f"https://{text}", f"https://example.com/{text}"):
        try:
            target = check_url(url, "live", production=True)
        except ValidationFailed:
            continue
        assert target.scheme == "https"
        assert check_url(target.url, "live", production=True) == target
