"""The exceptions for error codes, family by family."""
