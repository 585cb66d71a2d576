"""What a manifest says of building: commands, recipes by name, products, and what is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.errors import BotError
from bots.loader.archive import BundleError
from bots.loader.loading import identify
from bots.loader.recipes import read_steps
from bots.loader.version import BotVersion

C = {"bot.c": "int main(void) { return 0; }\n", "part/more.c": "\n"}
CARGO = {"Cargo.toml": "", "src/main.rs": ""}


def read(path: Path, files: dict[str, str], manifest: str) -> BotVersion:
    for name, text in (files | {"bot.toml": manifest}).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return identify(str(path))


@pytest.mark.parametrize(
    ("recipe", "files", "step"),
    [
        ("c", C, "cc -O2 -o bot bot.c part/more.c -lm"),
        ("c++", {"a.cpp": "", "b.cc": "", "c.cxx": "", "d.c": ""}, "c++ -O2 -std=c++20 -o bot a.cpp b.cc c.cxx"),
        ("rust", {"only.rs": ""}, "rustc --edition 2021 -O -o bot only.rs"),
        ("rust", {"src/main.rs": "", "src/part.rs": ""}, "rustc --edition 2021 -O -o bot src/main.rs"),
        ("rust", CARGO, "cargo build --release --offline"),
        ("go", {"main.go": "", "part.go": ""}, "go build -o bot main.go part.go"),
        ("go", {"main.go": "", "go.mod": ""}, "go build -o bot ."),
        ("zig", {"main.zig": "", "part.zig": ""}, "zig build-exe -O ReleaseFast -femit-bin=bot main.zig"),
        ("zig", {"src/main.zig": "", "build.zig": ""}, "zig build --release=fast"),
    ],
)
def test_a_recipe_stands_for_one_command(tmp_path: Path, recipe: str, files: dict[str, str], step: str) -> None:
    version = read(tmp_path, files, f'build = "{recipe}"\ncommand = ["./bot"]\n')
    assert version.build is not None
    assert [" ".join(words) for words in version.build.steps] == [step]


def test_the_source_is_all_but_the_manifest_and_what_is_already_built(tmp_path: Path) -> None:
    (tmp_path / "bot").write_bytes(b"\x7fELF and more")
    version = read(tmp_path, C, 'build = "c"\ncommand = ["./bot"]\n')
    assert version.is_source
    assert not version.is_installed
    assert version.files == ()
    assert version.build is not None
    assert [name for name, _ in version.build.source] == ["bot.c", "part/more.c"]
    assert version.build.products == ("bot",)


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ('build = "c"', "give either 'command'"),
        ('build = "c"\nclass = "bot:Bot"', "'build' goes with 'command'"),
        ('build = "fortran"\ncommand = ["./bot"]', "there is no recipe 'fortran' for 'build'; the recipes are c, c++, rust, go, zig"),
        ('build = "rusty"\ncommand = ["./bot"]', "did you mean 'rust'?"),
        ('build = "rust"\ncommand = ["./bot"]', "the recipe 'rust' is for files that end with .rs, and there are none"),
        ('build = "c++"\nwasm = "bot.wasm"', "the recipe 'c++' is for files that end with .cpp or .cc or .cxx, and there are none"),
        ('build = "c"\nwasm = "bot.wat"', "'wasm' should be the path of a file"),
        ('build = []\ncommand = ["./bot"]', "'build' should be a list of words"),
        ('build = [[]]\ncommand = ["./bot"]', "'build' should be a list of words"),
        ('build = [1]\ncommand = ["./bot"]', "'build' should be a list of words"),
        ('build = [["cc"], "cc"]\ncommand = ["./bot"]', "'build' should be a list of words"),
        ('build = ["cc", "\\u0000"]\ncommand = ["./bot"]', "'build' should be a list of words"),
        ('build = ["cc"]\ncommand = ["./bot"]\nfiles = ["../../etc/passwd"]', "'../../etc/passwd' is not a path within the folder"),
        ('build = ["cc"]\ncommand = ["./bot"]\nfiles = ["/etc/passwd"]', "'/etc/passwd' is not a path within the folder"),
        ('build = ["cc"]\ncommand = ["../bot"]', "'../bot' is not a path within the folder"),
        ('build = ["cc"]\ncommand = ["./bot"]\nfiles = "bot"', "'files' should be a list of paths"),
        ('build = ["cc"]\ncommand = ["./bot"]\nfiles = ["other"]', "the command './bot' is neither in 'files' nor a program"),
        ('build = ["cc"]\ncommand = ["sh", "bot.sh"]', "'sh' is a program of this machine; list the files to play in 'files'"),
    ],
)
def test_a_build_that_can_not_be_meant_is_refused(tmp_path: Path, manifest: str, words: str) -> None:
    with pytest.raises(BotError) as error:
        read(tmp_path, C, manifest)
    assert words in str(error.value)


def test_too_many_commands(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="more than 20 commands"):
        read_steps([["cc"]] * 21, "bot", [])
    with pytest.raises(BundleError, match="longer than 16 KiB"):
        read_steps(["cc", "x" * 20_000], "bot", [])


@pytest.mark.parametrize(("recipe", "files"), [("c", C), ("rust", {"lib.rs": ""}), ("zig", {"main.zig": ""})])
def test_recipes_that_make_webassembly(recipe: str, files: dict[str, str]) -> None:
    [step] = read_steps(recipe, "bot.wasm", files)
    assert any("wasm32" in word for word in step)
    assert any("bot.wasm" in word for word in step)
    with pytest.raises(BundleError, match="makes programs, not WebAssembly; write the command itself"):
        read_steps("go", "bot.wasm", ["main.go"])
