#!/bin/sh
# Copy the store's append-only files while it runs; what is committed before this begins is in it.
# Usage: backup.sh DATA_FOLDER NEW_FOLDER
# REDIS_CLI says how to ask the store (default: redis-cli --user operator), REDISCLI_AUTH holds the
# operator's password. To restore: deploy/README.md.
set -eu
data=${1:?usage: backup.sh DATA_FOLDER NEW_FOLDER} target=${2:?usage: backup.sh DATA_FOLDER NEW_FOLDER}

ask() { ${REDIS_CLI:-redis-cli --user operator} -e "$@"; }

percentage=$(ask config get auto-aof-rewrite-percentage | tail -n 1)
# 0 is what a run that was killed has left.
if [ "$percentage" = 0 ]; then percentage=100; fi
trap 'ask config set auto-aof-rewrite-percentage "$percentage" >/dev/null' EXIT
trap 'exit 130' INT; trap 'exit 143' TERM HUP
# A rewriting would remove files while they are copied.
ask config set auto-aof-rewrite-percentage 0 >/dev/null
while ask info persistence | grep -qE 'aof_rewrite_(in_progress|scheduled):1'; do sleep 1; done

mkdir "$target"
cp -a "$data/appendonlydir" "$target/"
