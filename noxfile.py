"""The project's life as sessions: `nox -l` lists them, `nox` runs what must be green before a change is proposed.

Each session makes its own environment. `.ci/run` runs the same sessions with `--no-venv` in one environment that it has
made, so that no command has a second home.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import nox
from nox.virtualenv import PassthroughEnv

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "types", "generated", "docs", "tests"]
nox.options.default_venv_backend = "virtualenv"
# `nox -s tests` runs on every supported Python that the machine has.
nox.options.error_on_missing_interpreters = False

PYTHONS = ["3.11", "3.12", "3.13"]
EVERYTHING = ".[dev,postgres]"
DIST = Path("dist")
CONTAINERS = Path("examples", "deploy", "containers")
PROOFS = "tests/proofs"
SCRIPTS = sorted(Path(".ci").glob("*.py"))
GENERATORS = [script for script in SCRIPTS if "--check" in script.read_text("utf-8")]
"""Scripts that write files kept in the repository; with `--check` they write nothing and fail when a file is out of date."""


def _install(session: nox.Session) -> None:
    """Install the checkout with all tools, unless the caller has prepared the environment (`--no-venv`)."""
    if not isinstance(session.virtualenv, PassthroughEnv):
        session.install("-e", EVERYTHING)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests that every change needs on each Python that is found; arguments after `--` go to pytest."""
    _install(session)
    session.run("pytest", *session.posargs)


@nox.session
def proofs(session: nox.Session) -> None:
    """Run what takes long: kills, faults, races of processes, long laws, the documents' edges, examples, browsers."""
    _install(session)
    session.run("pytest", PROOFS, *session.posargs)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run tests and proofs on the oldest Python with the lowest version of each dependency that pyproject.toml admits."""
    session.install("uv")
    found = Path(session.create_tmp()).resolve() / "lowest.txt"
    resolution = ("--resolution", "lowest-direct", "--python-version", PYTHONS[0])
    _compile(session, "pyproject.toml", found, *resolution, "--extra", "dev", "--extra", "postgres")
    session.install("-r", str(found))
    session.install("--no-deps", "-e", ".")
    session.run("pytest", *session.posargs)
    if not session.posargs:
        session.run("pytest", PROOFS)


@nox.session
def lock(session: nox.Session) -> None:
    """Write anew of what the container image is made and what makes it: newest versions, each with its hashes."""
    session.install("uv")
    build = Path(session.create_tmp()).resolve() / "build.in"
    build.write_text("\n".join(nox.project.load_toml("pyproject.toml")["build-system"]["requires"]), "utf-8")
    python = re.findall(r"^ARG PYTHON=(.+)$", (CONTAINERS / "Dockerfile").read_text("utf-8"), re.MULTILINE)[0]
    hashed = ("--universal", "--python-version", python, "--generate-hashes", "--upgrade")
    _compile(session, "pyproject.toml", CONTAINERS / "server.lock", *hashed, "--extra", "postgres")
    _compile(session, str(build), CONTAINERS / "build.lock", *hashed)


def _compile(session: nox.Session, asked: str, target: Path, *options: str) -> None:
    """Resolve what a file asks for; what is written names the session, and neither a package index nor a folder."""
    told = ("--custom-compile-command", "nox -s lock", "--no-emit-index-url", "--no-annotate")
    session.run("uv", "pip", "compile", "--quiet", *told, *options, asked, "--output-file", str(target))


@nox.session
def laws(session: nox.Session) -> None:
    """Look further than tests and proofs do: three hundred new sequences for each law, and as many seeds."""
    _install(session)
    tests = ("tests/laws", f"{PROOFS}/laws", "--timeout=3600")
    session.run("pytest", *tests, *session.posargs, env={"LIVECORE_LAW_EXAMPLES": "300"})


@nox.session
def crash(session: nox.Session) -> None:
    """Kill servers three hundred times under load, on each store and beside another, and try every fault there is."""
    _install(session)
    tests = (f"{PROOFS}/crash", f"{PROOFS}/faults", "--timeout=900")
    session.run("pytest", *tests, *session.posargs, env={"LIVECORE_CRASH_ROUNDS": "300"})


@nox.session
def documents(session: nox.Session) -> None:
    """Hold the server against its own documents: the edges of every constraint, fifty random requests for each operation.

    Or as many as `LIVECORE_SCHEMATHESIS_EXAMPLES` says.
    """
    _install(session)
    environment = {"LIVECORE_SCHEMATHESIS_EXAMPLES": os.environ.get("LIVECORE_SCHEMATHESIS_EXAMPLES", "50")}
    tests = [f"{PROOFS}/documents/test_schemathesis{of}.py" for of in ("", "_operators")]
    session.run("pytest", *tests, "--timeout=3600", *session.posargs, env=environment)


@nox.session
def boards(session: nox.Session) -> None:
    """Compare samples of a leaderboard with a million entries with a sort, on a real server."""
    _install(session)
    session.run(
        "pytest", f"{PROOFS}/server/test_large_boards.py", *session.posargs, env={"LIVECORE_BOARD_ENTRIES": "1000000"}
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and layout; changes nothing."""
    _install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of code, tests and examples, strictly."""
    _install(session)
    session.run("mypy", *session.posargs)
    # One by one: `.ci` is a folder of scripts, and its name cannot be a package's.
    for script in SCRIPTS:
        session.run("mypy", str(script))


@nox.session
def generated(session: nox.Session) -> None:
    """Check that generated files are current; `nox -s generated -- --write` brings them up to date."""
    _install(session)
    arguments = [] if session.posargs == ["--write"] else ["--check"]
    for script in GENERATORS:
        session.run("python", str(script), *arguments)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation into docs/_build/html; a warning is an error."""
    _install(session)
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "--quiet", "docs", "docs/_build/html")
    session.log("Read it at docs/_build/html/index.html")


@nox.session
def examples(session: nox.Session) -> None:
    """Run every example as the proofs do."""
    _install(session)
    session.run("pytest", f"{PROOFS}/examples", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure; prints machine, versions and ratios, and asserts nothing."""
    _install(session)
    session.run("python", "-m", "tests.programs.bench", *session.posargs)


@nox.session
def soak(session: nox.Session) -> None:
    """Load a server for half an hour and see whether anything grows; `-- --minutes 5 --database postgres --workers 2`."""
    _install(session)
    session.run("python", "-m", "tests.programs.soak", *session.posargs)


@nox.session(venv_backend="none")
def dev(session: nox.Session) -> None:
    """Make `.venv`, the environment to work in."""
    session.run("python3", "-m", "venv", ".venv", external=True)
    session.run(".venv/bin/pip", "install", "--quiet", "-e", EVERYTHING, external=True)
    session.log("Enter it with: source .venv/bin/activate")


@nox.session
def build(session: nox.Session) -> None:
    """Build sdist and wheel into dist/."""
    _wheel(session)


@nox.session
def install(session: nox.Session) -> None:
    """Install as users do, in fresh environments: the wheel with each extra alone, and what the pages tell a newcomer."""
    wheel = _wheel(session)
    with TemporaryDirectory() as folder:
        for extra in ("", "client", "server", "postgres"):
            environment = Path(folder).resolve() / f"with-{extra or 'nothing'}"
            session.run("python", "-m", "venv", str(environment))
            python = str(environment / "bin" / "python")
            wanted = f"{wheel}[{extra}]" if extra else str(wheel)
            session.run(python, "-m", "pip", "install", "--quiet", wanted, external=True)
            session.run(python, "-I", ".ci/check_extra.py", *filter(None, [extra]), external=True)
    session.run("python", ".ci/first_minutes.py")


def _wheel(session: nox.Session) -> Path:
    """Build both distributions; gives the wheel."""
    session.install("build")
    shutil.rmtree(DIST, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(DIST))
    (wheel,) = DIST.glob("*.whl")
    return wheel
