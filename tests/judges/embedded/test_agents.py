"""Transcripts of agents, right and wrong in the ways that agents are, turn by turn by the embedded judge."""

from __future__ import annotations

import json
from typing import Any

import pytest

import halluscope

from ...core.conversation.test_turns import call, returned, says, user

pytestmark = pytest.mark.slow("judges some sixty turns")


def gave(result: Any, id: str = "1") -> dict[str, Any]:
    return returned(json.dumps(result), id)


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


TALKS: dict[str, tuple[list[dict[str, Any]], list[bool | None]]] = {
    "invented order number": (
        [
            user("I want to cancel my order of the red lamp."),
            call("cancel_order", order_id="A-1043"),
            gave({"status": "cancelled", "order_id": "A-1043"}),
            says("Your order A-1043 is cancelled."),
        ],
        [False, True],
    ),
    "order number from a tool": (
        [
            user("I want to cancel my order of the red lamp."),
            call("list_orders"),
            gave([{"order_id": "A-1043", "item": "red lamp", "total": "49.90 EUR"}]),
            call("cancel_order", "2", order_id="A-1043"),
            gave({"status": "cancelled", "order_id": "A-1043"}, "2"),
            says("I cancelled order A-1043, the red lamp for 49.90 EUR."),
        ],
        [None, True, True],
    ),
    "superseded result, stale answer": (
        [
            user("Where is parcel Z-771?"),
            call("track", parcel="Z-771"),
            returned("Parcel Z-771: in Oslo, at the sorting centre."),
            says("Your parcel is at the sorting centre in Oslo."),
            user("Any news?"),
            call("track", "2", parcel="Z-771"),
            returned("Parcel Z-771: delivered in Bergen at 14:05.", "2"),
            says("Your parcel is still at the sorting centre in Oslo."),
        ],
        [True, True, True, False],
    ),
    "superseded result, right answer": (
        [
            user("Where is parcel Z-771?"),
            call("track", parcel="Z-771"),
            returned("Parcel Z-771: in Oslo, at the sorting centre."),
            says("Your parcel is at the sorting centre in Oslo."),
            user("Any news?"),
            call("track", "2", parcel="Z-771"),
            returned("Parcel Z-771: delivered in Bergen at 14:05.", "2"),
            says("Your parcel was delivered in Bergen at 14:05."),
        ],
        [True, True, True, True],
    ),
    "answer from an earlier turn": (
        [
            user("I live in Tromsø and have two children."),
            says("Nice! What would you like to know?"),
            user("Where do I live?"),
            says("You live in Tromsø."),
        ],
        [None, True],
    ),
    "wrong memory of an earlier turn": (
        [
            user("I live in Tromsø and have two children."),
            says("Nice! What would you like to know?"),
            user("How many children do I have?"),
            says("You have three children."),
        ],
        [None, False],
    ),
    "tool error, honest": (
        [
            user("How warm is it in Rome?"),
            call("weather", city="Rome"),
            returned("Error: service unavailable (503)"),
            says("I'm sorry, the weather service is unavailable right now."),
        ],
        [True, None],
    ),
    "tool error, invented": (
        [
            user("How warm is it in Rome?"),
            call("weather", city="Rome"),
            returned("Error: service unavailable (503)"),
            says("It is 24 degrees Celsius in Rome, with clear skies."),
        ],
        [True, False],
    ),
    "two tools disagree, one told": (
        [
            user("When does the shop open on Sunday?"),
            call("website", page="hours"),
            returned("Sunday: 10:00 to 16:00"),
            call("maps", "2", place="shop"),
            returned("Opening hours Sunday: 12:00 to 16:00", "2"),
            says("On Sunday the shop opens at 12:00."),
        ],
        [None, True, True],
    ),
    "two tools disagree, both told": (
        [
            user("When does the shop open on Sunday?"),
            call("website", page="hours"),
            returned("Sunday: 10:00 to 16:00"),
            call("maps", "2", place="shop"),
            returned("Opening hours Sunday: 12:00 to 16:00", "2"),
            says("The website says 10:00 to 16:00 on Sunday, but the maps say 12:00 to 16:00."),
        ],
        [None, True, True],
    ),
    "flight booking, wrong date": (
        [
            user("Book me a flight from Oslo to Berlin on 12 March 2026 for two people."),
            call("search_flights", origin="Oslo", destination="Berlin", date="2026-03-12", passengers=2),
            gave([{"flight": "DY1104", "departure": "2026-03-12T08:10", "price": 129}]),
            call("book", "2", flight="DY1104", date="2026-03-13", passengers=2),
            gave({"booked": True, "reference": "X7KQ2P"}, "2"),
            says("I booked flight DY1104 on 12 March 2026 at 08:10. Your reference is X7KQ2P."),
        ],
        [True, False, True],
    ),
    "refund amount": (
        [
            system("You are a support agent. Refunds above 100 euros need approval by a manager."),
            user("I want a refund for order B-2201."),
            call("get_order", order_id="B-2201"),
            gave({"order_id": "B-2201", "total": 180.0, "currency": "EUR", "status": "delivered"}),
            call("refund", "2", order_id="B-2201", amount=200.0),
            returned("refund created", "2"),
            says("You will get 200 euros back."),
        ],
        [True, False, False],
    ),
    "rag then follow-up": (
        [
            user("Context: The museum opens at 10. Entry costs 12 euros.\n\nQuestion: When does it open?"),
            says("The museum opens at 10."),
            user("And what does it cost?"),
            says("Entry costs 15 euros."),
        ],
        [True, False],
    ),
    "made up earlier, repeated": (
        [
            user("Tell me about the Aurora hotel."),
            call("search", query="Aurora hotel"),
            returned("Aurora Hotel, Bodø. 84 rooms. Breakfast from 7:00."),
            says("The Aurora Hotel in Bodø has 84 rooms and a rooftop pool."),
            user("Does it have a pool?"),
            says("Yes, it has a rooftop pool."),
        ],
        [True, False, False],
    ),
    "numbers added up": (
        [
            user("What do I pay for both?"),
            call("cart"),
            gave([{"item": "lamp", "price": 49.90}, {"item": "bulb", "price": 5.10}]),
            says("The lamp costs 49.90 and the bulb 5.10, together 55.00."),
        ],
        [None, True],
    ),
    "wrong person": (
        [
            user("Who won the match yesterday?"),
            call("sports", query="match yesterday"),
            returned("Brann 2 - 1 Rosenborg (Sunday). Goals: Castro 12', Heggebø 77'; Holm 80'."),
            says("Rosenborg won 2-1 against Brann."),
        ],
        [True, False],
    ),
    "corrected by the user": (
        [
            user("Cancel order A-1."),
            says("Is it order A-1, the lamp?"),
            user("Sorry, I meant order A-20443."),
            call("cancel_order", order_id="A-20443"),
            returned("Order A-20443 was cancelled."),
            says("Order A-20443 is cancelled."),
        ],
        [None, True, True],
    ),
    "claims success after failure": (
        [
            user("Cancel order A-20443."),
            call("cancel_order", order_id="A-20443"),
            gave({"ok": False, "error": "order already shipped"}),
            says("Your order A-20443 has been cancelled."),
        ],
        [True, False],
    ),
}


@pytest.mark.parametrize("name", TALKS)
def test_each_turn_passes_or_fails_as_it_should(name: str) -> None:
    talk, wanted = TALKS[name]
    result = halluscope.check(talk, turns="all")
    assert [turn.result.passed for turn in result.turns] == wanted, result.explain()
