#!/bin/sh
# Become a Sentinel beside a store; what it knows it keeps in the store's folder, for the next start.
# The password is written at each start: it may be another one.
# Usage: sentinel.sh SERVER [ARGUMENT]...
set -eu
: "${REPLICATION_PASSWORD:?set it to the password of the users replica and sentinel}"
here=$(dirname "$0")
. "$here/primary.sh"
umask 077
if [ -e "$DATA/sentinel.conf" ]; then
  grep -v '^sentinel auth-pass ' "$DATA/sentinel.conf" >"$DATA/sentinel.new"
else
  sed "s/PRIMARY/$(primary)/" "$here/sentinel.conf" >"$DATA/sentinel.new"
fi
echo "sentinel auth-pass dragonhall $REPLICATION_PASSWORD" >>"$DATA/sentinel.new"
mv "$DATA/sentinel.new" "$DATA/sentinel.conf"
unset REPLICATION_PASSWORD
server=$1
shift
exec "$server" "$DATA/sentinel.conf" --sentinel "$@"
