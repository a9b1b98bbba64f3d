# Shared by the scripts beside it: where things are, and steps that say what they do and how long it took.
# To be sourced by bash; it sets the strict mode for its caller.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What is expensive to make and the same for every clone: the wasm-bindgen tools, cargo-fuzz and, where rustup cannot
# bring the wasm32 target, a toolchain of our own.
CACHE=${TURNLOG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/turnlog}
WASM_TARGET=wasm32-unknown-unknown
# Where cargo builds; the wasm32 builds may go to another folder (wasm-env.sh).
BUILD_DIR=${CARGO_TARGET_DIR:-$ROOT/target}
# In continuous integration the lock files are what is tested; a developer may be changing a dependency.
LOCKED=${CI:+--locked}

have() { command -v "$1" >/dev/null 2>&1; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

milliseconds() {
  local t=${EPOCHREALTIME/[.,]/}
  echo $((t / 1000))
}

# seconds_since MILLISECONDS: the time gone by, as in "3.2 s".
seconds_since() {
  local gone=$(($(milliseconds) - $1))
  printf '%d.%d s' $((gone / 1000)) $((gone % 1000 / 100))
}

# step TITLE COMMAND [ARGUMENT…]: says what is being done, does it, says how long it took.
# Never call it as a condition (`if step`, `step ||`): bash then stops heeding errors inside COMMAND.
step() {
  local title=$1 start status=0
  shift
  start=$(milliseconds)
  printf '==> %s\n' "$title"
  set +e
  (set -e; "$@")
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    printf '    FAILED after %s (exit %d): %s\n' "$(seconds_since "$start")" "$status" "$title" >&2
    return "$status"
  fi
  printf '    done in %s\n' "$(seconds_since "$start")"
}

# ensure TITLE CHECK COMMAND [ARGUMENT…]: a step that is skipped where CHECK, a function, says it is done.
ensure() {
  local title=$1 check=$2 start
  shift 2
  start=$(milliseconds)
  if "$check"; then
    printf '==> %s: already there (%s)\n' "$title" "$(seconds_since "$start")"
    return
  fi
  step "$title" "$@"
  "$check" || die "$title: the step ended well, but what it should have made is not there"
}

# locked_version LOCK_FILE CRATE: the one version of a crate that a Cargo.lock names.
locked_version() {
  awk -v crate="name = \"$2\"" '$0 == crate { getline; gsub(/version = |"/, ""); print }' "$1"
}

# The version of the wasm-bindgen command line that tools/wasm-bindgen-tools pins.
wasm_bindgen_version() {
  locked_version "$ROOT/tools/wasm-bindgen-tools/Cargo.lock" wasm-bindgen-cli
}

# The generated glue is only right when the command line and the library are of one version.
check_wasm_bindgen_versions() {
  local library tools
  library=$(locked_version "$ROOT/Cargo.lock" wasm-bindgen)
  tools=$(wasm_bindgen_version)
  [ "$library" = "$tools" ] || die "wasm-bindgen is ${library:-absent} in Cargo.lock and $tools in" \
    "tools/wasm-bindgen-tools/Cargo.lock; pin both to one version, with =, in their Cargo.toml"
}

# The folder that holds `wasm-bindgen` and `wasm-bindgen-test-runner` of the pinned version.
wasm_bindgen_bin() {
  echo "$CACHE/wasm-bindgen-$(wasm_bindgen_version)/bin"
}

CARGO_FUZZ_VERSION=0.13.2
# The nightly Rust that builds the fuzzing targets, as rustup calls it and as it calls itself.
FUZZ_TOOLCHAIN=nightly-2026-05-20
FUZZ_RUSTC='rustc 1.97.0-nightly (e50aa6fba 2026-05-19)'

# The folder that holds `cargo-fuzz` of the pinned version.
cargo_fuzz_bin() {
  echo "$CACHE/cargo-fuzz-$CARGO_FUZZ_VERSION/bin"
}

# The name under which that nightly Rust is installed, if it is.
fuzz_toolchain() {
  local name
  for name in "$FUZZ_TOOLCHAIN" nightly; do
    if [ "$(rustup run "$name" rustc --version 2>/dev/null)" = "$FUZZ_RUSTC" ]; then
      echo "$name"
      return
    fi
  done
  return 1
}
