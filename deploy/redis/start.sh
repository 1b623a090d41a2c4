#!/bin/sh
# Write the ACL with the digests of the passwords that the environment names, then become the store.
# Usage: start.sh SERVER [ARGUMENT]...   for example: start.sh redis-server /etc/dragonhall/redis.conf
# The user default is off and has no password, so nobody can be it, but it may do everything: Redis 7.0
# replays the append-only file in its name, and would lose every commit that it may not make.
# REPLICATION_PASSWORD is for stores of several servers: of the users replica and sentinel, who are
# left out without it; replication.conf, beside the ACL, holds what a replica shows its primary.
# DRAGONHALL_ACL_TEMPLATE and DRAGONHALL_ACL move the two files.
set -eu
: "${SERVICE_PASSWORD:?set it to the password of the user dragonhall}"
: "${OPERATOR_PASSWORD:?set it to the password of the user operator}"

digest() { printf %s "$1" | sha256sum | cut -c1-64; }

acl=${DRAGONHALL_ACL:-/run/dragonhall/users.acl}
replication=/REPLICATION_SHA256/d
umask 077
if [ "${REPLICATION_PASSWORD:-}" ]; then
  replication="s/REPLICATION_SHA256/$(digest "$REPLICATION_PASSWORD")/"
  printf 'masteruser replica\nmasterauth %s\n' "$REPLICATION_PASSWORD" >"$(dirname "$acl")/replication.conf"
fi
sed -e "s/SERVICE_SHA256/$(digest "$SERVICE_PASSWORD")/" \
    -e "s/OPERATOR_SHA256/$(digest "$OPERATOR_PASSWORD")/" \
    -e "$replication" \
    "${DRAGONHALL_ACL_TEMPLATE:-/etc/dragonhall/users.acl}" >"$acl"
unset SERVICE_PASSWORD OPERATOR_PASSWORD REPLICATION_PASSWORD
exec "$@"
