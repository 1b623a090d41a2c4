#!/bin/sh
# Become a node of a cluster; form.sh makes one of them. SELF: the host under which others know it.
# Usage: start.sh node.sh SERVER [ARGUMENT]...
set -eu
here=$(dirname "$0")
acl=${DRAGONHALL_ACL:-/run/dragonhall/users.acl}
exec "$@" --include "$here/replicated.conf" --include "$here/cluster.conf" \
  --include "$(dirname "$acl")/replication.conf" --cluster-announce-hostname "${SELF:-$(hostname).redis}"
