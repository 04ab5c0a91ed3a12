#!/usr/bin/env bash
# Has an address called for every change of a user: installs the connector Outgoing Webhooks, which the server runs, and sets
# it up. The argument is the address to call. Needs the operator's token, which is in the file admin.token of the data
# directory: MUSTER_ADMIN_TOKEN=$(cat data/admin.token)
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ADMIN_TOKEN:?}"
target=${1:?The address to call}

call() {
  curl -sS --fail-with-body -H "Authorization: Bearer $MUSTER_ADMIN_TOKEN" -H 'Content-Type: application/json' "$@"
}
# The first value of a field in JSON.
field() {
  local text
  text=$(cat)
  [[ $text =~ \"$1\":\"([^\"]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

id=$(call "$MUSTER_URL/api/v1/connectors/install" -d '{ "url": "outgoing-webhooks" }' | field id)
call -X PUT "$MUSTER_URL/api/v1/$id" -d "{
  \"private_settings\": { \"url\": \"$target\", \"signing_secret\": \"${WEBHOOK_SECRET:-}\" }
}"
echo
