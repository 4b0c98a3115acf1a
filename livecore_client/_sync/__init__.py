# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""The synchronous clients."""
