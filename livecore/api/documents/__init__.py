"""The documents that are derived from the table: OpenAPI, its examples, and short reference pages."""
