#!/usr/bin/env bash
# The whole test run, or the parts of it that are named: test.sh [lint|native|build|types|wasm|node|browser|packaging]…
# Every part runs even where one before it failed; parts that need pkg/ are left out where it did not build.
# Ends with a table of the parts and `N passed, N failed`. A part in which no test ran has failed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/tools/wasm-env.sh"
cd "$ROOT"

LOGS=$BUILD_DIR/test-logs
ALL=(lint native build types wasm node browser packaging)
NEED_PACKAGE=' types node browser packaging '

# ---- the parts: what they ran is counted from $LOGS/PART.log ------------------------------------------

lint() {
  step 'cargo fmt --check' cargo fmt --all --check
  step 'cargo fmt --check (tools)' cargo fmt --check --manifest-path tools/wasm-bindgen-tools/Cargo.toml
  step 'cargo fmt --check (fuzz)' cargo fmt --check --manifest-path fuzz/Cargo.toml
  # shellcheck disable=SC2086 # LOCKED is one option or none
  step 'cargo clippy, native' cargo clippy $LOCKED --quiet --workspace --all-targets -- -D warnings
  step "cargo clippy, $WASM_TARGET" clippy_wasm
}

clippy_wasm() {
  use_wasm_toolchain
  # shellcheck disable=SC2086
  cargo clippy $LOCKED --quiet --workspace --target "$WASM_TARGET" --all-targets -- -D warnings
  # The core of turnlog/history.
  cargo clippy $LOCKED --quiet --lib --no-default-features --target "$WASM_TARGET" -- -D warnings
}

native() {
  local log=$LOGS/native.log
  : >"$log"
  # Not installed by the set-up: building it takes 14 minutes of processor time, and cargo's own runner runs the same.
  if cargo nextest --version >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    step 'cargo nextest run' logged "$log" cargo nextest run $LOCKED --workspace --no-fail-fast
  else
    # shellcheck disable=SC2086
    step 'cargo test (cargo-nextest is not installed)' logged "$log" cargo test $LOCKED --workspace --no-fail-fast --lib --tests
  fi
  # nextest does not run the examples in the documentation.
  # shellcheck disable=SC2086
  step 'cargo test --doc' logged "$log" cargo test $LOCKED --workspace --doc
}

build() { "$ROOT/tools/build.sh"; }

types() {
  [ -n "$(find tests/types -name '*.ts' -print -quit)" ] || die 'tests/types holds no TypeScript file'
  step 'tsc --strict on the declarations and on tests/types' node_modules/.bin/tsc -p tests/types/tsconfig.json
}

# Each test file says by itself where it runs, so that `wasm-pack test --headless --chrome` runs the same.
wasm() {
  local log=$LOGS/wasm.log
  grep -lq 'run_in_browser' tests/wasm_*.rs || die 'no tests/wasm_*.rs runs in a window (run_in_browser)'
  grep -lq 'run_in_dedicated_worker' tests/wasm_*.rs ||
    die 'no tests/wasm_*.rs runs in a worker (run_in_dedicated_worker)'
  : >"$log"
  step 'wasm-bindgen tests in Chromium, window and worker' wasm_tests "$log"
  # A file without a test exits well: every one must have run some.
  if grep -q 'no tests to run' "$log"; then die 'a tests/wasm_*.rs ran no test'; fi
}

wasm_tests() {
  use_wasm_toolchain
  # shellcheck disable=SC2086
  logged "$1" cargo test $LOCKED --no-fail-fast --target "$WASM_TARGET" --test 'wasm_*'
}

node() { node_suite node; }
# One file at a time: each starts a browser, and times in them are looked at.
browser() { node_suite browser --test-concurrency=1; }
packaging() { node_suite packaging --test-concurrency=1; }

# node_suite FOLDER [OPTION…]: runs tests/FOLDER/**/*.test.mjs with Node's test runner.
node_suite() {
  local folder=$1 files
  shift
  mapfile -t files < <(find "tests/$folder" -name '*.test.mjs' 2>/dev/null | sort)
  [ "${#files[@]}" -gt 0 ] || die "tests/$folder holds no *.test.mjs"
  step "node --test tests/$folder (${#files[@]} files)" command node --test "$@" \
    --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$LOGS/$folder.log" "${files[@]}"
}

# logged LOG COMMAND…: runs it, and appends what it says to LOG besides.
logged() {
  local log=$1
  shift
  "$@" 2>&1 | tee -a "$log"
}

# ---- counting ------------------------------------------------------------------------------------------

# counts LOG: "passed failed", added up over the closing lines of nextest, cargo test, wasm-bindgen's and Node's
# runner.
counts() {
  [ -f "$1" ] || { echo '0 0'; return; }
  sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    function before(word,   i) { for (i = 2; i <= NF; i++) if ($i ~ "^" word "[,;]?$") return $(i - 1); return 0 }
    /^ *Summary \[/ { passed += before("passed"); failed += before("failed") + before("timed") }
    /^test result: / { passed += before("passed"); failed += before("failed") }
    /^# pass [0-9]+$/ { passed += $3 }
    /^# (fail|cancelled) [0-9]+$/ { failed += $3 }
    END { print passed + 0, failed + 0 }'
}

# ---- the run -------------------------------------------------------------------------------------------

parts=("$@")
[ "${#parts[@]}" -gt 0 ] || parts=("${ALL[@]}")
for part in "${parts[@]}"; do
  [[ " ${ALL[*]} " == *" $part "* ]] || die "no part \`$part\`; there are: ${ALL[*]}"
done

rm -rf "$LOGS"
mkdir -p "$LOGS"
table=()
total_passed=0
total_failed=0
package_built=yes
for part in "${parts[@]}"; do
  printf '\n======== %s\n' "$part"
  start=$(milliseconds)
  status=0
  if [ "$package_built" = no ] && [[ $NEED_PACKAGE == *" $part "* ]]; then
    echo 'Not run: pkg/ did not build.'
    status=1
  else
    set +e
    (set -e; "$part")
    status=$?
    set -e
  fi
  # 3: over the size budget, but whole.
  if [ "$part" = build ] && [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then package_built=no; fi
  read -r passed failed <<<"$(counts "$LOGS/$part.log")"
  case $part in
  lint | build | types) counted=no ;;
  *) counted=yes ;;
  esac
  if [ "$counted" = yes ] && [ "$passed" -eq 0 ] && [ "$status" -eq 0 ]; then
    echo "error: $part ran no test" >&2
    status=1
  fi
  # What went wrong outside of a test, such as a compile error, is one failure.
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
  if [ "$failed" -ne 0 ]; then verdict=FAILED; else verdict=ok; fi
  if [ "$counted" = yes ]; then said="$passed passed, $failed failed"; else said=; fi
  table+=("$(printf '%-10s %-7s %9s   %s' "$part" "$verdict" "$(seconds_since "$start")" "$said")")
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
done

printf '\n======== summary\n'
printf '%s\n' "${table[@]}"
printf '\n%d passed, %d failed\n' "$total_passed" "$total_failed"
[ "$total_failed" -eq 0 ]
