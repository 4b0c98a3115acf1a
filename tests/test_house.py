"""The house rules as tests: what the architecture promises about files and imports is read from the files.

Everything here looks at source text and syntax trees and imports nothing of what it judges, so a breach is reported as a
list of places, and a module that does not even import is still judged.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
CORE, SERVER, CLIENT = "livecore", "livecore_server", "livecore_client"

THIRD_PARTY = {"attr", "attrs", "cattr", "cattrs"}
"""All that the core may import besides itself and the harmless part of the standard library."""

_IO_NAMES = """
    _thread argparse asyncio builtins code codecs concurrent configparser ctypes curses dbm fcntl fileinput ftplib
    getpass glob http imaplib importlib.metadata importlib.resources io locale logging lzma mmap multiprocessing netrc os
    pathlib pickle pkgutil platform poplib pty queue random readline resource runpy sched secrets select selectors shelve
    shutil signal site smtplib socket socketserver sqlite3 ssl subprocess syslog tarfile tempfile termios threading time
    traceback tty urllib.request urllib.robotparser uuid wave webbrowser wsgiref xmlrpc zipfile zipimport
"""
IO_MODULES = set(_IO_NAMES.split())
"""Modules of the standard library that do I/O, read a clock, draw chance or start a thread."""
IO_CALLS = {"breakpoint", "input", "open", "print"}

FORBIDDEN_NAMES = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
OWN = {CORE, SERVER, CLIENT, "tests"}
FRONT_DOORS = {"testing", "errors", "surfaces"}
"""Folders of the core whose modules game teams import from."""
MAX_LINES = 500
MAX_BODY = 40


@cache
def python_files() -> tuple[Path, ...]:
    """Every Python file of the repository, and none of an environment or a build."""
    found = [ROOT / "noxfile.py", ROOT / "docs" / "conf.py"]
    for folder in (CORE, SERVER, CLIENT, "examples", "tests", ".ci"):
        found.extend(sorted((ROOT / folder).rglob("*.py")))
    return tuple(path for path in found if "__pycache__" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def place(path: Path, line: int | None = None) -> str:
    """A file, and a line, as a person would name it."""
    name = path.relative_to(ROOT).as_posix()
    return name if line is None else f"{name}:{line}"


def files_of(package: str) -> list[Path]:
    """The files of one import package."""
    return [path for path in python_files() if path.relative_to(ROOT).parts[0] == package]


def core_files() -> list[Path]:
    """The files of the core; the pytest plugin runs inside pytest, and is no part of it."""
    return [path for path in files_of(CORE) if path.relative_to(ROOT).parts[1] != "testing"]


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Every name that a file imports, dotted, wherever in the file, with its line."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found += ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    return tuple(found)


def within(name: str, modules: set[str]) -> bool:
    """Whether a dotted name is one of the modules or lies inside one."""
    parts = name.split(".")
    return any(".".join(parts[:length]) in modules for length in range(1, len(parts) + 1))


def test_core_imports_nothing_that_does_io() -> None:
    """The core imports attrs, cattrs, itself, and of the standard library only what does no I/O."""
    allowed = (THIRD_PARTY | sys.stdlib_module_names | {CORE}) - IO_MODULES
    breaches = [
        f"{place(path, line)} imports {name}"
        for path in core_files()
        for line, name in imports(path)
        if name.partition(".")[0] not in allowed or within(name, IO_MODULES)
    ]
    assert breaches == []


def test_core_calls_no_builtin_that_does_io() -> None:
    """The core opens no file, prints nothing and asks nobody."""
    breaches = [
        f"{place(path, node.lineno)} calls {node.func.id}"
        for path in core_files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IO_CALLS
    ]
    assert breaches == []


def test_hosts_are_imported_by_nobody_below_and_not_by_each_other() -> None:
    """The core knows no host, the client knows no server, and the server no client."""
    forbidden = {CORE: {SERVER, CLIENT}, CLIENT: {SERVER}, SERVER: {CLIENT}}
    breaches = [
        f"{place(path, line)} imports {name}"
        for package, others in forbidden.items()
        for path in files_of(package)
        for line, name in imports(path)
        if within(name, others | {"examples", "tests"})
    ]
    assert breaches == []


def distribution_name(name: str) -> str:
    """A distribution's name in the one spelling that counts (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def installed_with(extra: str | None) -> frozenset[str]:
    """The distributions that are there with an extra, or with none (`None`), as pyproject.toml and their metadata say."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = project["dependencies"] + ([] if extra is None else project["optional-dependencies"][extra])
    found: set[tuple[str, str]] = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        wanted = waiting.pop()
        name = distribution_name(wanted.name)
        for part in {"", *wanted.extras} - {part for known, part in found if known == name}:
            found.add((name, part))
            below = project["optional-dependencies"].get(part, []) if name == CORE else requires(name) or []
            further = [Requirement(line) for line in below]
            waiting += [each for each in further if each.marker is None or each.marker.evaluate({"extra": part})]
    return frozenset(name for name, _ in found)


def extra_of(path: Path) -> str | None:
    """The extra that promises a file: PostgreSQL's store has its own, and the core needs none."""
    if path.is_relative_to(ROOT / SERVER / "storage" / "postgres"):
        return "postgres"
    return {CORE: None, SERVER: "server", CLIENT: "client"}[path.relative_to(ROOT).parts[0]]


def test_a_module_imports_only_what_its_extra_installs() -> None:
    """Whoever installs `livecore[server]` has nothing of PostgreSQL's, and no module may need it to be imported."""
    distributions = packages_distributions()
    breaches = [
        f"{place(path, line)} imports {name}, which the extra {extra_of(path)} does not install"
        for package in (SERVER, CLIENT)
        for path in files_of(package)
        for line, name in imports(path)
        for top in [name.partition(".")[0]]
        if top not in sys.stdlib_module_names | {CORE, SERVER, CLIENT}
        and installed_with(extra_of(path)).isdisjoint(map(distribution_name, distributions.get(top, [top])))
    ]
    assert breaches == []


def runs_at_import(path: Path) -> Iterator[tuple[int, str]]:
    """What a module imports when it is imported itself: outside of functions, and not for types only."""
    waiting: list[ast.AST] = list(tree(path).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def test_the_server_imports_the_store_of_an_extra_only_where_it_is_asked_for() -> None:
    """A module of the server may be imported without the extra `postgres`, so it imports that store inside functions."""
    breaches = [
        f"{place(path, line)} imports {name}"
        for path in files_of(SERVER)
        if extra_of(path) == "server"
        for line, name in runs_at_import(path)
        if within(name, {f"{SERVER}.storage.postgres"})
    ]
    assert breaches == []


def test_rows_are_pure_shapes() -> None:
    """What the wire shows is declared from the kernel and other rows alone, so that a client can import it without rules."""
    breaches = [
        f"{place(path, line)} imports {name}"
        for path in core_files()
        if path.stem.endswith("rows")
        for line, name in imports(path)
        if name.split(".")[0] == CORE and name.split(".")[1] != "kernel"
        if not any(part.endswith("rows") for part in name.split(".")[2:3])
    ]
    assert breaches == []


def test_files_stay_short() -> None:
    """A file over 500 lines asks to be divided along an idea."""
    lengths = {place(path): len(path.read_text("utf-8").splitlines()) for path in python_files()}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines the body of a function has, from its first statement after the docstring to its end."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def test_functions_stay_short() -> None:
    """A function whose body has over 40 lines asks to be divided along an idea; a test may tell a longer story in one."""
    lengths = {
        f"{place(path, node.lineno)} {node.name}": body_lines(node)
        for path in python_files()
        if path.relative_to(ROOT).parts[0] != "tests"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > MAX_BODY} == {}


def test_names_say_what_is_inside() -> None:
    """No file or folder has a name under which anything could stand."""
    breaches = [
        place(path)
        for path in python_files()
        if FORBIDDEN_NAMES & {part.removesuffix(".py").strip("_") for part in path.relative_to(ROOT).parts}
    ]
    assert breaches == []


def test_every_file_says_what_it_is_for() -> None:
    """Every file begins with a docstring, after comments at most; no syntax tree is needed to see that."""
    docstring = re.compile(r'(#.*\n|\n)*r?"""\S')
    assert [place(path) for path in python_files() if not docstring.match(path.read_text("utf-8"))] == []


def public_definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public classes and functions, methods included; an overload is explained by its implementation."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
        if not marks & {"overload", "setter", "override"}:
            yield node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node.body)


def test_every_public_name_of_the_core_is_explained() -> None:
    breaches = [
        f"{place(path, node.lineno)} {node.name}"
        for path in files_of(CORE)
        for node in public_definitions(tree(path).body)
        if not ast.get_docstring(node)
    ]
    assert breaches == []


def words_of(text: str) -> set[str]:
    """The words of a name or a sentence."""
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def test_what_tests_share_is_explained_and_what_a_name_says_is_not_repeated() -> None:
    """A public function of the tests has a docstring, and a test has one where its name leaves something to say."""
    functions = [
        (place(path, node.lineno), node.name, ast.get_docstring(node))
        for path in files_of("tests")
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    assert [(at, name) for at, name, said in functions if said is None and not name.startswith("test_")] == []
    assert [(at, name) for at, name, said in functions if said and words_of(said) <= words_of(name)] == []


def test_no_private_name_crosses_a_module() -> None:
    """What begins with an underscore is its module's own: nobody imports it, and nobody reads it from a module."""
    breaches = [
        f"{place(path, line)} imports {name}"
        for path in python_files()
        for line, name in imports(path)
        for module, _, member in [name.rpartition(".")]
        if module.split(".")[0] in OWN and member.startswith("_") and not member.endswith("__")
        if not (ROOT / module.replace(".", "/") / f"{member}.py").exists()
        if not (ROOT / module.replace(".", "/") / member).is_dir()
    ]
    assert breaches == []


def test_only_what_people_import_lists_its_names() -> None:
    """`__all__` stands at the front doors of packages and in what is generated; elsewhere the underscore says it."""
    breaches = [
        place(path)
        for package in (CORE, SERVER, "tests")
        for path in files_of(package)
        if path.name != "__init__.py" and not FRONT_DOORS & {*path.relative_to(ROOT).parts}
        if any(
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
            for node in tree(path).body
        )
    ]
    assert breaches == []


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Every comment of a file with its line."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_every_exception_from_a_check_has_its_reason() -> None:
    """An exception in the code reads `# noqa: CODE - why` or `# type: ignore[code] # why`."""
    exception = re.compile(r"noqa|type: *ignore")
    reasoned = re.compile(r"# (noqa: [A-Z0-9, ]*[A-Z0-9] - \S|type: ignore\[[a-z, -]+\] +# ?\S)")
    breaches = [
        place(path, line)
        for path in python_files()
        if exception.search(path.read_text("utf-8"))
        for line, comment in comments(path)
        if exception.search(comment) and not reasoned.search(comment)
    ]
    assert breaches == []


def test_every_rule_that_is_switched_off_has_its_reason() -> None:
    """Each line of a list of ignored lint rules in the configuration says why."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    lint = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = {code for codes in lint["per-file-ignores"].values() for code in codes} | set(lint["ignore"])
    lines = [line for line in text.splitlines() if re.match(r'\s+"[A-Z]+\d+",', line)]
    assert codes == {line.split('"')[1] for line in lines}
    assert [line for line in lines if not re.search(r'", +# \S', line)] == []


def test_no_test_waits_for_time_to_pass() -> None:
    """A test hands in a later instant or waits for a fact: it never sleeps."""
    breaches = [
        place(path, node.lineno)
        for path in files_of("tests")
        if ".sleep(" in path.read_text("utf-8")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and re.fullmatch(r"(time|asyncio)\.sleep\((?!0\)).*\)", ast.unparse(node))
    ]
    assert breaches == []


def test_what_a_test_waits_for_has_one_bound() -> None:
    """Who waits for a fact does so for `PATIENCE_SECONDS`: a number of one's own is too small on some machine."""
    number = re.compile(r"asyncio\.timeout\(\d|\.(wait|join|communicate)\((timeout=)?[1-9]|[(, ]timeout=[1-9]")
    breaches = [
        place(path, line)
        for path in files_of("tests")
        if path.relative_to(ROOT).parts[1] != "programs"
        for line, text in enumerate(path.read_text("utf-8").splitlines(), 1)
        if number.search(text)
    ]
    assert breaches == []


def test_programs_hold_no_tests() -> None:
    """What stands in `tests/programs` is run by a person or a session and is no test: pytest does not look there."""
    breaches = [
        place(path, node.lineno)
        for path in files_of("tests")
        if path.relative_to(ROOT).parts[1] == "programs"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert breaches == []


def test_every_decision_is_listed() -> None:
    """The index of the decisions names every page, once, and no other."""
    folder = ROOT / "docs" / "decisions"
    listing = re.search(r"```\{toctree\}\n(?::.*\n)*\n(.*?)```", (folder / "index.md").read_text("utf-8"), re.DOTALL)
    assert listing is not None
    assert sorted(listing.group(1).split()) == sorted(page.stem for page in folder.glob("*.md") if page.stem != "index")


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", ".ci/run"])
def test_the_test_command_is_the_one_of_the_readme(page: str) -> None:
    """The README's one command that runs every test is what contributors are told and what the check runs."""
    commands = re.findall(r"^\$ (.*/pytest)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(commands) == 1
    assert commands[0] in (ROOT / page).read_text("utf-8")


def test_git_overlooks_what_a_development_server_leaves() -> None:
    """The README's first command runs in the clone: neither its database nor its keys may be committed with the rest."""
    left = [f"livecore-dev.db{ending}" for ending in ("", "-wal", "-shm", ".keys.json", ".vault-key")]
    command = ["git", "check-ignore", "--no-index", *left]
    overlooked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert overlooked == left
