"""What stores keep and how it is read and written: records, tables, reads, transactions, and the store in memory."""
