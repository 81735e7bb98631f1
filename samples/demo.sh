#!/bin/sh
# Walks a newcomer through one job: explained, asked about, drawn, run. usage: demo.sh JOB (with `plan` on PATH)
set -eu
job=$1
pictures=$(mktemp -d)

step() {
    printf '\n== %s\n\n$ %s\n' "$1" "$2"
    sh -c "$2"
}

printf 'The job is %s:\n\n' "$job"
sed 's/^/    /' "$job"

step "1. What runs together, what does not, and why" "plan explain $job"
step "2. What would change if the sum ran four times in parallel" "plan explain $job --set sum-1.parallelism=4"
step "3. The order in which Flink places the tasks" "plan order $job"
step "4. A picture of it" "plan render $job --stage job -o $pictures/job.svg"
step "5. The same plan, run on a Spark of this machine" "plan run $job --master 'local[2]'"

printf '\n== Where to go from here\n\n'
printf '  the picture       %s\n' "$pictures/job.svg"
printf '  more samples      samples/*/README.md\n'
printf '  all commands      .venv/bin/plan --help\n'
