"""Deliveries, as the service signs them and as nobody should: each with whether a receiver has to take it for ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from functools import partial
from typing import Final

import attrs

from livecore.api.areas import AREAS
from livecore.webhooks.envelope import body_of, data_text
from livecore.webhooks.rotation import EndpointSecret, rotated, signing
from livecore.webhooks.signature import sign
from tests.samples import sample

NOW: Final = 1_769_850_000
OLD: Final = "whsec_7Wq0vJcE2mFzXk41TnRdYbUoLs9GhPiA3e8Dt6Cx"
NEW: Final = "whsec_Zr5uKb8QyHf2NjVw0aMgSxIl7TcEoP4d1RkUn3Bs"
NON_ASCII: Final = "whsec_schlüssel"


@attrs.frozen
class Delivery:
    """What a verifier is given, and its right answer."""

    name: str
    body: bytes
    header: str | None
    secrets: tuple[str, ...] = (NEW,)
    now: int = NOW
    ours: bool = attrs.field(kw_only=True)

    @property
    def line(self) -> str:
        """For the programs of other languages: clock, header, secrets and body; a dash is what is missing."""

        def coded(part: bytes) -> str:
            return "b" + base64.b64encode(part).decode()

        header = "-" if self.header is None else coded(self.header.encode())
        secrets = ",".join(coded(secret.encode()) for secret in self.secrets) or "-"
        return f"{self.now} {header} {secrets} {coded(self.body)}"


ours: Final = partial(Delivery, ours=True)
foreign: Final = partial(Delivery, ours=False)


def written(kind: str, attempt: int = 1) -> bytes:
    """The bytes of a delivery of this kind, as the service writes them."""
    return body_of(
        event_id="evt_1",
        kind=kind,
        studio_id="std_1",
        game_id="gam_1",
        occurred_at=NOW * 1000,
        delivery_attempt=attempt,
        data=data_text(sample(kind)),
    )


BODY: Final = written("gift.claimed")
HEADER: Final = sign([NEW], NOW, BODY)
V1: Final = HEADER.partition(",")[2]
OTHER_V1: Final = sign(["whsec_other"], NOW, BODY).partition(",")[2]


def deliveries() -> list[Delivery]:
    """All of them."""
    return [*_genuine(), *_rotating(), *_timed(), *_with_other_bytes(), *_without_secret(), *_malformed()]


def _genuine() -> Iterator[Delivery]:
    for kind in AREAS.events:
        body = written(kind)
        yield ours(f"a {kind}", body, sign([NEW], NOW, body))
    for name, body in (
        ("an empty body", b""),
        ("a body that is not ASCII", '{"id":"evt_1","data":{"message":"für dich 🎁"}}'.encode()),
        ("a body that is no text", bytes(range(256))),
        ("a body with line ends", b'\r\n{"id":\n"evt_1"}\n'),
        ("a long body", b"[" + b"0," * 100_000 + b"0]"),
    ):
        yield ours(name, body, sign([NEW], NOW, body))
    yield ours("a secret that is not ASCII", BODY, sign([NON_ASCII], NOW, BODY), (NON_ASCII,))
    yield ours("signatures before the time", BODY, f"{V1},t={NOW}")
    yield ours("a signature of another version", BODY, f"{HEADER},v2=new/Form+1=")
    yield ours("a time with zeros before it", BODY, _by_hand(f"00{NOW}", BODY))


def _rotating() -> Iterator[Delivery]:
    rotating = [secret.text for secret in signing(rotated((EndpointSecret(OLD),), NEW, NOW * 1000), NOW * 1000)]
    both = sign(rotating, NOW, BODY)
    yield ours("two signatures, the receiver has the new secret", BODY, both, (NEW,))
    yield ours("two signatures, the receiver has the old secret", BODY, both, (OLD,))
    yield ours("two signatures and both secrets", BODY, both, (OLD, NEW))
    yield foreign("two signatures and a third secret", BODY, both, ("whsec_third",))
    yield ours("one signature, and the receiver has both secrets", BODY, sign([OLD], NOW, BODY), (NEW, OLD))
    yield ours("one signature, and the fitting secret comes first", BODY, HEADER, (NEW, OLD))
    eight = [f"whsec_{number}" for number in range(7)]
    yield ours("eight signatures", BODY, sign([*eight, NEW], NOW, BODY))
    yield foreign("nine signatures", BODY, f"{sign([*eight, NEW], NOW, BODY)},{OTHER_V1}")
    yield ours("the same signature twice", BODY, f"{HEADER},{V1}")


def _timed() -> Iterator[Delivery]:
    yield ours("300 seconds old", BODY, HEADER, now=NOW + 300)
    yield foreign("301 seconds old", BODY, HEADER, now=NOW + 301)
    yield foreign("a year old", BODY, HEADER, now=NOW + 31_536_000)
    yield ours("60 seconds ahead", BODY, HEADER, now=NOW - 60)
    yield foreign("61 seconds ahead", BODY, HEADER, now=NOW - 61)
    yield foreign("in the year 33658", BODY, sign([NEW], 10**12 - 1, BODY))
    yield foreign("another time than the signed one", BODY, f"t={NOW + 1},{V1}")


def _with_other_bytes() -> Iterator[Delivery]:
    yield foreign("a wrong secret", BODY, sign(["whsec_guessed"], NOW, BODY))
    yield foreign("a secret without its prefix", BODY, sign([NEW.removeprefix("whsec_")], NOW, BODY))
    yield foreign("a body with one byte changed", BODY.replace(b"evt_1", b"evt_2"), HEADER)
    yield foreign("a body with a byte more", BODY + b" ", HEADER)
    yield foreign("a body with a byte less", BODY[:-1], HEADER)
    yield foreign("a body that was taken away", b"", HEADER)
    yield foreign("a body where there was none", BODY, sign([NEW], NOW, b""))
    yield foreign("a body that was parsed and written again", json.dumps(json.loads(BODY)).encode(), HEADER)
    yield foreign("another attempt at the event", written("gift.claimed", attempt=2), HEADER)
    decomposed, composed = "fu\u0308r".encode(), "für".encode()
    yield foreign("a body that was normalised", composed, sign([NEW], NOW, decomposed))
    latin = "für".encode("latin-1")
    yield foreign("a body of another encoding", latin, sign([NEW], NOW, "für".encode()))
    alone = hmac.new(NEW.encode(), BODY, hashlib.sha256).hexdigest()
    yield foreign("a signature of the body alone", BODY, f"t={NOW},v1={alone}")


def _without_secret() -> Iterator[Delivery]:
    empty = _by_hand(str(NOW), BODY, key="")
    yield foreign("an empty secret", BODY, empty, ("",))
    yield foreign("an empty secret beside a good one", BODY, empty, (NEW, ""))
    yield foreign("no secret", BODY, HEADER, ())


def _malformed() -> Iterator[Delivery]:
    digest = bytes.fromhex(V1.removeprefix("v1="))
    coded = base64.b64encode(digest).decode()
    arabic = str(NOW).translate({ord("0") + digit: 0x660 + digit for digit in range(10)})
    headers: dict[str, str | None] = {
        "no header": None, "an empty header": "", "no time": V1, "no signature": f"t={NOW}",
        "an empty time": f"t=,{V1}", "an empty signature": f"t={NOW},v1=", "two times": f"{HEADER},t={NOW}",
        "another time before": f"t=1,{HEADER}", "a negative time": f"t=-{NOW},{V1}",
        "a time with a sign": f"t=+{NOW},{V1}", "a time with a fraction": f"t={NOW}.0,{V1}",
        "a time of 13 digits": _by_hand(f"000{NOW}", BODY), "a time in hexadecimal": f"t={NOW:#x},{V1}",
        "a time in other digits": _by_hand(arabic, BODY), "no number": f"t=now,{V1}",
        "base64": f"t={NOW},v1={coded}", "base64 beside the right one": f"{HEADER},v1={coded}",
        "broken base64": f"t={NOW},v1={coded[:-2]}!", "base64 of the hexadecimal digits":
        f"t={NOW},v1={base64.b64encode(digest.hex().encode()).decode()}",
        "capital letters": f"t={NOW},v1={digest.hex().upper()}", "capitals beside the right one":
        f"{HEADER},v1={digest.hex().upper()}", "a digit less": HEADER[:-1], "a digit more": f"{HEADER}0",
        "a short one beside the right one": f"{HEADER},{V1[:-2]}",
        "a long one beside the right one": f"{HEADER},{V1}0", "one digit changed":
        f"{HEADER[:-1]}{'1' if HEADER[-1] == '0' else '0'}", "only the first digits": f"t={NOW},{V1[:19]}",
        "a space after the comma": f"t={NOW}, {V1}", "a space before": f" {HEADER}", "a space after": f"{HEADER} ",
        "a line end beside the right one": f"{HEADER},{V1}\n",
        "a line end in another version": f"{HEADER},v2=new\n",
        "a signed line end in the time": _by_hand(f"{NOW}\n", BODY),
        "a line end after": f"{HEADER}\n", "a line end in the time": f"t={NOW}\n,{V1}", "a comma after": f"{HEADER},",
        "two commas": f"t={NOW},,{V1}", "semicolons": HEADER.replace(",", ";"), "another name": f"x=1,{HEADER}",
        "a name in capitals": HEADER.replace("t=", "T="), "no names": f"{NOW},{digest.hex()}",
        "another version alone": HEADER.replace("v1=", "v2="), "a version of no number": f"{HEADER},vx=1",
        "an empty other version": f"{HEADER},v2=",
        "a space in another version": f"{HEADER},v2=a b", "letters that are not ASCII": f"t={NOW},v1=ü{digest.hex()[1:]}",
        "not ASCII beside the right one": f"{HEADER},v2=ü", "a zero byte": f"{HEADER}\0", "other text": "Bearer 1",
    }  # fmt: skip
    for name, header in headers.items():
        yield foreign(f"a header with {name}", BODY, header)


def _by_hand(digits: str, body: bytes, key: str = NEW) -> str:
    """A header that the service would not write."""
    signed = digits.encode() + b"." + body
    return f"t={digits},v1={hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()}"
