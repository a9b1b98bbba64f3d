#!/usr/bin/env bash
# Brings what building and testing need onto a machine: Debian 12 with rustup's stable Rust, Node 20 or newer,
# apt, cargo and npm. What is there already is left alone, so a second run takes a second or two.
#
# setup.sh build    what `make build` and `make run` need
# setup.sh test     all of that, and what the tests and benchmarks need
# setup.sh fuzz     what `make fuzz` needs, and nothing else
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/tools/wasm-env.sh"

# A rustup that reaches no server of its own may hang rather than fail.
RUSTUP_SECONDS=90

# install_debian PACKAGE…: as root by itself, else through sudo, else it says what to install.
install_debian() {
  local as_root=()
  have apt-get || die "this machine has no apt-get; install what these Debian packages hold: $*"
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || die "not root, and no sudo: have someone run \`apt-get install --no-install-recommends $*\`"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get -q -o=Dpkg::Use-Pty=0 update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o=Dpkg::Use-Pty=0 install --no-install-recommends "$@"
}

has_linker() { have cc; }

check_prerequisites() {
  local tool
  for tool in cargo rustc node npm; do
    have "$tool" || die "\`$tool\` is missing: turnlog needs rustup's stable Rust and Node 20 or newer"
  done
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
    die "Node $(node --version) is too old: 20 or newer is needed"
}

# ---- the wasm32 target ---------------------------------------------------------------------------------

debian_serves_wasm() { ! rustup_serves_wasm && "$ROOT/tools/build-wasm-std.sh" "$DEBIAN_RUST" --check; }

has_wasm_toolchain() { rustup_serves_wasm || debian_serves_wasm; }

install_wasm_toolchain() {
  if [ "${TURNLOG_WASM_TOOLCHAIN:-}" != debian ] && have rustup; then
    echo "    rustup target add $WASM_TARGET (at most $RUSTUP_SECONDS s)"
    if timeout "$RUSTUP_SECONDS" rustup target add "$WASM_TARGET" && rustup_serves_wasm; then
      return
    fi
    echo "    rustup could not bring it; building the standard library from Debian's packages instead"
  fi
  install_debian rustc-web cargo-web rust-web-src rust-web-clippy lld-19
  "$ROOT/tools/build-wasm-std.sh" "$DEBIAN_RUST"
}

# ---- cargo's helpers -----------------------------------------------------------------------------------

has_rustfmt_and_clippy() { cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; }

install_rustfmt_and_clippy() {
  have rustup || die "cargo fmt and cargo clippy are missing, and there is no rustup to bring them"
  timeout "$RUSTUP_SECONDS" rustup component add rustfmt clippy
}

has_wasm_bindgen() {
  local bin
  bin=$(wasm_bindgen_bin)
  [ -x "$bin/wasm-bindgen-test-runner" ] &&
    [ "$("$bin/wasm-bindgen" --version 2>/dev/null)" = "wasm-bindgen $(wasm_bindgen_version)" ]
}

install_wasm_bindgen() {
  local root
  root=$(dirname "$(wasm_bindgen_bin)")
  # An unoptimised build: it takes a fifth of the time and its output is the same to the byte.
  local quiet=--quiet
  # A person sees cargo's progress bar; a log is spared a line for each of 150 crates.
  if [ -t 2 ]; then quiet=; fi
  # shellcheck disable=SC2086 # quiet is one option or none
  CARGO_TARGET_DIR="$root/build" cargo install $quiet --locked --force --debug --no-track \
    --path "$ROOT/tools/wasm-bindgen-tools" --root "$root"
  rm -rf "$root/build"
}

# ---- fuzzing -------------------------------------------------------------------------------------------

has_cxx() { have c++; }

has_fuzz_toolchain() { fuzz_toolchain >/dev/null; }

install_fuzz_toolchain() {
  have rustup || die "there is no rustup to bring $FUZZ_TOOLCHAIN"
  rustup toolchain install --profile minimal --no-self-update "$FUZZ_TOOLCHAIN"
}

has_cargo_fuzz() {
  [ "$("$(cargo_fuzz_bin)/cargo-fuzz" --version 2>/dev/null)" = "cargo-fuzz $CARGO_FUZZ_VERSION" ]
}

install_cargo_fuzz() {
  local root
  root=$(dirname "$(cargo_fuzz_bin)")
  cargo install --quiet --locked --force --no-track --version "=$CARGO_FUZZ_VERSION" --root "$root" cargo-fuzz
}

# ---- browsers and npm packages -------------------------------------------------------------------------

has_chromium() { have chromium && have chromedriver; }

has_firefox() { have firefox-esr; }

# Its browser has no headless mode.
has_webkit() {
  compgen -G '/usr/lib/*/webkit2gtk-4.1/MiniBrowser' >/dev/null && have WebKitWebDriver && have Xvfb && have xauth
}

# The lock file that node_modules was filled from, as a check value.
npm_state() { cat "$ROOT/package.json" "$ROOT/package-lock.json" | sha256sum | cut -c1-32; }

has_npm_packages() {
  [ -f "$ROOT/node_modules/.turnlog" ] && [ "$(cat "$ROOT/node_modules/.turnlog")" = "$(npm_state)" ]
}

install_npm_packages() {
  cd "$ROOT"
  npm ci --no-fund --no-audit
  npm_state >node_modules/.turnlog
}

# ----

what=${1:-test}
start=$(milliseconds)
mkdir -p "$CACHE"
# One set-up at a time: two clones share the cache.
exec 9>"$CACHE/.lock"
flock 9
check_prerequisites
if [ "$what" = fuzz ]; then
  ensure 'C++ compiler (Debian: g++)' has_cxx install_debian g++
  ensure "$FUZZ_TOOLCHAIN (rustup)" has_fuzz_toolchain install_fuzz_toolchain
  ensure "cargo-fuzz $CARGO_FUZZ_VERSION" has_cargo_fuzz install_cargo_fuzz
  printf 'Set-up took %s.\n' "$(seconds_since "$start")"
  exit
fi
check_wasm_bindgen_versions
ensure 'C linker (Debian: gcc libc6-dev)' has_linker install_debian gcc libc6-dev
ensure "Rust's $WASM_TARGET target" has_wasm_toolchain install_wasm_toolchain
ensure "wasm-bindgen $(wasm_bindgen_version) (tools/wasm-bindgen-tools)" has_wasm_bindgen install_wasm_bindgen
# The build makes the package's scripts small with one of them.
ensure 'npm packages (npm ci)' has_npm_packages install_npm_packages
case $what in
build) ;;
test)
  ensure 'rustfmt and clippy' has_rustfmt_and_clippy install_rustfmt_and_clippy
  ensure 'Chromium and its driver (Debian: chromium chromium-driver)' has_chromium \
    install_debian chromium chromium-driver
  ensure 'Firefox (Debian: firefox-esr)' has_firefox install_debian firefox-esr
  ensure 'WebKitGTK and a display for it (Debian: webkit2gtk-driver xvfb xauth)' has_webkit \
    install_debian webkit2gtk-driver xvfb xauth
  ;;
*) die "setup.sh takes \`build\`, \`test\` or \`fuzz\`, not \`$what\`" ;;
esac
printf 'Set-up took %s.\n' "$(seconds_since "$start")"
