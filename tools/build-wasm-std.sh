#!/usr/bin/env bash
# Makes a Rust toolchain for wasm32-unknown-unknown from Debian's packages, for machines whose rustup cannot
# bring the target: builds the standard library offline, from rust-web-src and its vendored crates with
# rustc-web, the way Rust's own bootstrap does it, and lays it out in PREFIX. Needs no root.
#
# build-wasm-std.sh PREFIX            builds it, unless it is there and of the packages' version
# build-wasm-std.sh PREFIX --check    only says, by its exit code, whether it is
set -euo pipefail
PREFIX=${1:?usage: build-wasm-std.sh PREFIX [--check]}
TARGET=wasm32-unknown-unknown
STAMP=$PREFIX/.stamp

[ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] || {
  [ "${2:-}" = --check ] || echo "error: Debian's rustc-web and cargo-web are not installed" >&2
  exit 1
}
# Debian's compiler by its full path: `rustc` alone may be rustup's.
ABOUT=$(/usr/bin/rustc -vV)
VERSION=$(sed -n 's/^release: //p' <<<"$ABOUT")
HOST=$(sed -n 's/^host: //p' <<<"$ABOUT")
WANT="$(sha256sum <<<"$ABOUT" | cut -c1-16) $(dpkg-query -W -f='${Version}' rust-web-src 2>/dev/null) layout 1"
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$WANT" ]; then
  exit 0
fi
[ "${2:-}" != --check ] || exit 1

SOURCE=/usr/src/rustc-$VERSION/library
[ -d "$SOURCE" ] || { echo "error: $SOURCE is missing: install Debian's rust-web-src" >&2; exit 1; }
LLD=$(command -v ld.lld-19 || command -v lld-19 || command -v lld) ||
  { echo "error: no lld: install Debian's lld-19" >&2; exit 1; }
LIBRARIES=$(dirname "$(ls /usr/lib/*/librustc_driver-*.so | head -n 1)")
BUILD=$(mktemp -d)
trap 'rm -rf "$BUILD"' EXIT

cd "$SOURCE"
# -Zforce-unstable-if-unmarked and the metadata name are what makes these crates the standard library.
env -u RUSTUP_TOOLCHAIN -u CARGO_ENCODED_RUSTFLAGS \
  RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 __CARGO_DEFAULT_LIB_METADATA=stablestd \
  CARGO_HOME="$BUILD/cargo-home" CARGO_TARGET_DIR="$BUILD/target" \
  RUSTFLAGS="-Zforce-unstable-if-unmarked --remap-path-prefix=$SOURCE=/rustc/std/library" \
  /usr/bin/cargo build --quiet -Zavoid-dev-deps --locked --offline --profile dist --target $TARGET \
  --manifest-path sysroot/Cargo.toml \
  --no-default-features --features 'panic-unwind backtrace' \
  --config "source.crates-io.replace-with='vendored'" \
  --config "source.vendored.directory='$SOURCE/vendor'"

RUSTLIB=$PREFIX/lib/rustlib
rm -rf "$PREFIX"
mkdir -p "$RUSTLIB/$TARGET/lib" "$RUSTLIB/$HOST/bin" "$PREFIX/bin"
cp "$BUILD/target/$TARGET/dist/deps/"*.rlib "$BUILD/target/$TARGET/dist/deps/"*.rmeta "$RUSTLIB/$TARGET/lib/"
# Build scripts and macros run on this machine: its standard library is Debian's.
ln -s "/usr/lib/rustlib/$HOST/lib" "$RUSTLIB/$HOST/lib"
ln -s "$LLD" "$RUSTLIB/$HOST/bin/rust-lld"
# rustc looks for its standard libraries beside the librustc_driver that it loaded, so whoever runs this one puts
# PREFIX/lib on LD_LIBRARY_PATH. A copy, since a link would lead back to /usr.
cp "$LIBRARIES"/librustc_driver-*.so "$PREFIX/lib/"
for program in rustc cargo rustdoc cargo-clippy clippy-driver; do
  cp "/usr/bin/$program" "$PREFIX/bin/"
done
[ "$(LD_LIBRARY_PATH=$PREFIX/lib "$PREFIX/bin/rustc" --print target-libdir --target $TARGET)" = "$RUSTLIB/$TARGET/lib" ] ||
  { echo "error: $PREFIX/bin/rustc does not look for its libraries in $PREFIX" >&2; exit 1; }
printf '%s\n' "$WANT" >"$STAMP"
