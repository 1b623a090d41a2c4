#!/bin/sh
# Become a store of a Sentinel set, the primary or a replica as primary.sh finds.
# Usage: start.sh member.sh SERVER [ARGUMENT]...
set -eu
here=$(dirname "$0")
. "$here/primary.sh"
acl=${DRAGONHALL_ACL:-/run/dragonhall/users.acl}
set -- "$@" --include "$here/replicated.conf" --include "$(dirname "$acl")/replication.conf" \
  --replica-announce-ip "${SELF% *}" --replica-announce-port "${SELF#* }"
found=$(primary)
if [ "$found" != "$SELF" ]; then set -- "$@" --replicaof "${found% *}" "${found#* }"; fi
exec "$@"
