"""As much of curl as the walkthrough uses, for machines that have none: -s, -N, -X, -H, -d and a URL."""

from __future__ import annotations

import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def main(arguments: list[str]) -> None:
    """Send the request and print the answer's body, whatever its status."""
    method, url, body, headers = "", "", None, {}
    words = iter(arguments)
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(":")
            headers[name] = value.strip()
        elif word == "-d":
            body = next(words).encode()
        elif word not in ("-s", "-sN"):
            url = word
    method = method or ("GET" if body is None else "POST")
    request = Request(url, data=body, headers=headers, method=method)  # noqa: S310 - the test's own server
    try:
        with urlopen(request) as answer:  # noqa: S310 - the same
            for line in answer:  # a stream as well, which comes line by line
                sys.stdout.write(line.decode())
                sys.stdout.flush()
    except HTTPError as answer:
        with answer:
            sys.stdout.write(answer.read().decode())


if __name__ == "__main__":
    main(sys.argv[1:])
