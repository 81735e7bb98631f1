#!/usr/bin/env bash
# Lint with annotations; the findings as Markdown for the summary, and as SARIF where that is asked for.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
check_fail_on

options=("${flink[@]}")
if [ -n "${PLAN_BASELINE:-}" ]; then options+=(--baseline "$PLAN_BASELINE"); fi

gate=(--exit-zero)
if fails_on error; then gate=(--fail-on error); fi
if fails_on warning; then gate=(--fail-on warning); fi  # which errors do too

code=0
plan lint "${paths[@]}" "${options[@]}" "${gate[@]}" --format github || code=$?
if [ "$code" -gt 1 ]; then exit "$code"; fi
echo "$code" > "$PLAN_FOLDER/lint-code"

plan lint "${paths[@]}" "${options[@]}" --exit-zero --format markdown > "$PLAN_FOLDER/lint.md"
if [ "${PLAN_SARIF:-}" = true ]; then
  plan lint "${paths[@]}" "${options[@]}" --exit-zero --format sarif -o "$PLAN_FOLDER/plan.sarif"
fi
