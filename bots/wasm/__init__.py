"""Bots that are WebAssembly modules: checks, compilation, execution, and accounting of fuel (docs/wasm.md)."""
