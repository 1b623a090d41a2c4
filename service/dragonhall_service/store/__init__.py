"""Redis or Valkey: keys, stored formats, the atomic commit, the doorbell, the public index."""
