# Which toolchain builds for wasm32. To be sourced after lib.sh.
#
# rustup's own wherever it has the target; else the one that build-wasm-std.sh made from Debian's packages.
# TURNLOG_WASM_TOOLCHAIN=debian takes the second in any case: it is how that path is tested.

DEBIAN_RUST=$CACHE/rust-wasm

# Whether the `rustc` found first has the standard library for wasm32.
rustc_has_wasm_target() {
  local folder
  folder=$(rustc --print target-libdir --target "$WASM_TARGET" 2>/dev/null) || return 1
  compgen -G "$folder/libstd-*.rlib" >/dev/null
}

rustup_serves_wasm() {
  [ "${TURNLOG_WASM_TOOLCHAIN:-}" != debian ] && rustc_has_wasm_target
}

# Points this shell and what it starts at the toolchain for wasm32. Call it in a subshell where native
# builds follow: two toolchains that share a target folder would take each other's work for their own.
use_wasm_toolchain() {
  if rustup_serves_wasm; then
    return
  fi
  [ -x "$DEBIAN_RUST/bin/rustc" ] || die "no toolchain for $WASM_TARGET: run \`make setup\`"
  export PATH="$DEBIAN_RUST/bin:$PATH"
  export LD_LIBRARY_PATH="$DEBIAN_RUST/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export CARGO_TARGET_DIR="$BUILD_DIR/debian"
  BUILD_DIR=$CARGO_TARGET_DIR
  unset RUSTUP_TOOLCHAIN RUSTC
  rustc_has_wasm_target || die "$DEBIAN_RUST has no $WASM_TARGET: delete it and run \`make setup\`"
}
