#!/usr/bin/env bash
# Compare with the base revision, and write the summary of the step.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

base="${PLAN_BASE:-}"
if [ -z "$base" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then
  base="origin/$GITHUB_BASE_REF"
  if ! git rev-parse --verify --quiet "$base^{commit}" > /dev/null; then
    # A usual checkout has one commit: the merge of the pull request. Its base is enough to compare with.
    git fetch --no-tags --depth=1 origin "+refs/heads/$GITHUB_BASE_REF:refs/remotes/origin/$GITHUB_BASE_REF"
  fi
fi

: > "$PLAN_FOLDER/report.md"
echo 0 > "$PLAN_FOLDER/diff-code"
if [ -n "$base" ]; then
  gate=()
  for level in state-breaking result performance; do  # the last one that is named fails the most
    if fails_on "$level"; then gate=(--fail-on "$level"); fi
  done
  code=0
  plan diff --base "$base" "${paths[@]}" "${flink[@]}" "${gate[@]}" --format markdown > "$PLAN_FOLDER/report.md" || code=$?
  # 2 is a job that cannot be planned, which the report tells; without a report the options were wrong.
  if [ "$code" -gt 2 ] || { [ "$code" -eq 2 ] && [ ! -s "$PLAN_FOLDER/report.md" ]; }; then exit "$code"; fi
  if fails_on never; then code=0; fi
  echo "$code" > "$PLAN_FOLDER/diff-code"
  plan diff --base "$base" "${paths[@]}" "${flink[@]}" --format json > "$PLAN_FOLDER/report.json" || true
fi

verdict=""
if [ -s "$PLAN_FOLDER/report.json" ]; then
  verdict="$(python3 "$(dirname "${BASH_SOURCE[0]}")/github_api.py" verdict "$PLAN_FOLDER/report.json")"
fi
{
  echo "verdict=$verdict"
  echo "report=$PLAN_FOLDER/report.md"
} >> "$GITHUB_OUTPUT"
echo "$verdict" > "$PLAN_FOLDER/verdict"
{
  cat "$PLAN_FOLDER/report.md"
  echo
  cat "$PLAN_FOLDER/lint.md"
} >> "$GITHUB_STEP_SUMMARY"
