#!/bin/sh
# Replace the servers of Compose by new ones, where `docker compose up` would stop all of them at once:
# as many new ones are started beside them, and the old ones stopped one after the other.
# Usage: roll.sh [OPTION of docker compose]...   for example: roll.sh --file deploy/compose.yaml
set -eu

old=$(docker compose "$@" ps --all --quiet server)
count=$(echo "$old" | wc -w)
if [ "$count" -eq 0 ]; then
  echo "roll.sh: there is no server to replace: docker compose up" >&2
  exit 1
fi
docker compose "$@" build server
beside="--detach --no-deps --no-recreate --wait --scale server=$((2 * count))"
# shellcheck disable=SC2086
if ! docker compose "$@" up $beside server; then
  echo "roll.sh: new servers are not well; the old ones serve on. Take away what is not one of these:" >&2
  echo "$old" >&2
  exit 1
fi
sleep 5 # Envoy looks for addresses every 2 s, and then asks who is there for its health
for server in $old; do
  docker stop "$server"
  docker rm "$server"
done
