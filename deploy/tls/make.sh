#!/bin/sh
# Make certificates for every part, for those who have no issuer of their own; again, it renews them.
# Usage: make.sh FOLDER [NAME]...   NAMEs are those under which clients reach Envoy.
# Each part has its folder to be mounted as /run/tls: tls.crt, tls.key, ca.crt; Envoy's has
# clients-ca.crt too. Two authorities: one for the parts, one for clients, so that no client's
# certificate opens a server or the store. Keep FOLDER/parts-ca.key and FOLDER/clients-ca.key secret.
set -eu
folder=${1:?usage: make.sh FOLDER [NAME]...}; shift
days=${DAYS:-90}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

authority() {
    [ -e "$1.key" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc \
        -days 3650 -subj "/CN=Dragonhall $1" -keyout "$1.key" -out "$1.crt" 2>/dev/null
}

# Files are replaced by renaming, key first: whoever watches the folder never sees half of one.
issue() { # AUTHORITY PART NAMES
    mkdir -p "$2"
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj "/CN=$2" \
        -addext "subjectAltName=$3" -keyout "$2/new.key" -out "$2/new.csr" 2>/dev/null
    openssl x509 -req -in "$2/new.csr" -CA "$1.crt" -CAkey "$1.key" -days "$days" \
        -copy_extensions copy -out "$2/new.crt" 2>/dev/null
    cp parts-ca.crt "$2/new.ca"
    chmod 644 "$2/new.key" # each container has its own user; the folder above keeps strangers out
    mv "$2/new.key" "$2/tls.key"; mv "$2/new.crt" "$2/tls.crt"; mv "$2/new.ca" "$2/ca.crt"
    rm "$2/new.csr"
}

umask 022
authority parts-ca
authority clients-ca
names=DNS:localhost,IP:127.0.0.1
for name in "$@"; do names=$names,DNS:$name; done
issue parts-ca server DNS:server,DNS:localhost,IP:127.0.0.1
issue parts-ca redis DNS:redis,DNS:localhost,IP:127.0.0.1
cp clients-ca.crt new.ca
mkdir -p envoy
mv new.ca envoy/clients-ca.crt
issue parts-ca envoy "DNS:envoy,$names"
issue clients-ca client DNS:client
