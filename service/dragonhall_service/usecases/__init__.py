"""What the service does, free of wire and database: load, ask the engine, commit."""
