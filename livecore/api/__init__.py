"""The API: a table of operations, and the pure function from a request to a response (`application`).

table/          what an operation is, as data, and what builds the rows of a surface
routes/         the rows, area by area; `operations` puts them together
configuration/  the configuration of a game: its file, and how two differ
requests/       the path of a request, from its head to its answer
operating/      what members do about games: make them, configure them, read what was done
documents/      what is derived from the table for readers: OpenAPI, examples, reference pages
assistants/     and for assistants: the operations of members as tools

Beside them stand the list of areas, what a host runs besides requests (`maintenance`), and the invariants of a scope.
"""
