"""The table of operations as data: one row for each, and what builds the rows of a surface."""
