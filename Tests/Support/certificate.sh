#!/usr/bin/env bash
# certificate.sh: makes an authority, and a certificate for localhost signed by it.
#
# Usage: Tests/Support/certificate.sh FOLDER
# FOLDER/ca.pem is the authority; FOLDER/tls.key and FOLDER/tls.pem (which includes the authority) belong to the server.
set -euo pipefail
cd "$1"

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Loopback authority' \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout ca.key -out ca.pem 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout tls.key -out tls.csr 2>/dev/null
openssl x509 -req -in tls.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out leaf.pem \
    -extfile <(printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n') 2>/dev/null
cat leaf.pem ca.pem >tls.pem
