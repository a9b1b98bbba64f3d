#!/usr/bin/env bash
# Builds the npm package: fills pkg/ from the crate and pkg-template/, measures it and holds it to budget.json.
# Compiles nothing where no input has changed. Exits with 3 where the package is whole but over its budget.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/tools/wasm-env.sh"

PKG=$ROOT/pkg
STAGE=$BUILD_DIR/pkg
# The smaller core of turnlog/history, and the JavaScript around it.
HISTORY_STAGE=$BUILD_DIR/pkg-history
STAMP=$BUILD_DIR/pkg.stamp
SIZES=$BUILD_DIR/pkg.sizes

# A check value of all that the package is made from.
inputs() {
  {
    rustc --version
    wasm_bindgen_version
    cd "$ROOT"
    find src pkg-template tools/package -type f -print0 | sort -z | xargs -0 sha256sum
    sha256sum .cargo/config.toml Cargo.toml Cargo.lock LICENSE-* budget.json tools/build.sh
  } | sha256sum | cut -c1-32
}

# compile STAGE [OPTION...]: the crate for wasm32 with cargo's options, and its glue.
compile() {
  local stage=$1
  shift
  cd "$ROOT"
  # shellcheck disable=SC2086 # LOCKED is one option or none
  cargo build $LOCKED --lib --release --target "$WASM_TARGET" "$@"
  rm -rf "$stage"
  "$(wasm_bindgen_bin)/wasm-bindgen" --target web --out-name turnlog --out-dir "$stage" \
    --remove-name-section --remove-producers-section \
    "$BUILD_DIR/$WASM_TARGET/release/turnlog.wasm"
}

assemble() {
  node "$ROOT/tools/package/assemble.mjs" "$ROOT" "$STAGE" "$HISTORY_STAGE"
  rm -rf "$PKG"
  cp -R "$STAGE" "$PKG"
}

# Tests, benchmarks and examples import `turnlog` by name. npm ci takes the link away, so it is laid each time.
link_package() {
  mkdir -p "$ROOT/node_modules"
  ln -sfn ../pkg "$ROOT/node_modules/turnlog"
}

start=$(milliseconds)
check_wasm_bindgen_versions
use_wasm_toolchain
link_package
now=$(inputs)
if [ -d "$PKG" ] && [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$now" ]; then
  printf '==> pkg/: nothing changed (%s)\n' "$(seconds_since "$start")"
else
  rm -f "$STAMP" "$SIZES"
  step 'Compile the core of turnlog/history for wasm32' compile "$HISTORY_STAGE" --no-default-features
  step 'Compile the whole core for wasm32' compile "$STAGE"
  step 'Assemble pkg/' assemble
  printf '%s\n' "$now" >"$STAMP"
fi
if [ -f "$SIZES" ]; then
  cat "$SIZES"
else
  step 'Measure pkg/' node "$ROOT/tools/package/measure.mjs" "$PKG" "$ROOT/budget.json" "$SIZES"
fi
