#!/usr/bin/env bash
# Install the wheel and the sdist, each into an empty environment, and use it there on a sample, away from the sources.
#   .github/release/check.sh DIST
set -euo pipefail

dist="$(cd "$1" && pwd)"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/pyproject.toml")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

for file in "$dist/plan_inspector-$version"*.whl "$dist/plan_inspector-$version.tar.gz"; do
  echo "== $(basename "$file")"
  rm -rf "$work/env" "$work/job"
  python3 -m venv "$work/env"
  "$work/env/bin/pip" install --quiet "$file"
  mkdir "$work/job"
  cp "$root"/samples/word_count/job.* "$work/job"
  (
    cd "$work/job"
    PATH="$work/env/bin:$PATH"
    test "$(plan --version)" = "plan $version"
    plan explain job.yaml | grep -q "Keyed Aggregation"
    plan explain job.py | grep -q "Keyed Aggregation"
    plan-inspector explain job.yaml --format markdown | grep -q mermaid
    plan render job.yaml -o job.html 2> /dev/null
    test -s job.html
    plan rule CH009 > /dev/null
    # What an extra brings is named by the command that needs it.
    if plan run job.yaml > out 2>&1; then echo "plan run works without PySpark?"; exit 1; fi
    grep -q "plan-inspector\[spark\]" out || { cat out; exit 1; }
  )
  echo "ok"
done
