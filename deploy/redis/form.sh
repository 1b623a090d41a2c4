#!/bin/sh
# Make a cluster of nodes that answer, unless it is one; a third of them become primaries.
# Usage: form.sh HOST:PORT...   REDISCLI_AUTH holds the operator's password.
set -eu
ask() { redis-cli --user operator --no-auth-warning -h "${1%:*}" -p "${1#*:}" cluster info 2>/dev/null || true; }

addresses=
for node in "$@"; do
  until ask "$node" | grep -q cluster_state; do sleep 1; done
  host=$(getent ahostsv4 "${node%:*}" | cut -d ' ' -f 1 | head -n 1) # nodes meet by address
  addresses="$addresses $host:${node#*:}"
done
if ask "$1" | grep -q cluster_slots_assigned:16384; then exit 0; fi
# shellcheck disable=SC2086
redis-cli --user operator --no-auth-warning --cluster create $addresses --cluster-replicas 2 --cluster-yes
