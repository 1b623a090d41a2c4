"""Between the protos and the engine: pb2 types travel no further than this package and `api`."""
