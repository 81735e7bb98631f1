#!/usr/bin/env bash
# Fail the job where lint or the comparison did; everything was told before.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

failed=0
if [ "$(cat "$PLAN_FOLDER/lint-code")" -ne 0 ]; then
  echo "::error::plan lint found what fail-on names: see the annotations"
  failed=1
fi
if [ "$(cat "$PLAN_FOLDER/diff-code")" -ne 0 ]; then
  echo "::error::plan diff: $(cat "$PLAN_FOLDER/verdict"): see the summary"
  failed=1
fi
exit "$failed"
