"""The code of the page about verifying webhooks, in each language: it judges deliveries rightly, and its receiver works.

What runs is what the page shows, under the names that it gives to its files. Each language has one program that judges all
deliveries, so that nothing is compiled or started for each of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs
import httpx
import pytest

from examples.own_server import OwnServer, free_port, own_server
from livecore_client import SdkClient, webhooks
from tests.docs.deliveries import NEW, OLD, deliveries, written
from tests.npm import node
from tests.pages import ROOT, blocks
from tests.patience import PATIENCE_SECONDS

PAGE: Final = ROOT / "docs/how-to/verify-a-webhook-yourself.md"
DELIVERIES: Final = deliveries()

CASES_OF_NODE = """
import { readFileSync } from "node:fs";
import { isOurs } from "./verify.mjs";
const text = (part) => Buffer.from(part.slice(1), "base64").toString("utf8");
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  const [now, header, secrets, body] = line.split(" ");
  const several = secrets === "-" ? [] : secrets.split(",").map(text);
  const bytes = Buffer.from(body.slice(1), "base64");
  console.log(isOurs(bytes, header === "-" ? undefined : text(header), several, Number(now)));
}
// A single text is one secret, and not its letters.
const [, header, secrets, body] = readFileSync("one.txt", "utf8").split(" ");
const sure = isOurs(Buffer.from(body.slice(1), "base64"), text(header), text(secrets), 1769850000);
const guessed = isOurs(Buffer.from(body.slice(1), "base64"), text(header), "whsec_guessed", 1769850000);
console.log(sure && !guessed && !isOurs(Buffer.alloc(0), undefined, undefined, 0));
"""

CASES_OF_GO = """
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func decoded(part string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(part, "b"))
	if err != nil && part != "-" {
		panic(err)
	}
	return bytes
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), " ")
		now, _ := strconv.ParseInt(parts[0], 10, 64)
		var several []string
		for _, secret := range strings.Split(parts[2], ",") {
			if secret != "-" {
				several = append(several, string(decoded(secret)))
			}
		}
		fmt.Println(isOurs(decoded(parts[3]), string(decoded(parts[1])), several, now))
	}
}
"""

CASES_OF_C_SHARP = """
using System;
using System.Linq;
using System.Text;

static class Cases
{
    static byte[] Decoded(string part) { return Convert.FromBase64String(part.Substring(1)); }
    static string Text(string part) { return part == "-" ? null : Encoding.UTF8.GetString(Decoded(part)); }

    static void Main()
    {
        string line;
        while ((line = Console.ReadLine()) != null)
        {
            var parts = line.Split(' ');
            var several = parts[2] == "-" ? new string[0] : parts[2].Split(',').Select(Text).ToArray();
            var ours = Signature.IsOurs(Decoded(parts[3]), Text(parts[1]), several, long.Parse(parts[0]));
            Console.WriteLine(ours ? "true" : "false");
        }
    }
}
"""


@attrs.frozen
class Built:
    """The commands of a language: what judges deliveries that come in lines, and the receiver of the page."""

    folder: Path
    cases: tuple[str, ...]
    receiver: tuple[str, ...]

    def judged(self) -> list[bool]:
        """What the page's code says of each delivery, and of what its language has besides."""
        lines = "".join(f"{each.line}\n" for each in DELIVERIES)
        said = _run(self.cases, self.folder, lines).split()
        assert set(said) <= {"true", "false"}
        return [one == "true" for one in said]


def _run(command: Sequence[str], folder: Path, given: str = "") -> str:
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _programs(*names: str) -> None:
    """Skip the test, and say so, where a program is missing."""
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        pytest.skip(f"there is no {' and no '.join(missing)} on this machine; .ci/run installs them")


def _files_of_the_page(language: str, folder: Path) -> None:
    """Each block that names its file in its first line, under this name."""
    for block in blocks(PAGE, language):
        name = re.match(r"// ([\w.]+)\n", block[1])
        assert name, "a block says in its first line which file it is"
        (folder / name[1]).write_text(block[1], "utf-8")


def _in_node(folder: Path, config: pytest.Config) -> Built:
    program = node(config, folder).program
    _files_of_the_page("js", folder)
    (folder / "cases.mjs").write_text(CASES_OF_NODE, "utf-8")
    (folder / "one.txt").write_text(DELIVERIES[0].line, "utf-8")
    return Built(folder, (program, "cases.mjs"), (program, "receiver.mjs"))


def _in_go(folder: Path, config: pytest.Config) -> Built:
    del config
    _programs("go")
    (folder / "go.mod").write_text("module page\n\ngo 1.18\n", "utf-8")
    for part in ("cases", "receiver", "bin"):
        (folder / part).mkdir()
    _files_of_the_page("go", folder / "receiver")
    shutil.copy(folder / "receiver" / "verify.go", folder / "cases")
    (folder / "cases" / "cases.go").write_text(CASES_OF_GO, "utf-8")
    _run(("go", "build", "-o", "bin/", "./..."), folder)
    return Built(folder, (str(folder / "bin" / "cases"),), (str(folder / "bin" / "receiver"),))


def _in_c_sharp(folder: Path, config: pytest.Config) -> Built:
    del config
    _programs("mcs", "mono")
    _files_of_the_page("csharp", folder)
    (folder / "Cases.cs").write_text(CASES_OF_C_SHARP, "utf-8")
    (shown,) = re.findall(r"^\$ (mcs .*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    _run(shown.split(), folder)
    _run(("mcs", "-warnaserror", "-r:System.Core", "-out:cases.exe", "Signature.cs", "Cases.cs"), folder)
    return Built(folder, ("mono", "cases.exe"), ("mono", "receiver.exe"))


LANGUAGES: Final[dict[str, Callable[[Path, pytest.Config], Built]]] = {
    "Node.js": _in_node,
    "Go": _in_go,
    "C#": _in_c_sharp,
}


@pytest.fixture(scope="module", params=LANGUAGES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The programs of a language, built once."""
    return LANGUAGES[request.param](tmp_path_factory.mktemp("page"), request.config)


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server for all languages; each adds an endpoint."""
    with own_server() as running_server:
        yield running_server


@attrs.frozen
class Running:
    """A receiver of the page that runs."""

    process: subprocess.Popen[str]
    url: str

    def post(self, body: bytes, *secrets: str, headers: dict[str, str] | None = None) -> int:
        """Send it a delivery that is signed now, with these secrets; gives the status of its answer."""
        signed = {webhooks.SIGNATURE_HEADER: webhooks.sign(secrets, int(time.time()), body)} if secrets else {}
        sent = {"Content-Type": "application/json", **signed, **(headers or {})}
        # The receiver may not listen yet, and it tells nobody when it does.
        with httpx.Client(transport=httpx.HTTPTransport(retries=8), timeout=PATIENCE_SECONDS) as client:
            return client.post(self.url, content=body, headers=sent).status_code

    def printed(self) -> Iterator[str]:
        """The lines that it prints, an event each; waits for the next one while the receiver runs."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield line.rstrip("\n")

    def ended(self) -> list[str]:
        """End it; gives the lines that nobody has read."""
        self.process.terminate()
        return list(self.printed())


@contextmanager
def running(built: Built, port: int, *secrets: str) -> Iterator[Running]:
    """The receiver at this port, during a `with` block."""
    variables = {**os.environ, "PORT": str(port), "LIVECORE_WEBHOOK_SECRETS": ",".join(secrets)}
    with subprocess.Popen(
        built.receiver, cwd=built.folder, env=variables, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            receiver = Running(process, f"http://localhost:{port}/")
            assert receiver.post(b"{}") == 400
            yield receiver
        finally:
            process.terminate()


def test_every_delivery_is_judged_rightly(built: Built) -> None:
    """Nobody's delivery is accepted, and none of ours is refused."""
    judged = built.judged()
    wrong = [each.name for each, said in zip(DELIVERIES, judged, strict=False) if said is not each.ours]
    assert (wrong, all(judged[len(DELIVERIES) :])) == ([], True)
    assert len(judged) >= len(DELIVERIES)


def test_a_receiver_handles_once_what_is_signed_and_nothing_else(built: Built) -> None:
    """A delivery, its repetition with the other secret, samples, forgeries, a long body; it answers and goes on."""
    body, again = written("gift.claimed"), written("gift.claimed", attempt=2)
    names = ("evt_2 ü", "evt_3", "evt_4")
    other, forged, made_up = (body.replace(b'"evt_1"', f'"{name}"'.encode()) for name in names)
    sample = {webhooks.SAMPLE_HEADER: "1"}
    with running(built, free_port(), OLD, NEW) as receiver:
        statuses = [
            receiver.post(body, NEW),
            receiver.post(again, OLD),
            receiver.post(body, NEW, OLD),
            receiver.post(made_up, NEW, headers=sample),
            receiver.post(other, NEW, headers=sample),
            receiver.post(other, OLD),
            receiver.post(forged, "whsec_guessed"),
            receiver.post(forged, "whsec_guessed", headers=sample),
            receiver.post(forged),
            receiver.post(forged, headers={webhooks.SIGNATURE_HEADER: "t=1,v1=x"}),
            receiver.post(b"", headers={webhooks.SIGNATURE_HEADER: "t=1,v1=x"}),
        ]
        assert statuses == [204] * 6 + [400] * 5
        with suppress(httpx.TransportError):  # it hangs up
            assert receiver.post(b"x" * (1 << 21), NEW) in (400, 413)
        assert receiver.post(body, NEW) == 204
        assert receiver.ended() == ["evt_1 gift.claimed", "evt_2 ü gift.claimed"]


def test_a_receiver_takes_what_a_server_sends(built: Built, server: OwnServer) -> None:
    """A player registers at a real server, which tells the receiver."""
    port = free_port()
    secret = server.add_webhook(f"http://localhost:{port}/")
    with running(built, port, secret) as receiver:
        with SdkClient(base_url=server.base_url, api_key=server.client_key, external_player_id=f"zoë {port}") as game:
            game.players.register()
        assert any(line.endswith(" player.registered") for line in receiver.printed())
