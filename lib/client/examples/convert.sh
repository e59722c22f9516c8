#!/bin/sh
# Converts a file with curl: convert.sh report.docx pdf
set -eu
url=${MUTABOR_URL:-http://localhost:8080}
file=$1
format=$2

# One request is enough for most files: it waits for the result and redirects to it.
# If the conversion takes longer, the response is 202 with a job; then poll its status until it has finished.
body=$(mktemp)
trap 'rm -f "$body"' EXIT
result=$(basename "${file%.*}").$format
status=$(curl -sS -L -H 'Prefer: wait=25' -H "Idempotency-Key: $(date +%s)-$$" \
  ${MUTABOR_API_KEY:+-H "Authorization: Bearer $MUTABOR_API_KEY"} \
  -F "file=@$file" -F "targetFormat=$format" \
  -o "$body" -w '%{http_code}' "$url/v1/convert?redirect=true")

if [ "$status" = 202 ]; then
  job=$(sed 's/.*"jobId":"\(job_[0-9A-Z]*\)".*/\1/' "$body")
  until curl -sS -H 'Prefer: wait=25' "$url/v1/status/$job" | grep -qE '"status":"(completed|failed|cancelled|expired)"'; do :; done
  status=$(curl -sS -L -o "$body" -w '%{http_code}' "$url/v1/download/$job")
fi

if [ "$status" != 200 ]; then
  cat "$body" >&2
  exit 1
fi
cp "$body" "$result"
echo "$result"
