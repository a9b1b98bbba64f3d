//! The `wasm-bindgen-test-runner` command, in the version that the library is built with.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
