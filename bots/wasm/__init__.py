"""Bots that are WebAssembly modules: how they are checked, compiled, run and paid for in fuel (docs/wasm.md)."""
