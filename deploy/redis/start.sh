#!/bin/sh
# Write the ACL with the digests of the passwords that the environment names, then become the store.
# Usage: start.sh SERVER [ARGUMENT]...   for example: start.sh redis-server /etc/dragonhall/redis.conf
# The user default is off and has no password, so nobody can be it, but it may do everything: Redis 7.0
# replays the append-only file in its name, and would lose every commit that it may not make.
# DRAGONHALL_ACL_TEMPLATE and DRAGONHALL_ACL move the two files.
set -eu
: "${SERVICE_PASSWORD:?set it to the password of the user dragonhall}"
: "${OPERATOR_PASSWORD:?set it to the password of the user operator}"

digest() { printf %s "$1" | sha256sum | cut -c1-64; }

acl=${DRAGONHALL_ACL:-/run/dragonhall/users.acl}
umask 077
sed -e "s/SERVICE_SHA256/$(digest "$SERVICE_PASSWORD")/" \
    -e "s/OPERATOR_SHA256/$(digest "$OPERATOR_PASSWORD")/" \
    "${DRAGONHALL_ACL_TEMPLATE:-/etc/dragonhall/users.acl}" >"$acl"
unset SERVICE_PASSWORD OPERATOR_PASSWORD
exec "$@"
