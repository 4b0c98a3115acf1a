"""The social graph: friend requests and friendships, blocks, search, suggestions, and gifts between friends."""
