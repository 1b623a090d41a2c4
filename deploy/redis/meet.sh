#!/bin/sh
# Lead a cluster's node to the others under their names, while it lives. They know each other by ids and
# keep addresses, which pods change. Who does not answer is looked up and met again; the node learns by
# the id whom it has met, and that this is the new address.
# Usage: meet.sh & in the shell that becomes the node. REDIS_CLI says how to ask it (default:
# redis-cli --user operator), REDISCLI_AUTH holds the operator's password.

ask() { timeout 5 ${REDIS_CLI:-redis-cli --user operator --no-auth-warning} cluster "$@"; }

# "host port bus-port" of each node that does not answer. Redis drops an address, with its ports, where
# it has found another node; all have the same ports then.
away() {
  ask nodes | awk '
    { split($2, of, ","); parts = split(of[1], at, /[:@]/); ports = at[parts - 1] " " at[parts] }
    $3 ~ /myself/ { own = ports }
    $3 !~ /myself|handshake/ && of[2] && ($8 == "disconnected" || $3 ~ /noaddr|,fail/) { lost[of[2]] = ports }
    END { for (host in lost) print host, (lost[host] == "0 0" ? own : lost[host]) }'
}

while kill -0 "$PPID"; do
  away | while read -r host port bus; do
    address=$(getent ahostsv4 "$host" | awk 'NR == 1 {print $1}')
    if [ "$address" ]; then ask meet "$address" "$port" "$bus"; fi
  done
  sleep 5
done >/dev/null 2>&1
