#!/usr/bin/env bash
# Keep the comment up to date, and upload the findings.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
api="$(dirname "${BASH_SOURCE[0]}")/github_api.py"

if [ "${PLAN_COMMENT:-}" = true ] && [ -s "$PLAN_FOLDER/report.md" ]; then
  python3 "$api" comment "$PLAN_FOLDER/report.md" "$(cat "$PLAN_FOLDER/verdict")"
fi
if [ -f "$PLAN_FOLDER/plan.sarif" ]; then
  python3 "$api" sarif "$PLAN_FOLDER/plan.sarif"
fi
