"""The pages of the reference on operations: for each surface one that lists them, and below it one for each subject."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import cast

from reference_words import code_link, contents, example, field, fields_of, messages, name_of, required

from livecore.api.assistants.tool_sets import sets_of
from livecore.api.assistants.tools import Tool, tools_of
from livecore.api.documents.description import describe
from livecore.api.operations import OPERATIONS
from livecore.api.refusals import refusals_of
from livecore.api.table.operation import Operation, Surface
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Json, JsonObject

MOST_CHARACTERS = 96
"""The longest line of code that a page shows whole."""
CREDENTIALS = {
    "none": "none",
    "client_key": "client key",
    "player": "client key and player secret",
    "server_key": "server key",
    "member": "session or personal key",
}
TOOLS = {tool.operation.id: tool for tool in tools_of(OPERATIONS).values()}
"""The tools of assistants, by the id of the operation."""
SURFACES: dict[Surface, tuple[str, str, str]] = {
    "sdk": ("client", "Client operations", "What a game client may call, under `/sdk/v1`."),
    "server": ("server", "Server operations", "What a studio's backend may call, under `/server/v1`."),
    "admin": ("operator", "Operator operations", "What members of a studio may call, under `/admin/v1`."),
}
"""The folder of each surface, the title of its page, and its first sentence."""
OPERATIONS_LEAD = """
{lead} The machine-readable form is served at `/{surface}/v1/openapi.json`.

`{{externalId}}` is {who}, by the studio's own id. Answers are under `data`, refusals under `error`; every code has a
section among the [errors](errors.md).

Every request may carry `X-Svc-SDK`, `X-Svc-Platform`, `X-Svc-App-Version` and `X-Request-Id`. Every answer carries
`X-Request-Id` and, while the bucket is on, `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.
"""


def operations_pages(surface: Surface, entries: Sequence[Operation], areas: Areas) -> dict[str, str]:
    """The page of a surface, which lists every operation, and the pages of its subjects."""
    folder, title, lead = SURFACES[surface]
    whole = describe(surface, entries, areas)
    who = "the acting player" if surface == "sdk" else "the player in question"
    listing = [f"# {title}", OPERATIONS_LEAD.format(lead=lead, surface=surface, who=who)]
    pages, slugs = {}, []
    for tag in cast("list[JsonObject]", whole["tags"]):
        subject = str(tag["name"])
        mine = [
            entry for entry in entries if entry.surface == surface and described_as(whole, entry)["tags"] == [subject]
        ]
        if not mine:
            continue
        name, words = slug(subject), spaced(subject)
        slugs.append(name)
        listing += [f"## [{words.capitalize()}]({folder}/{name}.md)", "", *(line_of(entry) for entry in mine), ""]
        lines = [f"# {title.partition(' ')[0]}: {words}", "", lead_of(surface, tag), ""]
        for entry in mine:
            lines += operation_section(whole, entry)
        pages[f"{folder}/{name}.md"] = "\n".join(lines)
    return {f"{folder}-operations.md": "\n".join([*listing, *contents(folder, slugs)]), **pages}


def spaced(subject: str) -> str:
    """The name of a subject as people write it."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in subject)


def slug(subject: str) -> str:
    """The name of a subject as the name of a page."""
    return spaced(subject).replace(" ", "-")


def lead_of(surface: Surface, tag: JsonObject) -> str:
    """The first paragraph of the page of a subject."""
    folder, title, _ = SURFACES[surface]
    return f"{tag['description']} [{title}](../{folder}-operations.md) says what holds for every request."


def line_of(entry: Operation) -> str:
    """An operation in the list of its surface."""
    return f"- [`{entry.name}`](#{anchor(entry)}): {entry.summary}"


def anchor(entry: Operation) -> str:
    """Where the section of an operation is."""
    return f"operation-{entry.surface}-{entry.name.lower()}"


def described_as(whole: JsonObject, entry: Operation) -> JsonObject:
    """What the document says of an operation."""
    paths = cast("dict[str, dict[str, JsonObject]]", whole["paths"])
    return paths[entry.path][entry.method.lower()]


def operation_section(whole: JsonObject, entry: Operation) -> list[str]:
    """One operation."""
    described = described_as(whole, entry)
    facts = [
        f"Credential: {CREDENTIALS[entry.credential]}.",
        f"Bucket: {f'`{entry.bucket}`' if entry.bucket else 'none'}.",
    ]
    if entry.surface == "admin":
        facts.append(f"Permission: {f'`{entry.permission}`' if entry.permission else 'none needed'}.")
    if entry.dashboard_only:
        facts.append(signed_in_only(entry))
    if entry.keyed or entry.derives:
        facts.append("Takes an idempotency key.")
    if entry.id in TOOLS:
        facts.append(as_tool(TOOLS[entry.id]))
    lines = [
        f"({anchor(entry)})=", f"## {entry.name}", "", entry.summary, "",
        "```text", *route(entry), "```", "", " ".join(facts), "",
    ]  # fmt: skip
    if described["description"] and described["description"] != entry.summary:
        lines += [str(described["description"]), ""]
    lines += arguments(whole, described)
    for status in entry.answers:
        answer = definition(whole, cast("dict[str, JsonObject]", described["responses"])[str(status)])
        ((media, content),) = cast("dict[str, JsonObject]", answer["content"]).items()
        text = example(content["example"], "an answer") if media == "application/json" else messages(content)
        lines += [f"Answers {status}: {answer['description']}", "", *text]
    by_status = groupby(refusals_of(entry), key=lambda kind: kind.status)
    codes = [f"{status} {', '.join(map(code_link, kinds))}" for status, kinds in by_status]
    return [*lines, f"Refuses with {'; '.join(codes)}.", ""]


def as_tool(tool: Tool) -> str:
    """The tool of an operation, and where it is listed."""
    sets = ", ".join(f"`{name}`" for name, names in sets_of(TOOLS.values()).items() if tool.name in names)
    asked = ", destructive" if tool.operation.destructive else ""
    return f"Tool of assistants: `{tool.name}`{asked}, listed in {sets}."


def signed_in_only(entry: Operation) -> str:
    """What a personal key may not do of an operation."""
    live = " in the live environment" if entry.dashboard_only == "live" else ""
    given = " and ".join(f"`{name}`" for name in entry.dashboard_only_with)
    return f"Not by a personal key{live}{f' where {given} is given' if given else ''}."


def route(entry: Operation) -> list[str]:
    """The method and the path, on two lines where the page would cut off one."""
    whole = f"{entry.method} {entry.path}"
    return [whole] if len(whole) <= MOST_CHARACTERS else [entry.method, entry.path]


def arguments(whole: JsonObject, described: JsonObject) -> list[str]:
    """The list of an operation's arguments and an example of its body."""
    given = [definition(whole, one) for one in cast("list[JsonObject]", described["parameters"])]
    rows = [
        field(str(one["name"]), cast("JsonObject", one["schema"]), str(one["in"]), *required(one.get("required")))
        for one in given
        if one["in"] != "header"
    ]
    body = cast("dict[str, dict[str, JsonObject]]", described.get("requestBody", {}))
    if not body:
        return listed(rows)
    content = body["content"]["application/json"]
    schema = definition(whole, cast("JsonObject", content["schema"]))
    rows += fields_of(inlined(whole, schema), "body")
    return [*listed(rows), "Example body:", "", *example(content["example"], "a body")]


def listed(rows: list[str]) -> list[str]:
    """Arguments under their heading, or nothing where there are none."""
    return ["Arguments:", "", *rows, ""] if rows else []


def definition(whole: JsonObject, schema: JsonObject) -> JsonObject:
    """The component that is referred to, or what stands there itself."""
    if "$ref" not in schema:
        return schema
    components = cast("dict[str, dict[str, JsonObject]]", whole["components"])
    return components[str(schema["$ref"]).split("/")[2]][name_of(schema)]


def inlined(whole: JsonObject, schema: Json) -> JsonObject:
    """A schema with its references replaced by what they refer to, for a page that has no sections for shapes."""

    def walk(part: Json) -> Json:
        if isinstance(part, list):
            return [walk(member) for member in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return walk({"type": "object", **definition(whole, part), "additionalProperties": None})
        return {name: walk(member) for name, member in part.items()}

    return cast("JsonObject", walk(schema))
