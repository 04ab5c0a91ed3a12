#!/usr/bin/env bash
# Sends a batch to the gateway: attributes and an event of one user. Needs curl and openssl.
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ID:?}" "${MUSTER_SECRET:?}"

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# A token says whom an entry is about. The connector signs it with its secret (HS256).
token_for() {
  local header claims
  header=$(printf '{"alg":"HS256","typ":"JWT"}' | base64url)
  claims=$(printf '{"iss":"%s","iat":%s,"io.svc.subjectType":"user","io.svc.asUser":{"email":"%s"}}' \
    "$MUSTER_ID" "$(date +%s)" "$1" | base64url)
  printf '%s.%s.%s' "$header" "$claims" \
    "$(printf '%s.%s' "$header" "$claims" | openssl dgst -sha256 -hmac "$MUSTER_SECRET" -binary | base64url)"
}

token=$(token_for ada@example.com)
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)

curl -sS --fail-with-body "$MUSTER_URL/firehose" \
  -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" -H 'Content-Type: application/json' \
  -d @- <<JSON
{
  "timestamp": "$now",
  "sentAt": "$now",
  "batch": [
    {
      "type": "traits",
      "timestamp": "$now",
      "headers": { "Svc-Access-Token": "$token" },
      "body": { "plan": "pro", "visits": { "operation": "inc", "value": 1 } }
    },
    {
      "type": "track",
      "timestamp": "$now",
      "headers": { "Svc-Access-Token": "$token" },
      "body": { "event": "Order placed", "event_id": "order-1001", "properties": { "total": 120 } }
    }
  ]
}
JSON
echo
