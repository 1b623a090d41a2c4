"""The gRPC service: loads a match, asks the engine, commits, tells whoever watches."""
