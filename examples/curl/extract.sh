#!/usr/bin/env bash
# Writes users to a CSV file. The argument is the file.
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ID:?}" "${MUSTER_SECRET:?}"
file=${1:?The file to write}

call() { curl -sS --fail-with-body -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" "$@"; }
# The first value of a field in JSON.
field() {
  local text
  text=$(cat)
  [[ $text =~ \"$1\":\"([^\"]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

job=$(call "$MUSTER_URL/api/v1/extract/users" -H 'Content-Type: application/json' -d '{
  "url": null,
  "format": "csv",
  "fields": ["email", "plan"],
  "query": { "exists": { "field": "email" } }
}' | field id)

# The job runs in the background. Its answer has an address for the file once the file is ready.
until state=$(call "$MUSTER_URL/api/v1/$job"); [[ $state == *'"download_url":"'* || $state == *'"status":"failed"'* ]]; do
  sleep 0.2
done
curl -sS --fail-with-body -o "$file" "$(field download_url <<< "$state")"
wc -l "$file"
