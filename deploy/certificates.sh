#!/usr/bin/env bash
# Makes an authority of its own and the certificate of NATS's servers, for a year:
#   deploy/certificates.sh FOLDER [RELEASE [NAME…]]
# RELEASE is Helm's (plimsoll); NAMEs are further names under which NATS is reached. Of FOLDER the
# chart needs ca.crt, tls.crt and tls.key; keep ca.key elsewhere, it issues the next one.
set -euo pipefail
folder="${1:?deploy/certificates.sh FOLDER [RELEASE [NAME…]]}"
release="${2:-plimsoll}"
shift $(($# < 2 ? $# : 2))
umask 077
mkdir -p "$folder"
cd "$folder"
names="DNS:$release-nats,DNS:localhost,IP:127.0.0.1"
for server in 0 1 2; do names+=",DNS:$release-nats-$server.$release-nats"; done
for name in "$@"; do names+=",DNS:$name"; done
[[ -e ca.key ]] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
    -keyout ca.key -out ca.crt -subj "/CN=$release-nats authority" 2>/dev/null
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout tls.key -out tls.csr -subj "/CN=$release-nats" 2>/dev/null
# Servers are each other's clients.
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$names" >tls.ext
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 365 -out tls.crt \
    -extfile tls.ext 2>/dev/null
rm -f tls.csr tls.ext ca.srl
