"""Write what is synchronous from `livecore_client/_async`: one source for both flavours of the client, and for a World.

What only the client has becomes `livecore_client/_sync`. The namespaces and what they are made of become modules of
`livecore/surfaces`, where the synchronous client and a World share them.

The rewriting works on Python's own tokens, so a word in a string or a comment is never mistaken for code; docstrings are
rewritten on purpose, their examples included. The result is laid out by ruff, since shorter lines may join. With `--check`
nothing is written, and the exit status is 1 when a file is out of date, missing or left over.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "livecore_client"
SOURCE = PACKAGE / "_async"
TARGET = PACKAGE / "_sync"
SHARED_TARGET = PACKAGE.parent / "livecore" / "surfaces"
SHARED = {"exporting", "guild_lists", "namespaces", "resource", "spending"}
"""The modules and packages of which the synchronous client and a World have one twin, in the core."""
SHARED_NAME = re.compile(rf"\blivecore_client\._async\.(?=({'|'.join(sorted(SHARED))})\b)")
FIRST_PARTY = ["--config", 'lint.isort.known-first-party = ["livecore", "livecore_client"]']
"""Said here because ruff guesses it from the files that exist, and some are yet to be written."""
NOTE = "# Generated from livecore_client/_async by .ci/unasync.py: edit there.\n"

DROPPED = {"async", "await"}
RENAMED = {
    "_async": "_sync",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aclosing": "closing",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
    "anext": "next",
}
PREFIX = re.compile(r"Async(?=[A-Z])")
EXPORT = re.compile(r'"Async[A-Z]\w*"')
"""A name in `__all__`."""
PROSE = [
    (re.compile(r"\ban `async (?=with|for|def)"), "a `"),
    (re.compile(r"\basync (?=with|for|def)|\bawait "), ""),
    (re.compile(r"\bAsync(?=[A-Z])"), ""),
    (re.compile(r"\baclose\b"), "close"),
    (re.compile(r"\ban asynchronous\b"), "a synchronous"),
    (re.compile(r"\bAn asynchronous\b"), "A synchronous"),
    (re.compile(r"\basynchronous"), "synchronous"),
    (re.compile(r"\bAsynchronous"), "Synchronous"),
    (re.compile(r"\b_async\b"), "_sync"),
    (re.compile(r"\ban asyncio task\b"), "a daemon thread"),
]


def synchronous(source: str) -> str:
    """The synchronous twin of a module's source, not yet laid out."""
    return NOTE + "".join(_pieces(SHARED_NAME.sub("livecore.surfaces.", source)))


def _pieces(source: str) -> Iterator[str]:
    """The source from its tokens, with the white space between them, each rewritten."""
    lines = source.splitlines(keepends=True)
    end = (1, 0)
    swallow = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        gap = _between(lines, end, token.start)
        yield "" if swallow and gap == " " else gap
        swallow = token.type == tokenize.NAME and token.string in DROPPED
        yield _rewritten(token)
        end = token.end


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two positions: white space, or a continued line's backslash."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]] if start[0] <= len(lines) else ""
    middle = lines[start[0] : end[0] - 1]
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return lines[start[0] - 1][start[1] :] + "".join(middle) + last


def _rewritten(token: tokenize.TokenInfo) -> str:
    text = token.string
    if token.type == tokenize.NAME:
        return "" if text in DROPPED else PREFIX.sub("", RENAMED.get(text, text))
    if token.type == tokenize.STRING and EXPORT.fullmatch(text):
        return PREFIX.sub("", text)
    if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and text.startswith('"""')):
        for pattern, plain in PROSE:
            text = pattern.sub(plain, text)
    return text


def laid_out(text: str, path: Path) -> str:
    """The text as the linter and the formatter want it; both read their rules from the project."""
    for arguments in (
        ["check", "--select", "F401,I,RUF022,UP028", "--fix-only", "--unsafe-fixes", *FIRST_PARTY],
        ["format"],
    ):
        command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "--stdin-filename", str(path), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def bring_up_to_date(
    wanted: Mapping[Path, str],
    folder: Path,
    root: Path,
    arguments: list[str],
    script: str,
    by_hand: Collection[Path] = (),
) -> int:
    """Write the files, and remove what is left over in their folder; with `--check` only name them. Gives the exit status.

    `root` is the folder from which the files are named; those `by_hand` stand among the others, and stay.
    """
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    left_over = sorted({*folder.rglob("*.py")} - {*wanted, *by_hand})
    if "--check" in arguments:
        for path in [*stale, *left_over]:
            print(f"{path.relative_to(root)} is out of date: run python .ci/{script}")
        return 1 if stale or left_over else 0
    for path in left_over:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    return 0


def is_generated(path: Path) -> bool:
    """Whether this script has written a file."""
    return path.read_text(encoding="utf-8").startswith(NOTE)


def main(arguments: list[str]) -> int:
    """Write the files, or compare them with `--check`."""
    of_client: dict[Path, str] = {}
    shared: dict[Path, str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        is_shared = place.with_suffix("").parts[0] in SHARED
        target = (SHARED_TARGET if is_shared else TARGET) / place
        (shared if is_shared else of_client)[target] = laid_out(synchronous(path.read_text(encoding="utf-8")), target)
    by_hand = [path for path in SHARED_TARGET.rglob("*.py") if not is_generated(path)]
    root = PACKAGE.parent
    return max(
        bring_up_to_date(of_client, TARGET, root, arguments, "unasync.py"),
        bring_up_to_date(shared, SHARED_TARGET, root, arguments, "unasync.py", by_hand),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
