"""The page in a real browser: a person's whole path, by keyboard, on a phone, light and dark.

Every test leaves pictures in `screenshots/` at the root of the repository, where CI takes them from.
"""

from __future__ import annotations

import colorsys
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import halluscope
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.settings import ServerSettings

from ...helpers.browser import Page
from ...helpers.loopback import Loopback
from ...helpers.serving import Served
from .conftest import TOKEN

pytestmark = pytest.mark.slow("starts Chromium")

SHOTS = Path(__file__).parents[3] / "screenshots"
OUTPUT = "🗼 The tower is 38 metres tall. It was finished in 1874. Visitors can buy postcards in the shop."
CONTEXT = "🌙 At 38 metres the tower is the tallest here.\n\nThe tower was finished in 1854, after four years."
EXAMPLES = [json.loads(line) for line in halluscope.sample().read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def chat() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture(scope="module")
def site(kept: Store, chat: Loopback) -> Iterator[Served]:
    """A server that has a chat model to compare with."""
    settings = ServerSettings(judges=("local", "openai/any"), judge_options={"base_url": chat.base_url})
    with Served(settings, kept) as running:
        yield running


async def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(exist_ok=True)
    (SHOTS / f"page-{name}.png").write_bytes(await page.screenshot())


async def claims(page: Page) -> list[list[str]]:
    """The coloured pieces of the output: support and words."""
    script = "[...document.querySelectorAll('.text.output .claim')].map((e) => [e.classList[1], e.textContent])"
    found: list[list[str]] = await page.run(script)
    return found


async def check(page: Page) -> None:
    await page.press("Enter", held=2)
    await page.until("document.querySelector('.systems')")


async def pick(page: Page, field: str, value: str) -> None:
    """As a reader picks from a list."""
    await page.run(
        f"(() => {{ const e = document.getElementById({field!r}); e.value = {value!r}; "
        "e.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )


def clean(page: Page, site: Served) -> None:
    """Nothing was asked of anybody else, and nothing went wrong, the policy's complaints included."""
    assert [url for url in page.requests if not url.startswith((site.url, "about:", "data:"))] == []
    assert page.errors == []


async def test_an_output_is_repaired_where_it_was_judged(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    await page.type(OUTPUT)
    await page.press("Tab")
    await page.type(CONTEXT)
    await check(page)
    await page.click("button", containing="Repair")
    await page.until("document.querySelector('.repair ins')")
    assert (await page.texts(".repair .text.output ins")) == ["1854"]
    assert (await page.texts(".repair .text.output del"))[0] == "1874"
    assert "finished in 1854" in (await page.texts(".repair blockquote"))[0]
    await shot(page, "repaired")
    clean(page, site)


async def test_a_persons_whole_path_by_keyboard(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    assert await page.run("document.activeElement.id") == "output"
    await shot(page, "1-empty")
    await page.type(OUTPUT)
    await page.press("Tab")
    assert await page.run("document.activeElement.id") == "context"
    await page.type(CONTEXT)
    await page.press("Tab")
    await page.type("How tall is the tower?")
    await shot(page, "2-written")
    await check(page)
    assert [support for support, _ in await claims(page)] == ["supported", "contradicted", "unsupported"]
    shown = ["It was finished in 1874.", "Visitors can buy postcards in the shop."]
    assert [words for _, words in await claims(page)][1:] == shown
    assert await page.texts(".text.output") == [OUTPUT]
    await shot(page, "3-judged")

    await page.press("ArrowRight", "ArrowRight")
    assert await page.texts(".claim.chosen") == ["It was finished in 1874."]
    (lit,) = await page.texts(".lit-against")
    assert (
        "1854" in lit
        and await page.run("document.querySelector('.lit-against').closest('.passage').dataset.passage") == "1"
    )
    await shot(page, "4-evidence")
    await page.press("ArrowRight", "ArrowRight")
    assert await page.texts(".lit-for") != []
    await page.press("Escape")
    assert await page.texts(".claim.chosen, .lit-for, .lit-against") == []

    seen = {}
    assert await page.texts(".systems .pill") == ["✗ failed"]
    for _ in range(6):
        (tab,) = await page.texts('[role="tab"][aria-selected="true"]')
        seen[tab] = (await page.texts(".systems .big"), await page.texts(".entry .said"))
        await shot(page, f"5-{tab.lower().replace(' ', '-')}")
        await page.press("v")
    assert list(seen.items()) == [
        ("halluscope", (["0.67"], [])),
        ("Mastra hallucination", (["0.67"], ["Mastra: no", "Mastra: yes", "Mastra: yes"])),
        ("Mastra faithfulness", (["0.33"], ["Mastra: yes", "Mastra: no", "Mastra: unsure"])),
        ("Opik", (["1.00"], [])),
        ("DeepEval", (["0.50", "0.67"], ["DeepEval: yes", "DeepEval: no", "DeepEval: idk"])),
        ("Phoenix", (["0.00"], [])),
    ]
    await page.press("Escape")
    assert await page.run("document.getElementById('output').value") == OUTPUT
    clean(page, site)


async def test_every_example_can_be_picked_and_judged(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    for example in (EXAMPLES[1], EXAMPLES[10]):
        await pick(page, "example", example["id"])
        assert await page.run("document.getElementById('output').value") == example["output"]
        await page.click("button.primary")
        await page.until("document.querySelector('.systems')")
        await page.press("e")
    await pick(page, "example", EXAMPLES[10]["id"])
    await page.click("button.primary")
    (why,) = [await page.until("document.querySelector('.callout')?.textContent")]
    assert "declines to answer" in why
    clean(page, site)


async def test_claims_are_coloured_as_they_are_judged(page: Page, site: Served, chat: Loopback) -> None:
    """The claims stand there, grey, before the chat model has said a word about them."""
    chat.until = lambda asked: asked.kind == "extract"
    try:
        await page.visit(f"{site.url}/")
        await page.type(OUTPUT)
        await page.run(f"document.getElementById('context').value = {CONTEXT!r}")
        await pick(page, "judge", "openai/any")
        await page.press("Enter", held=2)
        await page.until("document.querySelector('.claim.pending')")
        assert {support for support, _ in await claims(page)} == {"pending"}
        assert "Judging 3 claims" in (await page.texts(".waiting"))[0]
        await shot(page, "6-while-it-is-judged")
    finally:
        chat.until = None
    await page.until("document.querySelector('.systems')")
    assert "pending" not in {support for support, _ in await claims(page)}
    clean(page, site)


async def test_two_judges_stand_side_by_side(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    await page.type(OUTPUT)
    await page.run(f"document.getElementById('context').value = {CONTEXT!r}")
    await pick(page, "judge", "side by side openai/any")
    await page.press("Enter", held=2)
    await page.until("document.querySelectorAll('.systems').length === 2")
    assert await page.texts(".judge-name b") == ["local", "openai/any"]
    boxes = await page.run("[...document.querySelectorAll('.reading')].map((e) => e.getBoundingClientRect().x)")
    assert boxes[0] < boxes[1]
    mine = await page.run("document.querySelector('.reading').querySelectorAll('.entry').length")
    for _ in range(mine + 2):  # on into the other judge's claims
        await page.press("ArrowRight")
    assert await page.run("document.querySelectorAll('.reading')[1].querySelector('.claim.chosen') !== null")
    assert len(await page.texts(".lit-against")) == 1
    assert await page.texts(".said") == []
    await shot(page, "7-side-by-side")
    await page.press("v")
    assert len(await page.texts(".said")) == 2 * mine
    clean(page, site)


async def test_runs_are_browsed_and_compared(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    await page.click(".navigation a", "Runs")
    await page.until("document.querySelectorAll('.figure-of').length === 4")
    assert await page.texts("tbody th a") == ["nightly-2", "nightly-1"]
    await shot(page, "8-runs")
    for box in (0, 1):
        await page.run(f"document.querySelectorAll('input[type=checkbox]')[{box}].focus()")
        await page.press(" ")
    await page.click(".compare-bar a", "What changed from nightly-1 to nightly-2")
    await page.until("document.querySelector('.changes')")
    assert "since nightly-1" in (await page.texts(".changes h2"))[0]
    await shot(page, "9-what-changed")
    await page.click(".regressions button")
    await page.until("document.querySelector('.case .claim.contradicted')")
    await page.press("ArrowRight")
    assert "38 metres" in (await page.texts(".lit-against"))[0]
    await shot(page, "10-a-case")
    await page.visit(f"{site.url}/runs/view?run=nowhere")
    assert "there is no run called 'nowhere'" in (await page.texts("#loading"))[0]
    assert page.errors[-1].startswith("Failed to load resource") or "nowhere" in page.errors[-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_works_on_a_phone(page: Page, site: Served, scheme: str) -> None:
    await page.size(390, 800, mobile=True)
    await page.prefer(prefers_color_scheme=scheme)
    await page.visit(f"{site.url}/")

    async def fits() -> bool:
        """Nothing is cut off, and what is wider than the screen can be scrolled in its own frame."""
        framed = "!e.closest('.vocabularies, .table-scroll, .metrics')"
        outside = f"[...document.querySelectorAll('main *')].some((e) => {framed} && "
        outside += "e.getBoundingClientRect().right > innerWidth)"
        return bool(await page.run(f"document.documentElement.scrollWidth <= innerWidth && !({outside})"))

    assert await fits()
    await shot(page, f"11-phone-{scheme}")
    await pick(page, "example", "refund-made-up-rule")
    await page.click("button.primary")
    await page.until("document.querySelector('.systems')")
    assert await fits()
    assert await page.texts(".systems .pill") == ["✗ failed"]
    assert await hue(page, ".claim.unsupported") > 30
    await page.click(".claim.unsupported")
    assert len(await page.texts(".entry.chosen")) == 1
    await shot(page, f"12-phone-judged-{scheme}")
    await page.visit(f"{site.url}/runs")
    await page.until("document.querySelectorAll('.figure-of').length === 4")
    assert await fits()
    await page.visit(f"{site.url}/runs/view?run=nightly-2")
    await page.until("document.querySelector('.overview')")
    assert await fits()
    clean(page, site)


async def hue(page: Page, selector: str) -> float:
    """The colour under an element's words, in degrees from red."""
    colour = await page.run(f"getComputedStyle(document.querySelector({selector!r})).textDecorationColor")
    found = colorsys.rgb_to_hsv(*(int(part) / 255 for part in re.findall(r"\d+", colour)[:3]))[0] * 360
    return min(found, 360 - found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_contradiction_is_red(page: Page, site: Served, scheme: str) -> None:
    """Also where most claims hold, and a system's score is on the good side."""
    await page.prefer(prefers_color_scheme=scheme)
    await page.visit(f"{site.url}/")
    true = ["The tower is 38 metres tall.", "It has four bells.", "It stands in Ulm."]
    await page.type(" ".join([*true, "It was finished in 1874."]))
    context = " ".join([*true, "The tower was finished in 1854."])
    await page.run(f"document.getElementById('context').value = {context!r}")
    await check(page)
    assert [support for support, _ in await claims(page)].count("contradicted") == 1
    assert await hue(page, ".claim.contradicted") < 10
    for _ in range(2):
        assert await page.run("document.querySelector('.systems .standing').classList.contains('bad')")
        await page.press("v")
    await shot(page, f"15-contradiction-{scheme}")


async def test_dark_and_light_differ_and_the_choice_is_kept(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = await page.run(paper)
    await page.click("#theme")
    dark = await page.run(paper)
    assert light != dark
    await page.visit(f"{site.url}/runs")
    assert await page.run(paper) == dark
    await shot(page, "13-dark-runs")
    await page.press("t")
    assert await page.run(paper) == light


async def test_a_token_is_asked_for_once(page: Page, kept: Store) -> None:
    with Served(ServerSettings(token=TOKEN), kept) as site:
        await page.send("Page.navigate", url=f"{site.url}/")
        await page.until("document.readyState === 'complete' && document.getElementById('check') !== null")
        for token in ("wrong-wrong-wrong-wrong", TOKEN):
            await page.until("document.querySelector('dialog.token[open] input')")
            await page.type(token)
            await shot(page, "14-token")
            await page.press("Enter")
            await page.until(
                "!document.querySelector('dialog.token') || document.querySelector('.token input').value === ''"
            )
        await page.until("document.documentElement.dataset.ready")
        await pick(page, "example", "river-omission")
        await page.click("button.primary")
        await page.until("document.querySelector('.systems')")
        await page.click(".navigation a", "Runs")
        await page.until("document.querySelectorAll('.figure-of').length === 4")
        assert await page.texts("dialog.token") == []


async def test_a_conversation_is_a_timeline_of_its_turns(page: Page, site: Served) -> None:
    call = {"id": "1", "function": {"name": "cancel", "arguments": '{"order": "A-1044"}'}}
    talk = [
        {"role": "user", "content": "Cancel my order."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "The tower is 38 metres tall."},
        {"role": "assistant", "content": "The tower is 38 metres tall."},
    ]
    await page.visit(f"{site.url}/")
    await page.run(f"document.getElementById('output').value = {json.dumps(json.dumps(talk))}")
    await page.press("Enter", held=2)
    await page.until("document.querySelector('.timeline')")
    assert await page.texts(".timeline .other") == ["1 cancel()✗", "2 answer✓"]
    assert await page.texts(".timeline [aria-current=step]") == ["1 cancel()✗"], "the first that failed"
    assert await claims(page) == [["unsupported", '"A-1044"']]
    assert "nowhere in the conversation" in (await page.texts(".opinion .reason"))[0]
    await shot(page, "conversation")
    await page.click(".timeline .other", "2 answer")
    assert await claims(page) == [["supported", "The tower is 38 metres tall."]]
    assert await page.texts(".given .passage .text") == ["The tower is 38 metres tall."]
    clean(page, site)


async def test_trouble_is_told_in_the_servers_words(page: Page, site: Served) -> None:
    await page.visit(f"{site.url}/")
    long = " ".join(f"The mill number {n} has {n} wheels." for n in range(400))
    await page.run(f"document.getElementById('output').value = {long!r}")
    await page.press("Enter", held=2)
    told = await page.until("document.querySelector('.callout')?.textContent")
    assert "the limit is 200" in told
    await page.press("Escape")
    assert await page.run("document.getElementById('output').value.length") == len(long)


async def test_hostile_text_is_shown_and_not_run(page: Page, site: Served) -> None:
    evil: Any = (
        "<img src=x onerror='window.hacked = 1'></textarea><script>window.hacked = 2</script> The tower is tall."
    )
    await page.visit(f"{site.url}/")
    await page.type(evil)
    await page.run(f"document.getElementById('context').value = {evil!r}")
    await check(page)
    assert await page.run("window.hacked") is None
    assert await page.texts(".text.output") == [evil]
    policy = await page.run("fetch('/').then((r) => r.headers.get('content-security-policy'))")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    await page.run(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 3'}))"
    )
    assert await page.run("window.hacked") is None
