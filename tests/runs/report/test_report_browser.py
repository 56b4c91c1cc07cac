"""The report in a real browser: what a reader sees, clicks and types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from halluscope import Case, Claim, Evidence, Outcome, Support, Verdict
from halluscope._internal.core.repair import Repaired, RepairEdit
from halluscope._internal.core.result import Exchange, Failure, Usage
from halluscope._internal.core.verdict import Vote
from halluscope._internal.runs.datasets import BadRow
from halluscope._internal.runs.report import Results, write_report, write_results
from halluscope._internal.runs.report.page import script

from ...helpers.browser import Page
from ...helpers.reporting import judged, many, unscored
from ...helpers.waiting import until

pytestmark = pytest.mark.slow("starts Chromium")

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><b>bold</b>"

OWLS = Case.of(
    "🦉 Owls hunt at night. They live underwater. They may like jazz.",
    ["An owl 🌙 hunts by night, and sleeps by day.", "Owls live in trees, never underwater."],
    "What do owls do?",
    id="owls",
    metadata={"team": "birds"},
)
EXCHANGE = Exchange("verify", "scripted", "Is it so?\n<b>really</b>", '{"verdicts":[]}', Usage(1, 12, 3, 0.5))


def pairs() -> list[Any]:
    """Owls first, then one of everything that can go wrong, then a run of ordinary cases."""
    statements = [
        ("Owls hunt at night.", "S", "hunts by night"),
        ("They live underwater.", "C", "live in trees"),
        ("They may like jazz.", "U", ""),
    ]
    evil = Case.of(EVIL, [EVIL], EVIL, id=EVIL, metadata={EVIL: EVIL})
    silent = Case.of("", ["x"], id="silent")
    throttled = Case.of("Anything.", ["Trains to Zürich leave hourly."], id="throttled")
    failure = Failure("throttled", "the server asked for a pause", 429, '{"error": "slow down"}')
    return [
        (OWLS, judged(OWLS, statements, exchanges=(EXCHANGE,))),
        (OWLS, judged(OWLS, statements[:1], metric="faithfulness")),
        (evil, judged(evil, [(EVIL, "C", EVIL)], reason=EVIL, exchanges=(Exchange("verify", EVIL, EVIL, EVIL),))),
        (silent, unscored(silent, Outcome.EMPTY_OUTPUT, "No score: the output is empty.")),
        (throttled, unscored(throttled, Outcome.FAILED, "No score: the judge failed.", failure)),
        *many(40),
    ]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    return write_results(pairs(), folder / "report.html", name="nightly & <b>more</b>", judge="scripted")


@pytest.fixture
def damaged(report: Path, tmp_path: Path) -> Path:
    """A report in which some characters of the data were lost."""
    path = tmp_path / "damaged.html"
    text = report.read_text(encoding="utf-8")
    start = text.index('id="index">') + len('id="index">')
    path.write_text(text[: start + 20] + "AAAA" + text[start + 40 :], encoding="utf-8")
    return path


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """A report of two conversations, with a call of a tool that was made up."""
    call = {"id": "1", "function": {"name": "cancel_order", "arguments": '{"order_id": "A-1044"}'}}
    talk = [{"role": "user", "content": "Cancel my order."}, {"role": "assistant", "tool_calls": [call]}]
    answer = {"role": "assistant", "content": "Your order is cancelled."}
    cases = [*Case.of_turns([*talk, answer], id="t1"), *Case.of_turns([talk[0], answer], id="t2")]
    results = [judged(case, [(case.output, "U" if case.is_tool_call else "S", "")]) for case in cases]
    return write_results(list(zip(cases, results, strict=True)), tmp_path / "talks.html", name="talks")


OPENED = "document.querySelector('.case')"


async def opened(page: Page, report: Path, hash: str = "#hallucination/0") -> Page:
    await page.open(report, hash)
    await page.until(OPENED)
    return page


async def listed(page: Page) -> int:
    """How many cases the filters let through, by the length of the list itself."""
    return int(await page.run("document.querySelector('.list-space').offsetHeight / 68"))


class TestCase:
    async def test_claims_are_coloured_where_they_stand(self, page: Page, report: Path) -> None:
        await opened(page, report)
        found = await page.run("[...document.querySelectorAll('.claim')].map((e) => [e.className, e.textContent])")
        assert found == [
            ["claim supported", "Owls hunt at night."],
            ["claim contradicted", "They live underwater."],
            ["claim unsupported", "They may like jazz."],
        ]
        assert await page.texts(".text.output") == [OWLS.output]
        colours = await page.run(
            "[...document.querySelectorAll('.claim')].map((e) => getComputedStyle(e).backgroundColor)"
        )
        lines = await page.run(
            "[...document.querySelectorAll('.claim')].map((e) => getComputedStyle(e).textDecorationStyle)"
        )
        assert len(set(colours)) == 3
        assert lines == ["solid", "wavy", "dashed"]

    async def test_the_turns_of_a_conversation_are_a_timeline(self, page: Page, talks: Path) -> None:
        await opened(page, talks)
        assert await page.texts(".timeline .other") == ["1 cancel_order()✗", "2 answer✓"]
        assert await page.texts(".timeline [aria-current=step]") == ["1 cancel_order()✗"]
        await page.click(".timeline .other", "2 answer")
        await page.until("document.querySelector('.text.output').textContent.startsWith('Your order')")
        assert await page.texts(".timeline [aria-current=step]") == ["2 answer✓"]
        await opened(page, talks, "#hallucination/2")
        assert await page.texts(".timeline .other") == ["1 answer✓"]

    async def test_choosing_a_claim_lights_its_evidence_at_the_exact_characters(self, page: Page, report: Path) -> None:
        await opened(page, report)
        assert await page.texts(".lit-for, .lit-against") == []
        await page.click(".claim", "Owls hunt")
        assert await page.texts(".lit-for") == ["hunts by night"]
        place = await page.run(
            """(() => {
                const lit = document.querySelector(".lit-for");
                const before = document.createRange();
                before.setStart(lit.closest(".text"), 0);
                before.setEndBefore(lit);
                return [Number(lit.closest(".passage").dataset.passage), before.toString().length];
            })()"""
        )
        assert place == [0, len("An owl 🌙 ".encode("utf-16-le")) // 2]
        await page.click(".claim", "underwater")
        assert await page.texts(".lit-for") == []
        assert await page.texts(".lit-against") == ["live in trees"]
        assert await page.texts(".claim[aria-pressed=true]") == ["They live underwater."]
        assert await page.texts(".entry.chosen .entry-text") == ["They live underwater."]
        await page.click(".claim", "jazz")
        assert await page.texts(".lit-for, .lit-against") == []
        assert await page.run("!document.querySelector('.no-evidence').hidden")
        await page.click(".claim", "jazz")
        assert await page.texts(".chosen") == []

    async def test_reasons_judge_tokens_and_cost_are_there(self, page: Page, report: Path) -> None:
        await opened(page, report)
        shown = " ".join(await page.texts(".case"))
        for expected in ("Reason 2.", "scripted", "10 in, 5 out", "$0.0010", "90 %", "What do owls do?", "birds"):
            assert expected in shown

    async def test_prompts_and_replies_are_shown_when_asked_for(self, page: Page, report: Path) -> None:
        await opened(page, report)
        assert await page.texts(".exchange") == []
        await page.click("summary", "Prompts and replies")
        await page.until("document.querySelector('.exchange')")
        assert await page.texts(".exchange pre") == ["Is it so?\n<b>really</b>", '{\n  "verdicts": []\n}']

    async def test_a_case_without_a_score_says_why(self, page: Page, report: Path) -> None:
        await opened(page, report, "#hallucination/3")
        shown = " ".join(await page.texts(".case"))
        for expected in ("no score", "the judge failed", "the server asked for a pause", "429", "slow down"):
            assert expected in shown
        await opened(page, report, "#hallucination/2")
        assert "The output is empty." in " ".join(await page.texts(".case"))

    async def test_other_metrics_of_the_case_are_one_click_away(self, page: Page, report: Path) -> None:
        await opened(page, report)
        await page.click(".other", "faithfulness")
        await page.until("document.querySelector('.metric[aria-pressed=true]').textContent.includes('faithfulness')")
        await page.until("document.querySelectorAll('.claim').length === 1")

    async def test_overlapping_claims_show_the_worst_and_are_chosen_in_turn(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("Cats bark and dogs meow.", ["Cats meow."], id="overlap")
        result = judged(case, [("Cats bark and dogs meow.", "S", ""), ("bark and", "C", "")])
        await opened(page, write_results([(case, result)], (tmp_path / "r.html")))
        found = await page.run("[...document.querySelectorAll('.claim')].map((e) => [e.className, e.textContent])")
        assert found == [
            ["claim supported", "Cats "],
            ["claim contradicted", "bark and"],
            ["claim supported", " dogs meow."],
        ]
        await page.click(".claim", "bark")
        assert await page.texts(".entry.chosen .entry-text") == ["Cats bark and dogs meow."]
        await page.click(".claim", "bark")
        assert await page.texts(".entry.chosen .entry-text") == ["bark and"]

    async def test_a_verdict_on_a_passage_marks_the_passage(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("It is red.", ["It is red.", "It is blue."], id="passages")
        whole = Claim("p", case.output, 0, len(case.output))
        verdicts = (
            Verdict(whole, Support.SUPPORTED, passage=0, evidence=(Evidence(0, 0, 10, "It is red."),)),
            Verdict(whole, Support.CONTRADICTED, passage=1, evidence=(Evidence(1, 6, 10, "blue", "against"),)),
        )
        result = structs.replace(judged(case), metric="contradiction", verdicts=verdicts)
        await opened(page, write_results([(case, result)], tmp_path / "r.html"), "#contradiction/0")
        assert await page.texts(".claim") == []
        assert await page.texts(".passage.contradicted .text") == ["It is blue."]
        await page.click(".entry-head", "Passage 2")
        assert await page.texts(".lit-against") == ["blue"]
        assert await page.texts(".lit-for") == []

    async def test_who_decided_and_who_said_otherwise(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("It is red.", ["It is blue."], id="votes")
        votes = (Vote("local", Support.SUPPORTED, 0.6), Vote("openai/any", Support.CONTRADICTED))
        claim = Claim("c1", "It is red.", 0, 10)
        verdicts = (Verdict(claim, Support.CONTRADICTED, judge="openai/any", votes=votes),)
        result = structs.replace(judged(case), verdicts=verdicts, truths=("It is blue.",), probability=0.8)
        await opened(page, write_results([(case, result)], tmp_path / "r.html"))
        assert await page.texts(".vote") == ["✓ local 60 %", "✗ openai/any"]
        shown = " ".join(await page.texts(".case"))
        assert "Truths drawn from the context (1)" in shown
        assert "probability of hallucination80 %" in shown


class TestList:
    async def test_filters_by_outcome_verdict_score_and_metric(self, page: Page, report: Path) -> None:
        await page.open(report)
        everything = await listed(page)
        assert everything == 44
        await page.click(".chip", "judge failed")
        assert await listed(page) == 5
        await page.click(".chip", "empty output")
        assert await listed(page) == 6
        await page.click("#clear")
        assert await listed(page) == everything
        await page.click(".filters .chip", "unsupported")
        assert await listed(page) == 1
        await page.click("#clear")
        await page.run(
            """(() => {
                const low = document.querySelector(".thumbs .low");
                low.value = 0.9;
                low.dispatchEvent(new Event("input"));
            })()"""
        )
        scores = await page.texts(".row:not([hidden]) .row-score")
        assert scores and set(scores) == {"1.00"}
        await page.click(".metric", "faithfulness")
        assert await listed(page) == 1

    async def test_the_worst_come_first_and_those_without_a_score_last(self, page: Page, report: Path) -> None:
        await page.open(report)
        first = await page.texts(".row:not([hidden]) .row-score")
        assert first[0] == "1.00"
        await page.run("document.querySelector('#list').scrollTop = 1e9")
        await page.until(
            "[...document.querySelectorAll('.row:not([hidden]) .row-score')].some((e) => e.textContent === '–')"
        )

    async def test_the_open_case_says_where_in_the_list_it_stands(self, page: Page, report: Path) -> None:
        await opened(page, report)
        first = (await page.texts(".place"))[0]
        assert first.endswith("of 44")
        await page.run(
            """(() => {
                const order = document.querySelector("#sort");
                order.value = "file";
                order.dispatchEvent(new Event("change"));
            })()"""
        )
        assert await page.texts(".place") == ["1 of 44"]
        assert first != "1 of 44"
        await page.click(".chip", "judge failed")
        assert await page.texts(".place") == ["not among those listed"]
        await page.press("j")
        await page.until("document.querySelector('.place').textContent === '1 of 5'")

    async def test_search_looks_into_every_text(self, page: Page, report: Path) -> None:
        await page.open(report)
        for wanted, expected in (
            ("jazz", 1),
            ('"never underwater"', 1),
            ("JAZZ owls", 1),
            ('"context of case 7"', 1),
            ("statement reason", 36),
            ("no such words", 0),
            ("birds", 1),
            ("zurich", 1),
            ("ZÜRICH", 1),
        ):
            await page.press("/")
            await page.type(wanted)
            await page.until(f"document.querySelector('#search').value === {wanted!r}")
            await page.until("!document.querySelector('#status').textContent.includes('reading')")
            await page.until(f"document.querySelector('.list-space').offsetHeight === {expected * 68}")
            await page.press("Escape", "Escape")
            await page.until("document.querySelector('#search').value === ''")

    async def test_the_keyboard_is_enough(self, page: Page, report: Path) -> None:
        await page.open(report)
        await page.press("j")
        await page.until(OPENED)
        first = await page.texts(".case-id")
        await page.press("j")
        await page.until(f"document.querySelector('.case-id').textContent !== {first[0]!r}")
        await page.press("k")
        await page.until(f"document.querySelector('.case-id').textContent === {first[0]!r}")
        await page.run("location.hash = '#hallucination/0'")
        await page.until("document.querySelector('.case-id').textContent === 'owls'")
        await page.press("ArrowRight", "ArrowRight")
        assert await page.run("document.querySelector('.entry.chosen').dataset.claim") == "1"
        assert "Claim 2 of" in (await page.texts("#spoken"))[0]
        await page.press("Escape")
        assert await page.texts(".chosen") == []
        await page.press("Escape")
        await page.until("document.querySelector('.overview')")
        await page.press("/")
        assert await page.run("document.activeElement.id") == "search"
        await page.type("j")
        assert await page.run("document.querySelector('#search').value") == "j"
        await page.press("Escape", "Escape")
        assert await page.run("document.activeElement.id") == "list"
        await page.press("ArrowDown", "ArrowDown")
        await page.until("document.querySelector('[role=option][aria-selected=true]')?.dataset.index === '1'")
        active = await page.run("document.querySelector('#list').getAttribute('aria-activedescendant')")
        assert active == "row-1"
        await page.press("Enter")
        assert await page.run("document.activeElement.id") == "main"
        await page.press("?")
        assert await page.run("document.querySelector('#shortcuts').open")

    async def test_focus_can_be_seen(self, page: Page, report: Path) -> None:
        await page.open(report)
        await page.press("Tab")
        outline = await page.run("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"

    async def test_what_changed_is_shown_and_leads_to_the_cases(self, page: Page, tmp_path: Path) -> None:
        path = write_results(many(40, offset=1), tmp_path / "r.html", baseline=many(40))
        await page.open(path)
        assert "What changed" in " ".join(await page.texts(".overview h2"))
        worse = int((await page.texts(".changes tbody td.number"))[0])
        assert worse > 0
        await page.click(".changes td button")
        assert await listed(page) == worse
        assert all("worse" in text for text in await page.texts(".row:not([hidden]) .row-foot"))


def sorted_by_model() -> list[Any]:
    """Two models, one of them worse, under six metrics, and an identifier that is another in each case."""
    metrics = ("hallucination", "faithfulness", "label", "citations", "contradiction", "truth_faithfulness")
    found = []
    for i in range(24):
        metadata = {"metadata": {"model": "small" if i % 2 else "large", "trace": f"t{i}"}, "topic": f"topic {i % 3}"}
        case = Case.of(f"Statement {i} is made.", ["Something else."], id=f"id-{i}", metadata=metadata)
        letter = "C" if i % 2 and i % 5 else "S"
        found += [(case, judged(case, [(f"Statement {i} is made.", letter, "")], metric=m)) for m in metrics]
    return found


class TestOverview:
    async def test_the_worst_cases_say_what_is_wrong_and_lead_there(self, page: Page, tmp_path: Path) -> None:
        await page.open(write_results(sorted_by_model(), tmp_path / "r.html"))
        assert "8 of 10 that failed" in " ".join(await page.texts(".worst h2"))
        await page.until("document.querySelector('.worst .why').textContent")
        assert (await page.texts(".worst .why"))[0] == "✗ Statement 1 is made. – Reason 1."
        assert "hallucination 1.00" in (await page.texts(".worst li"))[0]
        await page.click(".worst a")
        await page.until(OPENED)
        assert await page.texts(".case-id") == ["id-1"]
        assert await page.run("location.hash") == "#hallucination/1"

    async def test_nothing_is_called_worst_where_nothing_failed(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("It is so.", ["It is so."])
        await page.open(write_results([(case, judged(case, [("It is so.", "S", "It is so.")]))], tmp_path / "r.html"))
        assert await page.texts(".worst") == [] and await page.texts(".groups") == []

    async def test_groups_come_from_metadata_and_lead_to_their_cases(self, page: Page, tmp_path: Path) -> None:
        await page.open(write_results(sorted_by_model(), tmp_path / "r.html"))
        assert await page.texts(".group h3") == ["model", "topic"]
        assert await page.texts(".group:first-child tbody th") == ["small", "large"]
        assert (await page.texts(".group tbody tr"))[0].startswith("small120.83 17 % passed0.17 17 % passed")
        await page.click(".group button", "small")
        assert await listed(page) == 12
        await page.click("#metrics button", "label")
        assert await listed(page) == 12
        await page.click(".chip", "model: small")
        assert await listed(page) == 24

    @pytest.mark.parametrize("width", [1280, 390])
    async def test_no_table_is_cut_off(self, page: Page, tmp_path: Path, width: int) -> None:
        silent = Case.of("", ["x"], id="silent")
        results = [*sorted_by_model(), (silent, unscored(silent, Outcome.EMPTY_OUTPUT, "No score."))]
        await page.size(width, 844, mobile=width < 500)
        await page.open(write_results(results, tmp_path / "r.html", baseline=sorted_by_model()))
        assert len(await page.texts(".overview table")) >= 4
        tables = "[...document.querySelectorAll('.overview .table-scroll')]"
        cut = f"{tables}.filter((e) => e.scrollWidth > e.clientWidth + 1)"
        assert await page.run(f"{cut}.map((e) => [e.textContent, e.scrollWidth, e.clientWidth])") == []
        assert await page.run("document.documentElement.scrollWidth") <= width

    async def test_the_overview_uses_a_wide_screen(self, page: Page, tmp_path: Path) -> None:
        await page.size(1920, 1080)
        await page.open(write_results(sorted_by_model(), tmp_path / "r.html"))
        assert await page.run("document.querySelector('.cards').offsetWidth") > 1400

    async def test_a_phone_shows_no_keys(self, page: Page, report: Path) -> None:
        await page.size(390, 844, mobile=True)
        await opened(page, report)
        hints = "[...document.querySelectorAll('kbd, #help, .for-keyboard')].filter((e) => e.getClientRects().length)"
        assert await page.run(f"{hints}.length") == 0
        await page.run("document.querySelector('#home').click()")
        assert await page.run(f"{hints}.length") == 0
        await page.size(390, 844)
        assert await page.run(f"{hints}.length") > 0


PIPES = """Sales:
| Region | Q1 | Q2 |
| --- | ---: | ---: |
| North | 1,204 | 1,350 |
| South | 987 | 940 |
In thousands."""
COMMAS = 'Product,Units,Price\nLamp,120,35.50\n"Chair, red",48,89.00'
BLANKS = "Region      Q1     Q2\nNorth     1204   1350"
PROSE = "He came, he saw, he left.  She | he stayed.\nOslo, Rome, and Paris are cities.\nOne, two, and three."


class TestTables:
    async def test_tables_in_the_context_are_drawn_as_tables(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("North sold 1,350. It sold 9.", [PIPES, COMMAS, BLANKS, "a\tb\nc\td", PROSE], id="t")
        statements = [("North sold 1,350.", "S", "North | 1,204 | 1,350"), ("It sold 9.", "C", "Lamp,120")]
        await opened(page, write_results([(case, judged(case, statements))], tmp_path / "r.html"))
        cells = "[...e.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        assert await page.run(f"[...document.querySelectorAll('.passage')].map((e) => {cells})") == [
            [["Region", "Q1", "Q2"], ["North", "1,204", "1,350"], ["South", "987", "940"]],
            [["Product", "Units", "Price"], ["Lamp", "120", "35.50"], ['"Chair, red"', "48", "89.00"]],
            [],
            [["a", "b"], ["c", "d"]],
            [],
        ]
        texts = await page.texts(".text.context")
        assert texts[0].startswith("Sales:\n") and texts[0].endswith("In thousands.")
        assert texts[2] == BLANKS and texts[4] == PROSE
        assert "monospace" in await page.run("getComputedStyle(document.querySelector('.aligned')).fontFamily")

    async def test_evidence_is_lit_in_the_cells(self, page: Page, tmp_path: Path) -> None:
        case = Case.of("North sold 1,350.", [PIPES], id="t")
        statements = [("North sold 1,350.", "S", "North | 1,204 | 1,350")]
        await opened(page, write_results([(case, judged(case, statements))], tmp_path / "r.html"))
        await page.press("ArrowRight")
        assert await page.texts(".lit-for") == ["North", "1,204", "1,350"]
        named = "[...document.querySelectorAll('.lit-for')].map((e) => getComputedStyle(e, '::after').display)"
        assert await page.run(named) == ["none", "none", "inline-block"]

    async def test_a_wide_table_scrolls_by_itself(self, page: Page, tmp_path: Path) -> None:
        wide = "\n".join("|" + "|".join(f" column {i} " for i in range(40)) + "|" for _ in range(3))
        case = Case.of("It is so.", [wide, "  ".join(["12345"] * 60) + "\n" + "  ".join(["12345"] * 60)], id="t")
        path = write_results([(case, judged(case, [("It is so.", "U", "")]))], tmp_path / "r.html")
        for width in (1280, 390):
            await page.size(width, 800)
            await opened(page, path)
            assert await page.run("document.documentElement.scrollWidth") <= width
            assert await page.run("document.querySelector('.main').scrollWidth") <= width


class TestLooks:
    async def test_dark_follows_the_system_and_the_button(self, page: Page, report: Path) -> None:
        background = "getComputedStyle(document.body).backgroundColor"
        await page.prefer(prefers_color_scheme="light")
        await page.open(report)
        light = await page.run(background)
        await page.prefer(prefers_color_scheme="dark")
        dark = await page.run(background)
        assert light != dark
        await page.click("#theme")
        assert await page.run(background) == light
        await page.press("t")
        assert await page.run(background) == dark

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    async def test_text_can_be_read(self, page: Page, report: Path, scheme: str) -> None:
        """Every coloured word has a contrast of at least 4.5 to what is behind it."""
        await page.prefer(prefers_color_scheme=scheme)
        await opened(page, report)
        await page.press("ArrowRight")
        worst = await page.run(
            """(() => {
                const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
                const rgb = (colours) => {
                    canvas.fillStyle = "white";
                    canvas.fillRect(0, 0, 1, 1);
                    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
                    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
                };
                const light = (channels) => channels
                    .map((c) => c / 255)
                    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
                    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
                const behind = (element) => {
                    const layers = [];
                    for (let e = element; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor);
                    return layers;
                };
                const coloured = ".claim, .support, .pill, .row-standing, .row-score, .faint, .chip, .key, .quote b";
                return [...document.querySelectorAll(`${coloured}, .lit-for`)].map((element) => {
                    const layers = behind(element);
                    const [a, b] = [light(rgb([...layers, getComputedStyle(element).color])), light(rgb(layers))];
                    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.className];
                }).sort((x, y) => x[0] - y[0])[0];
            })()"""
        )
        assert worst[0] >= 4.5, worst

    async def test_on_a_narrow_screen_list_and_case_take_turns(self, page: Page, report: Path) -> None:
        await page.size(390, 800)
        await opened(page, report)
        visible = "getComputedStyle(document.querySelector('.sidebar')).display !== 'none'"
        assert not await page.run(visible)
        await page.click(".back")
        assert await page.run(visible)
        await page.click(".row:not([hidden])")
        assert not await page.run(visible)
        await page.press("/")
        assert await page.run(visible)
        assert await page.run("document.activeElement.id") == "search"
        await page.run("document.querySelector('#home').click()")
        await page.run("document.querySelector('.panes').scrollTop = 1e6")
        assert await page.run("document.querySelector('#list').getBoundingClientRect().bottom <= innerHeight + 1")
        wide = await page.run("document.documentElement.scrollWidth")
        assert wide <= 390

    async def test_on_a_phone_cases_are_on_the_first_screen_with_a_link_to_the_figures(
        self, page: Page, report: Path
    ) -> None:
        await page.size(390, 844)
        await opened(page, report)
        await page.run("document.querySelector('#home').click()")
        box = "document.querySelector('{}').getBoundingClientRect()"
        assert await page.run(box.format(".row:not([hidden])") + ".bottom < innerHeight")
        tabs = (
            "[...document.querySelectorAll('.metric')].every((tab) => tab.getBoundingClientRect().right <= innerWidth)"
        )
        assert await page.run(tabs)
        assert await page.run(box.format(".jump") + ".bottom <= innerHeight")
        await page.click(".jump")
        assert await page.run(box.format(".overview h1") + ".top < innerHeight / 2")
        await page.click(".jump")
        assert await page.run(box.format(".row:not([hidden])") + ".top < innerHeight")
        assert await page.run("document.documentElement.scrollWidth") <= 390

    async def test_on_paper_there_is_the_overview_the_case_and_the_list(self, page: Page, report: Path) -> None:
        await opened(page, report)
        printed = await page.send("Page.printToPDF")
        assert len(printed["data"]) > 10_000
        await page.run("dispatchEvent(new Event('beforeprint'))")
        await page.send("Emulation.setEmulatedMedia", media="print")
        shown = "[...document.querySelectorAll('.overview, .case, .printed-list')].map((e) => e.offsetHeight > 0)"
        assert await page.run(shown) == [True, True, True]
        assert await page.run("getComputedStyle(document.querySelector('.sidebar')).display") == "none"
        await page.send("Emulation.setEmulatedMedia", media="")
        await page.run("dispatchEvent(new Event('afterprint'))")
        assert await page.texts(".overview, .printed-list") == []


class TestSafety:
    async def test_an_output_with_markup_is_shown_and_not_run(self, page: Page, report: Path) -> None:
        await opened(page, report, "#hallucination/1")
        assert await page.texts(".text.output") == [EVIL]
        assert await page.texts(".text.context") == [EVIL]
        assert await page.texts(".case-id") == [EVIL]
        await page.click("summary", "Metadata")
        await page.click("summary", "Prompts and replies")
        await page.until("document.querySelector('.exchange')")
        await page.press("ArrowRight")
        await page.press("/")
        await page.type("hacked")
        await page.until("document.querySelectorAll('.row:not([hidden])').length === 1")
        assert await page.run("typeof window.hacked") == "undefined"
        assert await page.run("document.querySelectorAll('main img, main b b, .list img').length") == 0
        assert page.errors == []

    async def test_nothing_is_asked_of_any_network(self, page: Page, report: Path) -> None:
        await opened(page, report, "#hallucination/1")
        await page.press("j", "j", "t", "t", "m")
        await page.press("/")
        await page.type("owls")
        await page.until("!document.querySelector('#status').textContent.includes('reading')")
        asked = [url.partition("#")[0] for url in page.requests if url != "about:blank"]
        assert asked == [report.as_uri()]
        assert page.errors == []

    async def test_even_a_script_that_got_in_would_not_run(self, page: Page, report: Path) -> None:
        await page.open(report)
        await page.run(
            """(() => {
                const script = document.createElement("script");
                script.textContent = "window.hacked = 3";
                document.body.append(script);
                const image = document.createElement("img");
                image.src = "http://127.0.0.1:9/leak";
                document.body.append(image);
            })()"""
        )
        assert await page.run("typeof window.hacked") == "undefined"
        await until(lambda: any("Content Security Policy" in error for error in page.errors))

    async def test_the_script_is_sound(self, page: Page) -> None:
        checked = await page.send(
            "Runtime.compileScript", expression=script(), sourceURL="report.js", persistScript=False
        )
        assert "exceptionDetails" not in checked, checked


class TestEdges:
    async def test_rows_that_could_not_be_read_are_said(self, page: Page, tmp_path: Path) -> None:
        class Run(Results, frozen=True, kw_only=True):
            def bad_rows(self) -> list[BadRow]:
                return [BadRow("17", "no <b>output</b>"), BadRow("18", "not JSON")]

        await page.open(write_report(Run(given=many(3)), tmp_path / "r.html"))
        assert "2 rows could not be read" in " ".join(await page.texts(".unread"))
        assert await page.texts(".unread td") == ["no <b>output</b>", "not JSON"]

    async def test_a_run_without_results_says_so(self, page: Page, tmp_path: Path) -> None:
        await page.open(write_results([], tmp_path / "r.html", name="nothing"))
        assert await page.texts("#loading") == ["nothing has no results yet."]
        assert page.errors == []

    async def test_a_damaged_file_says_so(self, page: Page, damaged: Path) -> None:
        await page.open(damaged)
        assert "could not be opened" in (await page.texts("#loading"))[0]

    async def test_a_long_output_with_many_claims(self, page: Page, tmp_path: Path) -> None:
        sentences = [f"Sentence number {i} is here." for i in range(500)]
        case = Case.of("\n".join(sentences), ["x " * 100_000], id="long")
        result = judged(case, [(s, "SCU"[i % 3], "") for i, s in enumerate(sentences)])
        await opened(page, write_results([(case, result)], tmp_path / "r.html"))
        assert len(await page.texts(".claim")) == 500
        await page.press("ArrowLeft")
        assert await page.run("document.querySelector('.entry.chosen').dataset.claim") == "499"

    async def test_ten_thousand_cases_keep_few_rows_in_the_page(self, page: Page, tmp_path: Path) -> None:
        path = write_results(many(10_000), tmp_path / "r.html")
        await page.open(path)
        assert await listed(page) == 10_000
        assert await page.run("document.querySelectorAll('.row:not([hidden])').length") < 40
        await page.run("document.querySelector('#list').scrollTop = 1e9")
        await page.until(
            "[...document.querySelectorAll('.row:not([hidden])')].some((row) => row.dataset.index === '9999')"
        )
        assert await page.run("document.querySelectorAll('.row:not([hidden])').length") < 40
        await page.press("/")
        await page.type('"question 4321?"')
        await page.until("document.querySelector('.list-space').offsetHeight === 68")
        assert await page.texts(".row:not([hidden]) code") == ["id-4321"]


async def test_a_repair_is_shown_with_its_evidence(page: Page, tmp_path: Path) -> None:
    edit = RepairEdit(
        kind="replace",
        start=26,
        end=46,
        before=OWLS.output[26:46],
        after="They live in trees",
        why="They do not.",
        evidence=(Evidence(1, 0, 18, "Owls live in trees"),),
    )
    made = judged(OWLS, [("They live underwater.", "C", "live in trees")])
    made = structs.replace(made, repair=Repaired(text="…", edits=(edit,), passed=True))
    await opened(page, write_results([(OWLS, made)], tmp_path / "report.html", name="repaired", judge="scripted"))
    assert await page.texts(".repair .text.output del") == [edit.before]
    assert await page.texts(".repair .text.output ins") == ["They live in trees"]
    assert await page.texts(".repair blockquote") == ["Owls live in trees (passage 2)"]
