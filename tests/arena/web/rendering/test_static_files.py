"""The browser's scripts: modules that import what others export, and one script made of them for pages that can't import."""

from __future__ import annotations

import re

import pytest

from arena.web.rendering.static_files import STATIC, content, linked, modules, script_tags, version
from arena.web.settings import WebSettings

OURS = sorted(path.name for path in STATIC.glob("*.js"))
IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./(.*)";$', re.MULTILINE)


def exports(name: str) -> set[str]:
    text = content(name).decode()
    return {*re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text, re.MULTILINE), *re.findall(r"\w+ as (\w+)", text)}


@pytest.mark.parametrize("name", OURS)
def test_a_module_imports_what_another_exports_and_uses_it(name: str) -> None:
    text = content(name).decode()
    imports = IMPORT.findall(text)

    assert len(imports) == len(re.findall(r"^import\b", text, re.MULTILINE))
    for names, target in imports:
        assert set(names.split(", ")) <= exports(target), target
        assert all(len(re.findall(rf"\b{each}\b", text)) > 1 for each in names.split(", ")), target


def test_a_module_comes_after_all_that_it_imports() -> None:
    found = modules("table.js")

    assert found[-1] == "table.js"
    for index, name in enumerate(found):
        assert {target for _, target in IMPORT.findall(content(name).decode())} <= set(found[:index])


@pytest.mark.parametrize("name", OURS)
def test_a_linked_script_imports_nothing(name: str) -> None:
    text = linked(name)

    assert re.findall(r"^(?:import|export)\b|\bexport\{|</script|<!--", text, re.MULTILINE) == []
    assert text.count("const $module") == len(modules(name))


def test_pages_preload_what_a_script_imports_and_those_of_a_site_load_one_script() -> None:
    served, written = (script_tags("visitor.js", WebSettings("x.db", is_static=is_static)) for is_static in (False, True))

    assert served == (
        f'<link rel="modulepreload" href="/static/{version()}/storage.js">\n'
        f'<script type="module" src="/static/{version()}/visitor.js"></script>'
    )
    assert written == '<script src="/static/visitor.js" defer></script>'
