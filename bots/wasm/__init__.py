"""Bots that are WebAssembly modules: how they are checked, compiled and run, and how their fuel is counted (docs/wasm.md)."""
