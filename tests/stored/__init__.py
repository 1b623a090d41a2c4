"""What releases have stored, kept so that each later one is tried on it (promise P15)."""
