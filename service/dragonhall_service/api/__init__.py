"""The wire: boundary, errors, handlers, and the mapping between protos and the engine."""
