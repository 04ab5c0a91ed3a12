#!/usr/bin/env bash
# Searches users, and counts them by an attribute in the same question.
set -euo pipefail
: "${MUSTER_URL:?}" "${MUSTER_ID:?}" "${MUSTER_SECRET:?}"

curl -sS --fail-with-body "$MUSTER_URL/api/v1/search/user_reports" \
  -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" -H 'Content-Type: application/json' \
  -d '{
    "query": { "bool": { "filter": [{ "term": { "plan": "pro" } }, { "exists": { "field": "email" } }] } },
    "sort": { "created_at": "desc" },
    "per_page": 10,
    "aggs": { "plans": { "terms": { "field": "plan" } } }
  }'
echo
