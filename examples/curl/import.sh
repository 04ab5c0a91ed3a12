#!/usr/bin/env bash
# Uploads a CSV file with the columns email and plan, and imports its rows as users. The argument is the file.
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ID:?}" "${MUSTER_SECRET:?}"
file=${1:?The CSV file}

call() { curl -sS --fail-with-body -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" "$@"; }
# The first value of a field in JSON.
field() {
  local text
  text=$(cat)
  [[ $text =~ \"$1\":\"([^\"]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

upload=$(call -X POST "$MUSTER_URL/api/v1/uploads" | field id)
call -X PUT "$MUSTER_URL/api/v1/uploads/$upload?offset=0" -H 'Content-Type: application/octet-stream' \
  --data-binary "@$file" > /dev/null

job=$(call "$MUSTER_URL/api/v1/import/users" -H 'Content-Type: application/json' -d "{
  \"url\": \"upload:$upload\",
  \"format\": \"csv\",
  \"columns\": [
    { \"column\": \"email\", \"to\": \"identifier\", \"name\": \"email\" },
    { \"column\": \"plan\", \"to\": \"attribute\", \"name\": \"plan\", \"type\": \"string\" }
  ]
}" | field id)

# The job runs in the background.
until state=$(call "$MUSTER_URL/api/v1/$job"); [[ $state =~ \"status\":\"(completed|failed) ]]; do sleep 0.2; done
echo "$state"
