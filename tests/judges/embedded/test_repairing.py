"""The embedded judge's repairs: which edits it tries, and which it never makes."""

from __future__ import annotations

import pytest

import halluscope
from halluscope._internal.core.verdict import Evidence
from halluscope._internal.engine.questions import Passage
from halluscope._internal.judges.embedded.reading.evidence import ReadContext
from halluscope._internal.judges.embedded.repairing.candidate import sources_of
from halluscope._internal.judges.embedded.repairing.cuts import cuts, weakening_cuts
from halluscope._internal.judges.embedded.repairing.denials import denials
from halluscope._internal.judges.embedded.repairing.narrowing import softer
from halluscope._internal.judges.embedded.repairing.replacements import replacements
from halluscope._internal.text import Span


def tried(claim: str, context: str, deciding: str) -> list[str]:
    """The claim with each edit that is tried, where `deciding` is the sentence that decides."""
    start = context.index(deciding)
    evidence = Evidence(0, start, start + len(deciding), deciding, "against")
    read = ReadContext([Passage(0, context)])
    sources = sources_of(read, claim, [evidence])
    place = (0, len(claim))
    made = [
        *replacements(claim, place, claim, (), read, sources, ""),
        *denials(claim, place, (), sources, contradicted=True),
    ]
    return [claim[: one.start] + one.after + claim[one.end :] for one in made]


def shortened(text: str, *marked: str) -> list[str]:
    """The text with each part left out that is tried."""
    marks = [(text.index(words), text.index(words) + len(words)) for words in marked]
    found = cuts(text, Span(0, len(text)), (0, len(text)), marks)
    return [text[: one.start] + one.after + text[one.end :] for one in found]


@pytest.mark.parametrize(
    "claim, context, right",
    [
        ("Entry costs 12 euros.", "Entry costs 9 euros. A guide costs 15 euros.", "Entry costs 9 euros."),
        ("The mill has 12 rooms.", "The mill has 14 rooms and 18 windows.", "The mill has 14 rooms."),
        ("The sorting robot is slower.", "People are slow. The robot is faster.", "The sorting robot is faster."),
        ("Dogs are allowed.", "Dogs are not allowed in the park.", "Dogs are not allowed."),
        ("Guests can park here.", "Guests cannot park here.", "Guests cannot park here."),
        ("Ann hired Bert.", "It was Bert who hired Ann.", "Bert hired Ann."),
        ("Guides work from 9:00 to 12:00.", "Guides work from 8:00 to 15:30.", "Guides work from 8:00 to 15:30."),
        ("A sack weighs no more than 20 kg.", "A sack may weigh up to 25 kg.", "A sack weighs no more than 25 kg."),
        ("The window closes after 30 days.", "You have up to 45 days.", "The window closes after 45 days."),
        ("The audit is in May 2025.", "It was put off from May 2025 to July 2026.", "The audit is in July 2026."),
        ("The fee is 17%.", "The figure should read 15%.", "The fee is 15%."),
        ("The log is on node n2.", "Node n3 keeps the log.", "The log is on node n3."),
        ("It's Ann that keeps the key.", "The key is kept by Bert.", "It's Bert that keeps the key."),
        ("The key is in Ann's room.", "It hangs in Bert's room.", "The key is in Bert's room."),
        ("Rent is due at the end of each month.", "Rent is due at the end of each quarter.", "each quarter."),
        ("A filter is covered as often as one breaks.", "Filters are covered once a year.", "covered once a year."),
        ("The board approved the plan.", "No vote was taken on it.", "The board did not approve the plan."),
        ("The shop saves your data.", "Your data is not saved.", "The shop does not save your data."),
        ("The card does not cover fees.", "The card covers fees.", "The card covers fees."),
        ("Every lamp is tested.", "The oldest lamps are not tested.", "Not every lamp is tested."),
        ("Room 4 lacks a screen.", "Room 4 has a screen.", "Room 4 has a screen."),
        (
            "It is the short side that goes in.",
            "The long side of a stone goes in.",
            "It is the long side that goes in.",
        ),
        ("The octopus fasts on Thursdays.", "It is fed at three. On Wednesdays it fasts.", "fasts on Wednesdays."),
        ("Badges are needed from 16 January.", "Badges: from 20 Jan.", "from 20 January."),
        ("It has confirmed 214 planets so far.", "So far: 214; confirmed: 37.", "It has confirmed 37 planets so far."),
        (
            "Berg has lent it to the Rosen Fund.",
            "The Rosen Fund lends it to Berg.",
            "The Rosen Fund has lent it to Berg.",
        ),
    ],
)
def test_the_right_value_is_among_those_tried(claim: str, context: str, right: str) -> None:
    last = "robot" in context or "octopus" in claim
    found = tried(claim, context, context.split(". ")[-1 if last else 0])
    assert any(text.endswith(right) for text in found if text != claim), found


@pytest.mark.parametrize(
    "claim, context, deciding, wrong",
    [
        # A number of another kind, and one that counts something else.
        (
            "Pupils pass with 50 points.",
            "Pupils are 18 years old. Pupils pass with half.",
            "Pupils are 18 years old.",
            "18",
        ),
        ("The mill has 12 rooms.", "The mill has 18 windows.", "The mill has 18 windows.", "18"),
        # A figure of another form, and a denial of only a part.
        ("Ambry leads on 74.5.", "Ambry leads; a win counts 2.", "Ambry leads; a win counts 2.", "on 2"),
        ("It fixes all bugs.", "No, it fixes only two bugs.", "No, it fixes only two bugs.", "not fix"),
        # A word that is neither a number nor a name, from a sentence that does not decide.
        ("A full batch makes 9 jars.", "Keep it dark. We made a half batch in jars.", "Keep it dark.", "half"),
        # One that stands elsewhere than in the sentence that decides.
        ("Entry costs 12 euros.", "Entry costs 9 euros. A guide costs 15 euros.", "Entry costs 9 euros.", "15"),
        ("The mill has 12 rooms.", "The mill is open. The inn has 15 rooms.", "The mill is open.", "15"),
    ],
)
def test_a_number_is_not_replaced_by_an_unrelated_one(claim: str, context: str, deciding: str, wrong: str) -> None:
    assert not [text for text in tried(claim, context, deciding) if wrong in text]


@pytest.mark.parametrize(
    "claim, context, wrong",
    [
        # Names and numbers that the context does not hold against each other change no places.
        ("The pool at Hochfirn is part of the Day pass.", "The Day pass covers the pool.", "at Day"),
        ("Guides work from 9:00 to 12:00.", "Guides work in the morning from 9:00.", "from 12:00 to 9:00"),
        # A verb or a preposition does not take the place of the other.
        ("Helpers with a badge are paid.", "Everyone gets a badge.", "gets a badge are"),
        # "A four-day week" does not become "a 11 weeks week".
        ("Staff may ask for a four-day week.", "Leave starts 11 weeks before the birth.", "11"),
        # A clause does not take the place of the end of another one.
        ("A pot shrinks by a tenth, as the water leaves it.", "A pot shrinks by a tenth, so relax.", "so relax"),
        ("Light is limited to 6 hours so that none spread.", "Light: limited to 6 hours, then 9.", "hours ,"),
        ("Code 2 is shown by what the book hides.", "The book is a false trail.", "book is a false"),
        # A word with a capital only at the beginning of a line is no name.
        ("It is protected by the Trade Act.", "Fee per year\nThe fee is due in May.", "the Fee"),
        # "A" does not become "an", and a verb is no month.
        ("Not being a Loft Card holder, she took cash.", "Ann came from the Outlet Hall.", "a Outlet"),
        ("Guests may park here.", "Parking opens in June.", "Guests June"),
        # What stands behind a preposition does not begin with one.
        ("It can be returned until two months later.", "It goes back within two weeks.", "until within"),
    ],
)
def test_nothing_is_tried_that_makes_no_sentence(claim: str, context: str, wrong: str) -> None:
    assert not [text for text in tried(claim, context, context.split(". ")[0]) if wrong in text]


def denied(claim: str, context: str, *, contradicted: bool = True) -> list[str]:
    """The claim with each denial that is tried, where the whole context decides."""
    sources = sources_of(ReadContext([Passage(0, context)]), claim, [Evidence(0, 0, len(context), context, "against")])
    found = denials(claim, (0, len(claim)), (), sources, contradicted=contradicted)
    return [claim[: one.start] + one.after + claim[one.end :] for one in found]


@pytest.mark.parametrize(
    "claim, context, right",
    [
        ("Nitrate has gone above its limit.", "Nitrate 18 (limit 20).", "Nitrate has not gone above its limit."),
        ("The glaze costs three a kilo.", "Clay 3 a kilo, glaze free.", "The glaze does not cost three a kilo."),
        ("Leeks must be in before the frost.", "Leeks stand all winter.", "Leeks need not be in before the frost."),
        ("Guests must park here.", "They must not park.", "Guests must not park here."),
        ("Yes, guests can park here.", "Parking is for staff.", "No, guests cannot park here."),
        ("It was Ann who left.", "Bert left.", "It was not Ann who left."),
        ("Since they look alike, the cars are recalled.", "Only buses come back.", ""),
        ("Since they look alike, the cars are recalled.", "The cars stay.", "alike, the cars are not recalled."),
        ("Paying beforehand is not needed.", "Please pay beforehand.", "Paying beforehand is needed."),
    ],
)
def test_a_claim_that_is_contradicted_can_be_denied(claim: str, context: str, right: str) -> None:
    found = denied(claim, context)
    assert found[0].endswith(right) if right else not found


def test_a_denial_keeps_to_the_main_clauses() -> None:
    assert denied("It was Ann who left.", "Bert left.") == ["It was not Ann who left."]
    assert denied("When the flag goes up, swimming is banned.", "Flag: swim at your own risk.") == [
        "When the flag goes up, swimming is not banned."
    ]
    assert denied("It is up to Ann to have it cleaned.", "Bert cleans it.") == [
        "It is not up to Ann to have it cleaned."
    ]


def test_what_the_context_does_not_speak_of_is_not_denied() -> None:
    assert not denied("Nitrate is above its limit.", "The tank has 22 fish.", contradicted=False)
    made = halluscope.repair("A dragon burnt the harbour.", ["The mill closed in 1921 when its owner died."])
    assert made.abstained


def test_an_overstatement_gives_way_to_the_exception() -> None:
    def narrowed(text: str, context: str) -> list[str]:
        read = ReadContext([Passage(0, context)])
        sources = sources_of(read, text, [Evidence(0, 0, len(context), context, "against")])
        found = softer(text, Span(0, len(text)), sources)
        return [text[: one.start] + one.after + text[one.end :] for one in found]

    claim, context = (
        "Old bills are refused under any circumstances.",
        "Old bills are refused unless a partner signs them.",
    )
    assert narrowed(claim, context)[0] == "Old bills are refused unless a partner signs them."
    claim, context = "It changes by itself no matter which phone you own.", "It changes by itself only with new phones."
    assert narrowed(claim, context)[0] == "It changes by itself only with new phones."
    claim, context = "Pets are welcome in every room.", "Pets are welcome in all rooms except the tower suite."
    assert narrowed(claim, context)[0] == "Pets are welcome in every room, except the tower suite."
    assert "Prices rise by two euros." in narrowed(
        "Prices rise by two euros in all four groups.", "Some stay the same."
    )
    # What the claim is about is no exception to it.
    assert not narrowed("Dogs may stay in the lake cabins.", "Dogs may stay in all cabins other than the lake cabins.")


def test_a_word_that_claims_too_much_gives_way_to_one_of_its_sort() -> None:
    def narrowed(text: str, context: str) -> list[str]:
        sources = sources_of(ReadContext([Passage(0, context)]), text, [])
        found = softer(text, Span(0, len(text)), sources)
        return [text[: one.start] + one.after + text[one.end :] for one in found]

    found = narrowed("All of the rooms are open.", "About 20 rooms, most of them new, are usually open.")
    assert found == ["Most of the rooms are open."]
    assert "It is usually open." in narrowed("It is always open.", "It is usually open for most guests.")


def test_a_citation_survives() -> None:
    assert all(
        text.endswith("[1].") for text in tried("It closed in 1969 [1].", "It closed in 1921.", "It closed in 1921.")
    )
    context = ["The mill was built in 1890 by Anna Berg. It closed in 1921.", "Entry is free."]
    made = halluscope.repair("The mill closed in 1969 [1]. Entry is free [2]. The café is open daily.", context)
    assert made.text == "The mill closed in 1921 [1]. Entry is free [2]."


def test_the_smallest_part_that_is_marked_is_left_out_first() -> None:
    text = "The hedgehog came home with ticks in October."
    assert shortened(text, "with ticks")[0] == "The hedgehog came home in October."


def test_a_word_that_only_describes_is_left_out_alone() -> None:
    text = "The tower has a splendid clock and two bells."
    assert shortened(text, "splendid")[0] == "The tower has a clock and two bells."
    assert "The tower has a old clock." not in shortened("The tower has an old clock.", "old")
    assert not shortened("It is the engine that stopped.", "engine")


@pytest.mark.parametrize(
    "text, marked, broken",
    [
        ("You pay half in the stalls as well as in the balcony.", "in the stalls", "half as well as"),
        (
            "The lobby has a view, and breakfast is free there, which is served until ten.",
            "breakfast is free",
            "view, which",
        ),
        ("Bonuses under the plan count as pay for members.", "count as pay", "Bonuses for members."),
        ("It sells a pass for Peru that lasts until midnight.", "for Peru", "pass until"),
        (
            "After a fall, people with no history of clots take pills for 28 days.",
            "take pills for 28 days",
            "After a fall.",
        ),
        ("It may be split into as many as four blocks.", "four", "as many as blocks"),
        ("It may be split into as many as four blocks.", "as many as four blocks", "into."),
        ("Besides using less water, the X2 is faster than the X1.", "faster than the X1", "Besides using less water."),
        ("Three ran: Ann Berg, 45, was the fastest, ahead of Bert.", "was the fastest, ahead of Bert", "Berg, 45."),
        ("The warden, Ann Berg, smelled the smoke.", "smelled the smoke", "Berg."),
        ("The fair is run by the firm Argo, and entry is free.", "by the firm Argo", "is run,"),
        ("Prices rose, but she went on rejecting the plan.", "rejecting the plan", "she went."),
        ("Guests should not send pictures, and travel costs are paid.", "not send pictures", "should travel"),
        ("It has a lamp, two maps, a key and a strap.", "a key", "two maps."),
        (
            "Runners who hope to finish in three and a half hours follow the white balloon.",
            "white balloon",
            "in three.",
        ),
        ("The manual that has to be put into French and Polish describes a mower.", "a mower", "French."),
        ("Ann's family asks for flowers.", "for flowers", "asks."),
        ("Ann's family asks for flowers instead of gifts to the shelter.", "for flowers instead of gifts", "asks to"),
        ("Travellers may bring as many bags as they like.", "as many bags as they like", "may bring."),
        ("Once heat has bleached it, the stone is sold as citrine.", "the stone is sold as citrine", "Once heat"),
        ("Ann taught him, and he worked in her shop until May.", "Ann taught him", "Ann worked"),
        ("The Bergs sold it in May, and it came back in June.", "The Bergs sold it in May", "Bergs came"),
        ("Ann came as a citizen, and those visitors cannot stay.", "Ann came as a citizen", "Those visitors"),
        ("No, guests are not allowed in the hall.", "No, guests are not allowed in the hall", "Guests are"),
        ("It failed, but as a remedy you may block it, at a cost.", "as a remedy you may block it", "but,"),
        ("It closed because cracks were found in the swings and the slide.", "cracks were found", "closed and"),
        ("Gas use fell, and the burner alone pays for the saving.", "for the saving", "pays."),
        ("The larger part of the price is paid on booking.", "larger", "The part"),
    ],
)
def test_what_is_left_is_a_sentence(text: str, marked: str, broken: str) -> None:
    assert not [left for left in shortened(text, marked) if broken in left]


def test_of_a_claim_that_is_all_marked_no_half_is_left() -> None:
    text = "You cannot rejoin for three months after that."
    assert not shortened(text, text)


def test_where_nothing_is_marked_the_smallest_part_goes_first() -> None:
    text = "It has been closed since May because the roof leaks."
    assert shortened(text)[0] == "It has been closed since May."


def test_a_part_that_is_marked_as_it_stands_may_have_commas() -> None:
    text = "Fewer errors were made at both sites, Oslo and Bergen, when the lamps were lit."
    assert "Fewer errors were made, when the lamps were lit." in shortened(text, "at both sites, Oslo and Bergen")


@pytest.mark.parametrize(
    "text, marked, left",
    [
        (
            "The glaze, which turns to glass, goes on after the first firing.",
            "which turns to glass",
            "The glaze goes on after the first firing.",
        ),
        ("Inkcaps, whose caps melt into ink, are edible.", "whose caps melt into ink", "Inkcaps are edible."),
        (
            "Drones under 250 grams, most of which have four rotors, need no permit.",
            "most of which have four rotors",
            "Drones under 250 grams need no permit.",
        ),
        ("Window glass, made from sand, blocks the rays.", "made from sand", "Window glass blocks the rays."),
        ("Ludo, a moray, which is an eel, eats on Mondays.", "which is an eel", "Ludo, a moray, eats on Mondays."),
    ],
)
def test_a_clause_between_commas_goes_with_both(text: str, marked: str, left: str) -> None:
    assert shortened(text, marked)[0] == left


def test_a_phrase_may_begin_with_an_adverb_or_say_where_something_comes_from() -> None:
    text = "Contact was made shortly before midnight."
    assert shortened(text, "shortly before midnight") == ["Contact was made."]
    assert shortened("Flamingos turn pink from the sun.", "the sun")[0] == "Flamingos turn pink."


def test_an_item_of_a_list_is_left_out_alone() -> None:
    assert (
        shortened("It has a lamp, two maps, a key and a strap.", "a key")[0] == "It has a lamp, two maps and a strap."
    )


def test_when_something_happened_may_be_left_out_but_not_a_condition() -> None:
    text = "Services resumed at noon after a signal failure at Holm."
    assert "Services resumed at noon." in shortened(text, "after a signal failure at Holm")
    assert not shortened("Services resume after a check at Holm.", "after a check at Holm")


def test_a_bare_answer_or_an_item_may_be_short() -> None:
    assert shortened("3,500, with interest of 2%", "with interest of 2%") == ["3,500"]
    text = "Planned: a new drug, which the patient agreed to take."
    assert shortened(text, text)[0] == "Planned: a new drug."


def test_a_clause_about_the_subject_does_not_hide_the_verb() -> None:
    text = "A tenant who disagrees may call an expert, whose fee is paid by the landlord."
    assert shortened(text, "whose fee is paid by the landlord")[0] == "A tenant who disagrees may call an expert."


def test_of_a_claim_that_is_all_marked_a_phrase_goes_where_no_more_is_claimed_then() -> None:
    def weakened(text: str) -> list[str]:
        found = weakening_cuts(text, Span(0, len(text)), (0, len(text)), [(0, len(text))])
        return [text[: one.start] + one.after + text[one.end :] for one in found]

    assert weakened("The pump was replaced under warranty in May.")[0] == "The pump was replaced under warranty."
    assert not weakened("The pump was not replaced under warranty in May.")
    assert weakened("All pumps were replaced under warranty in May.")[0] == "All pumps were replaced under warranty."
    assert not weakened("All pumps in the barn were replaced.")
    assert not weakened("Only pumps were replaced under warranty in May.")


def test_a_clause_that_is_not_marked_may_be_the_wrong_one() -> None:
    text = "The pump was not replaced in May, and it has a new lid."
    found = weakening_cuts(text, Span(0, len(text)), (0, len(text)), [(0, len("The pump was not replaced"))])
    assert [text[: one.start] + one.after + text[one.end :] for one in found] == ["The pump was not replaced in May."]


def test_values_agree_where_one_says_more_than_the_other() -> None:
    context = ["You may drive only after the check with Mr. Kaplan on 16 May. Dr. Hadi is the anaesthetist."]
    made = halluscope.repair("You may drive once the check with Dr. Hadi has taken place.", context)
    assert made.text == "You may drive once the check with Mr. Kaplan has taken place."


def test_a_claim_that_is_wrong_twice_gets_a_name_and_loses_a_clause() -> None:
    context = ["Dr. Lena Holt wrote the report. Piotr Malik checked the figures."]
    made = halluscope.repair("The report was written by Piotr Malik, and it has been printed.", context)
    assert made.text == "The report was written by Dr. Lena Holt."


def test_a_range_may_stand_beside_the_sentence_that_decides() -> None:
    context = ["Opening hours: Mon to Fri 9:00–17:00. Closed on Sunday."]
    made = halluscope.repair("- Open Monday to Friday, 9:00–18:00\n- **Closed** on Sunday\n", context)
    assert made.text == "- Open Monday to Friday, 9:00–17:00\n- **Closed** on Sunday\n"


def test_a_value_is_read_where_it_stands() -> None:
    context = ["A full batch makes 9 jars. Keep dark for 6 weeks before opening; opened it keeps for 4 weeks."]
    made = halluscope.repair("A full batch makes 9 jars. It should be kept dark for 4 weeks before opening.", context)
    assert made.text == "A full batch makes 9 jars. It should be kept dark for 6 weeks before opening."


@pytest.mark.parametrize(
    "text, marked, left",
    [
        ("Ann was the oldest starter and finished in May.", "was the oldest", "Ann finished in May."),
        ("In May you can use the bike and do squats.", "the bike", "In May you can do squats."),
    ],
)
def test_of_two_things_said_of_a_subject_the_second_stays(text: str, marked: str, left: str) -> None:
    assert left in shortened(text, marked)


def test_the_marked_part_is_never_what_stays() -> None:
    text = "The mill closed in 1969, and it has twelve rooms."
    assert not [left for left in shortened(text, "closed in 1969") if "1969" in left]


def test_a_clause_whose_verb_is_not_known_stays_beside_the_one_that_goes() -> None:
    text = "Pellan outfoxed Dunmere 2–0, and its manager resigned that evening."
    assert "Pellan outfoxed Dunmere 2–0." in shortened(text, "its manager resigned")


def test_a_consequence_goes_with_what_it_follows_from() -> None:
    context = ["The mill closed in 1921 when its owner died. Entry to the mill is free."]
    made = halluscope.repair("A fire destroyed the mill, so entry to it is free. The mill closed in 1921.", context)
    assert made.text == "The mill closed in 1921."


def test_a_pronoun_gets_the_name_that_was_left_out() -> None:
    text = "The Pallas was sold to Noll in 1938, and it has 320 seats."
    assert "The Pallas has 320 seats." in shortened(text, "was sold to Noll in 1938")


def test_a_claim_that_is_right_once_its_neighbour_is_gone_stays() -> None:
    context = ["The Pallas was built in 1912. The Pallas has 320 seats."]
    made = halluscope.repair("The Pallas was sold to a Spaniard, and it has 320 seats.", context)
    assert made.text == "The Pallas has 320 seats."
    assert made.after.passed
