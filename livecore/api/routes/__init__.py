"""The rows of the table of operations, area by area: all surfaces of an area side by side."""
