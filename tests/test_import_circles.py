"""No circles of imports: a folder that another one needs does not need that one, nor does the kernel's smallest module.

Folders that import each other can only be read, tested and changed together. So the imports between folders must have an
order, in which each stands above all that it imports; those inside the kernel must have one from module to module. Every
import counts, wherever it stands: in a function, or for types only. Nothing is imported here; source text is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import pytest

ROOT: Final = Path(__file__).parent.parent

Level: TypeAlias = Callable[[str], str | None]
"""What a module belongs to, where circles are looked for; `None` for a module that is not looked at."""
Graph: TypeAlias = dict[str, dict[str, str]]
"""What imports what, each with one place where it does so."""


# -- reading --------------------------------------------------------------------------------------------------------------


def modules(root: Path, package: str) -> Mapping[str, Path]:
    """The modules of a package below a folder, by their dotted names; a package is named as its `__init__`."""
    paths = sorted((root / package).rglob("*.py"))
    return {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


@cache
def imported(module: str, path: Path) -> tuple[tuple[int, str], ...]:
    """Every dotted name that a module imports, wherever in the file, with its line."""
    return tuple(_imported(module, path))


def _imported(module: str, path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
            base = parts[: len(parts) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def graph_of(root: Path, package: str, level: Level) -> Graph:
    """What the modules of a package import of each other, on a level."""
    known = modules(root, package)
    graph: Graph = {}
    for module, path in known.items():
        for line, name in imported(module, path):
            target = name if name in known else name.rpartition(".")[0]
            one, other = level(module), level(target) if target in known else None
            if one is not None and other is not None and one != other:
                graph.setdefault(one, {}).setdefault(other, f"{path.relative_to(root)}:{line} imports {name}")
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """What imports each other, each circle as the imports that close it."""
    above = {node: _reached(graph, node) for node in graph}
    return [
        [place for other, place in graph[node].items() if node in above.get(other, ())]
        for node in sorted(graph)
        if node in above[node]
    ]


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        further = graph.get(waiting.pop(), {}).keys() - found
        found |= further
        waiting += further
    return found


# -- levels ---------------------------------------------------------------------------------------------------------------


def parts_of(package: str) -> Level:
    """What stands directly in a package: a folder with all that is in it, or a module; and the package itself."""

    def level(module: str) -> str | None:
        below = module.removeprefix(package).removeprefix(".").partition(".")[0]
        return f"{package}.{below}" if below else package

    return level


def folders_of(package: str, root: Path = ROOT) -> Level:
    """The folders that stand directly in a package; the modules beside them put these together."""
    parts = parts_of(package)

    def level(module: str) -> str | None:
        part = parts(module)
        return part if part != package and part and (root / part.replace(".", "/")).is_dir() else None

    return level


def modules_in(package: str) -> Level:
    """Each module of a package, however deep."""
    return lambda module: module if module.startswith(f"{package}.") else None


LEVELS: Final[Mapping[str, tuple[str, Level]]] = {
    "the parts of the core": ("livecore", parts_of("livecore")),
    "the modules of the kernel": ("livecore", modules_in("livecore.kernel")),
    "the folders of the kernel": ("livecore", folders_of("livecore.kernel")),
    "the folders of the API": ("livecore", folders_of("livecore.api")),
    "the folders of the server": ("livecore_server", folders_of("livecore_server")),
    "the folders of the client": ("livecore_client", folders_of("livecore_client")),
}


# -- what holds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEVELS)
def test_nothing_imports_in_circles(name: str) -> None:
    """Each part imports only what stands below it; so no area imports `livecore.api`, which has all of them."""
    package, level = LEVELS[name]
    assert circles(graph_of(ROOT, package, level)) == []


def test_the_kernel_imports_nothing_else_of_the_core() -> None:
    """It knows no feature, not even one that would not know the kernel."""
    graph = graph_of(ROOT, "livecore", parts_of("livecore"))
    assert graph.get("livecore.kernel", {}) == {}


# -- planted breaches -----------------------------------------------------------------------------------------------------


def planted(root: Path, **texts: str) -> None:
    """A package `house` of modules; `one__two` is `house/one/two.py`."""
    for name, text in texts.items():
        path = root / "house" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in (path.parent, *path.parent.parents):
            if folder.is_relative_to(root / "house"):
                (folder / "__init__.py").touch()
        path.write_text(text, "utf-8")


BREACHES: Final = {
    "directly": {"a__m": "from house.b.m import x", "b__m": "import house.a.m"},
    "through three folders": {"a__m": "import house.b.m", "b__m": "from house.c import m", "c__m": "import house.a.n"},
    "for types only": {
        "a__m": "import house.b.m",
        "b__m": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.a.m import x",
    },
    "in a function": {"a__m": "import house.b.m", "b__m": "def late():\n    from house.a import m\n    return m"},
    "by a relative import": {"a__m": "from ..b import m", "b__m": "from ..a.m import x"},
    "from another depth": {"a__deep__m": "import house.b.m", "b__m": "import house.a.n"},
    "by a package": {"a__m": "import house.b", "b____init__": "from house.a import m"},
}


@pytest.mark.parametrize("how", BREACHES)
def test_a_circle_of_folders_is_found(how: str, tmp_path: Path) -> None:
    """Whatever way it takes; and what is reported names a line of each folder in it."""
    planted(tmp_path, a__n="", c__n="import house.a.m", d__m="import house.a.m", **BREACHES[how])
    found = circles(graph_of(tmp_path, "house", folders_of("house", tmp_path)))
    assert {place.split("/")[1] for places in found for place in places} == (
        {"a", "b", "c"} if how == "through three folders" else {"a", "b"}
    )


def test_an_order_of_folders_is_no_circle(tmp_path: Path) -> None:
    """Not even where modules of one folder import each other, or a module beside the folders imports all of them."""
    planted(
        tmp_path, a__m="import house.a.n", a__n="import house.a.m", b__m="import house.a.m", beside="import house.b.m"
    )
    assert circles(graph_of(tmp_path, "house", folders_of("house", tmp_path))) == []


def test_a_circle_of_modules_is_found_inside_a_folder(tmp_path: Path) -> None:
    """Where modules are looked at one by one; the parts of a package include the modules beside its folders."""
    planted(tmp_path, a__m="import house.a.n", a__n="def late():\n    import house.a.m", b__m="import house.top")
    planted(tmp_path, top="import house.b.m", c__m="from house import name")
    (tmp_path / "house" / "__init__.py").write_text("from house.c.m import name", "utf-8")
    found = circles(graph_of(tmp_path, "house", modules_in("house.a")))
    assert [[place.split(":")[0] for place in places] for places in found] == [["house/a/m.py"], ["house/a/n.py"]]
    found = circles(graph_of(tmp_path, "house", parts_of("house")))
    assert [[place.split(":")[0] for place in places] for places in found] == [
        ["house/__init__.py"], ["house/b/m.py"], ["house/c/m.py"], ["house/top.py"],
    ]  # fmt: skip
