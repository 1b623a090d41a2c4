#!/bin/sh
# Tell whether a store of several servers is the primary or follows one: only then may the next be
# restarted. REDISCLI_AUTH holds the operator's password.
redis-cli --user operator --no-auth-warning info replication | grep -qE 'role:master|master_link_status:up'
