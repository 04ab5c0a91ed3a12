#!/usr/bin/env bash
# Makes a segment, and lists who is in it. The argument is its name.
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ID:?}" "${MUSTER_SECRET:?}"

call() {
  curl -sS --fail-with-body -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" \
    -H 'Content-Type: application/json' "$@"
}
# The first value of a field in JSON.
field() {
  local text
  text=$(cat)
  [[ $text =~ \"$1\":\"([^\"]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

segment=$(call "$MUSTER_URL/api/v1/users_segments" -d "{
  \"name\": \"${1:-Pros}\",
  \"query\": { \"term\": { \"plan\": \"pro\" } },
  \"predicate\": {}
}")
id=$(field id <<< "$segment")
echo "$segment"

# A new segment is filled in the background, usually within a second. Later changes are in it with the record that made them.
for _ in {1..50}; do
  members=$(call "$MUSTER_URL/api/v1/search/user_reports" -d "{ \"query\": { \"term\": { \"segment_ids\": \"$id\" } } }")
  [[ $members == *'"data":[]'* ]] || break
  sleep 0.2
done
echo "$members"
