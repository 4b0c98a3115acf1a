"""The SQL of rows: values as text, rows to records, and the statements that read and write them."""
