# Sourced by member.sh and sentinel.sh: `primary` says "host port" of the primary of a Sentinel set.
# Of what the Sentinels say that answer, and of what the one beside this store knew when it stopped,
# the newest counts: one that was away may name a primary of long ago. In the beginning it is the
# first store.
# DATA: this store's folder. SELF: host and port under which others know it. FIRST: those of the first
# store. SENTINELS: host:port of each.
: "${DATA:=/data}" "${SELF:=$(hostname).redis 6379}" "${FIRST:=redis-0.redis 6379}"
: "${SENTINELS:=redis-0.redis:26379 redis-1.redis:26379 redis-2.redis:26379}"

primary() {
  {
    echo "-1 $FIRST"
    if [ -e "$DATA/sentinel.conf" ]; then
      awk '/^sentinel monitor dragonhall /{at = $4 " " $5} /^sentinel config-epoch dragonhall /{epoch = $4}
           END {print epoch + 0, at}' "$DATA/sentinel.conf"
    fi
    for sentinel in $SENTINELS; do
      timeout 2 redis-cli -h "${sentinel%:*}" -p "${sentinel#*:}" --raw sentinel master dragonhall 2>/dev/null |
        awk 'NR % 2 {name = $1; next} {told[name] = $1}
             END {if (told["port"]) print told["config-epoch"] + 0, told["ip"], told["port"]}'
    done
  } | sort -n -k 1,1 | tail -n 1 | cut -d ' ' -f 2-
}
