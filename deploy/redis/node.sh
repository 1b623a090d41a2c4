#!/bin/sh
# Become a node of a cluster; form.sh makes one of them. SELF: the host under which others know it.
# DATA: its folder.
# Usage: start.sh node.sh SERVER [ARGUMENT]...
set -eu
: "${DATA:=/data}"
here=$(dirname "$0")
acl=${DRAGONHALL_ACL:-/run/dragonhall/users.acl}
# Where a node was another one may be now: a replica would have that one's matches until it finds its
# primary, and goes on asking the old address if a third node tells it the new one. So the addresses of
# those who have names are forgotten; meet.sh finds them.
if [ -e "$DATA/nodes.conf" ]; then
  awk '$1 != "vars" && $3 !~ /myself|handshake|noaddr/ && split($2, of, ",") > 1 && of[2] {
         sub(/^[^,]*:/, ":", $2); $3 = $3 ",noaddr" }
       { print }' "$DATA/nodes.conf" >"$DATA/nodes.new"
  mv "$DATA/nodes.new" "$DATA/nodes.conf"
fi
sh "$here/meet.sh" &
exec "$@" --include "$here/replicated.conf" --include "$here/cluster.conf" \
  --include "$(dirname "$acl")/replication.conf" --cluster-announce-hostname "${SELF:-$(hostname).redis}"
