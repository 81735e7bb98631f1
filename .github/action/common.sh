# What the steps of action.yml share. They hand results on as files in $PLAN_FOLDER.
set -euo pipefail

PLAN_FOLDER="${RUNNER_TEMP:?}/plan-report"
mkdir -p "$PLAN_FOLDER"

# Words separated by blanks, commas or lines, one per line. Nothing is expanded: a path may have a star in it.
words() { tr ' ,\n' '\n\n\n' <<<"$1" | sed '/^$/d'; }

# Whether `fail-on` names a word.
fails_on() {
  local word
  while read -r word; do
    if [ "$word" = "$1" ]; then return 0; fi
  done < <(words "${PLAN_FAIL_ON:-}")
  return 1
}

check_fail_on() {
  local word
  while read -r word; do
    case "$word" in
      error | warning | state-breaking | result | performance | never) ;;
      *)
        echo "::error::fail-on: there is no '$word'; use error, warning, state-breaking, result, performance or never"
        exit 1
        ;;
    esac
  done < <(words "${PLAN_FAIL_ON:-}")
}

mapfile -t paths < <(words "${PLAN_PATHS:-.}")
flink=()
if [ -n "${PLAN_FLINK:-}" ]; then flink=(--flink "$PLAN_FLINK"); fi
