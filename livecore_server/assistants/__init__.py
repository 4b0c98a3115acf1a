"""`/mcp`: the tools and resources by which an assistant acts as a member of a studio, with a personal key.

    site        the HTTP part: origin, credential, rate limit, JSON, single messages and batches
    protocol    the Model Context Protocol: which tools and resources there are, and what a call does
    resources   the documents, the reference and the configurations that may be read
    asgi        runs the transport of the official SDK for one message

Only `site` is imported with the server. The SDK takes half a second to import, so it is imported with the first message.
"""
