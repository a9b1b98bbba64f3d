#!/usr/bin/env bash
# Looks for texts that break what tests/fuzz_bodies/ asks of the readers: fuzz.sh [TARGET]…
# TURNLOG_FUZZ_SECONDS, 600 if it is not set, are shared out among the targets. What is found stays in $BUILD_DIR/fuzz: texts that
# reach new code, from which the next run goes on, and texts that break something, which fail the run.
#
# fuzz.sh keep [TARGET]…   adds those texts of up to KEPT_BYTES that reach new code to fuzz/corpus, for all tests to come
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"

WORK=$BUILD_DIR/fuzz
# A megabyte for a text of 16 KB is more than any reader may take; the bodies ask for less.
LIMITS=(-max_len=16384 -rss_limit_mb=1024 -malloc_limit_mb=16 -timeout=10)
KEPT_BYTES=200

cargo_fuzz() {
  local command=$1
  shift
  PATH="$(cargo_fuzz_bin):$PATH" CARGO_TARGET_DIR=$BUILD_DIR/fuzz-target \
    rustup run "$(fuzz_toolchain)" cargo fuzz "$command" --fuzz-dir fuzz "$@"
}

# The figures of a run that are worth a line.
figures() {
  local log=$1
  awk '/^#[0-9]+/ { for (i = 2; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /number_of_executed_units/ { runs = $2 }
    END { printf "%d executions, %d edges\n", runs, edges }' "$log"
}

fuzz_one() {
  local target=$1 log=$WORK/$1.log
  if cargo_fuzz run "$target" "$WORK/corpus/$target" "fuzz/corpus/$target" -- \
    "${LIMITS[@]}" -max_total_time="$each" -artifact_prefix="$WORK/found/$target-" -print_final_stats=1 \
    >"$log" 2>&1; then
    printf '==> %s: %s\n' "$target" "$(figures "$log")"
  else
    printf '==> %s: FAILED, see %s\n' "$target" "$log" >&2
    grep -A 4 -e 'panicked at' -e 'ERROR: ' -e 'Test unit written' "$log" >&2
    return 1
  fi
}

keep_one() {
  cargo_fuzz run "$1" "fuzz/corpus/$1" "$WORK/corpus/$1" -- -merge=1 -use_counters=0 -max_len="$KEPT_BYTES"
}

action=fuzz_one
if [ "${1:-}" = keep ]; then
  action=keep_one
  shift
fi
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(document native events json session_log)
each=$((${TURNLOG_FUZZ_SECONDS:-600} / ${#targets[@]}))
[ "$each" -gt 0 ] || die 'TURNLOG_FUZZ_SECONDS is less than a second for each target'
mkdir -p "$WORK/found"
step 'build the fuzzing targets' cargo_fuzz build
failed=()
for target in "${targets[@]}"; do
  mkdir -p "$WORK/corpus/$target"
  "$action" "$target" || failed+=("$target")
done
[ "${#failed[@]}" -eq 0 ] || die "failed: ${failed[*]}"
