"""Write what `livecore/surfaces` has beside the clients' methods: Protocols, and the methods of operators.

`protocols` has a Protocol for each surface that has a client: what the client and the callers of a World have in common.
`operator` has the methods of a studio's members, which only a World has. Both come from the table of operations, as the
clients do (`.ci/client.py`). With `--check` nothing is written, and the exit status is 1 when a file is out of date, missing
or left over.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from client import (
    CLIENTS,
    NOTE,
    OPERATING,
    ROOT,
    SOURCE,
    SURFACES,
    Extension,
    Extensions,
    Namespace,
    extensions_in,
    module_of,
    namespaces_of,
    root_of,
)
from client_methods import Imports, Method
from unasync import NOTE as FROM_CLIENT
from unasync import bring_up_to_date, laid_out, synchronous

from livecore.api.areas import AREAS
from livecore.api.operations import ROWS
from livecore.api.table.operation import Surface

PACKAGE: Final = "livecore.surfaces"
FOLDER: Final = ROOT.joinpath(*PACKAGE.split("."))
OPERATOR: Final = FOLDER / "operator"
PROTOCOLS: Final = FOLDER / "protocols"
WHO: Final[Mapping[Surface, str]] = {
    "sdk": "What a game calls for one player: through `livecore_client.SdkClient`, or as a player of a World.",
    "server": "What a studio's backend calls: through `livecore_client.ServerClient`, or as a World's `server`.",
}


def operator() -> dict[Path, str]:
    """The methods of operators."""
    namespaces = namespaces_of(ROWS, AREAS, ["admin"])
    made = {one.name: module_of([one], {}, OPERATING) for one in namespaces}
    made["namespaces"] = root_of("admin", namespaces, {}, f"{PACKAGE}.operator")
    made["__init__"] = f'"""What the members of a studio call, namespace by namespace."""\n{NOTE}'
    return {OPERATOR / f"{name}.py": _written(text, OPERATOR / f"{name}.py") for name, text in made.items()}


def protocols() -> dict[Path, str]:
    """The Protocols of the surfaces that have a client."""
    namespaces = namespaces_of(ROWS, AREAS)
    extensions = extensions_in(SOURCE, namespaces)
    made = {
        name: _protocols([one for one in namespaces if one.name == name], extensions)
        for name in {one.name for one in namespaces}
    }
    for surface in CLIENTS:
        made[surface] = _surface(surface, [one for one in namespaces if one.surface == surface])
    made["__init__"] = f'"""What clients and the callers of a World have in common, as types."""\n{NOTE}'
    return {PROTOCOLS / f"{name}.py": _written(text, PROTOCOLS / f"{name}.py") for name, text in made.items()}


def _protocols(namespaces: Sequence[Namespace], extensions: Extensions) -> str:
    """The Protocols of the namespaces of one name."""
    imports = Imports()
    classes: list[str] = []
    for namespace in namespaces:
        lines = [f"class {namespace.kind}(Protocol):", f'    """{namespace.doc}"""']
        for made in namespace.methods(imports):
            lines += ["", *_declared(made)]
        if namespace.kind in extensions:
            lines += _by_hand(extensions[namespace.kind], imports)
        classes.append("\n".join(lines))
    return _typed(namespaces[0].text, imports, [namespace.kind for namespace in namespaces], classes)


def _surface(surface: Surface, namespaces: Sequence[Namespace]) -> str:
    """The Protocol of a surface."""
    imports = Imports()
    kind = f"Async{SURFACES[surface][0]}Surface"
    lines = [f"class {kind}(Protocol):", f'    """{WHO[surface]}"""']
    if surface == "sdk":
        lines += ["", "    @property", "    def external_player_id(self) -> str:"]
        lines += ['        """The studio\'s id of the player that the calls act for."""']
    for namespace in namespaces:
        if namespace.is_root:
            for made in namespace.methods(imports):
                lines += ["", *_declared(made)]
            continue
        home = imports.name(f"{PACKAGE}.protocols.{namespace.name}", namespace.kind)
        lines += ["", "    @property", f"    def {namespace.name}(self) -> {home}:", f'        """{namespace.text}"""']
    return _typed(f"The surface `/{surface}/v1`.", imports, [kind], ["\n".join(lines)])


def _by_hand(extension: Extension, imports: Imports) -> Iterator[str]:
    """What a class written by hand adds to a generated one, without its bodies."""
    source = ast.parse((FOLDER / f"{extension.home.rpartition('.')[2]}.py").read_text("utf-8")).body
    homes = {alias.name: node.module for node in source if isinstance(node, ast.ImportFrom) for alias in node.names}
    (kind,) = (node for node in source if isinstance(node, ast.ClassDef))
    for node in kind.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            node.body = [ast.Expr(ast.Constant((ast.get_docstring(node) or "").partition("\n")[0]))]
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and part.id in homes:
                    imports.name(str(homes[part.id]), part.id)
            yield from ("", *(f"    {line}" for line in ast.unparse(node).splitlines()))


def _declared(method: Method) -> Iterator[str]:
    """A method without its body, and with the first sentence of its docstring."""
    yield from attrs.evolve(method, doc=method.doc.partition("\n")[0], body=()).lines()


def _typed(title: str, imports: Imports, names: Sequence[str], classes: Sequence[str]) -> str:
    """A module whose imports are for type checkers alone: nobody who names a Protocol loads the shapes of all rows."""
    lines = imports.lines()
    # A default is read when a module is, so the mark of what is absent is needed then.
    early = [line for line in lines if "ABSENT" in line]
    lazily = "\n".join([*early, "if TYPE_CHECKING:", *(f"    {line}" for line in lines if line not in early)])
    exports = ", ".join(f'"{name}"' for name in names)
    head = f'{NOTE}"""{title}"""\n\nfrom __future__ import annotations\n\nfrom typing import TYPE_CHECKING, Protocol'
    return "\n\n".join([head, lazily, f"__all__ = [{exports}]", *classes]) + "\n"


def _written(text: str, path: Path) -> str:
    """A module as it stands in the core: synchronous, and laid out."""
    return laid_out(synchronous(text).removeprefix(FROM_CLIENT), path)


def main(arguments: list[str]) -> int:
    """Write the files, or compare them with `--check`."""
    return max(
        bring_up_to_date(operator(), OPERATOR, ROOT, arguments, "surfaces.py"),
        bring_up_to_date(protocols(), PROTOCOLS, ROOT, arguments, "surfaces.py"),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
