"""Limits of what a server accepts, measured to matter (README, *Limits*)."""

MAX_REQUEST_BYTES = 65_536

SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_metadata_size", 8_192),
    ("grpc.absolute_max_metadata_size", 16_384),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server.max_pending_requests", 10_000),
    ("grpc.server.max_pending_requests_hard_limit", 20_000),
    ("grpc.max_connection_age_ms", 900_000),
    ("grpc.max_connection_age_grace_ms", 30_000),
)
"""Without them a silent or hostile client holds connections and memory for ever.

Calls that come faster than they are begun are kept waiting: gRPC's limits, 1,000 and 3,000, would
end some of a crowd with CANCELLED, which tells nobody to come again.
"""
