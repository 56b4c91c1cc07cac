from __future__ import annotations

import subprocess
import sys

import pytest

from halluscope._internal.judges.embedded.reading.language import language_of, unjudgeable
from halluscope._internal.judges.embedded.reading.readable import structured

from ...helpers.random_text import random_texts
from ...helpers.timing import taken


@pytest.mark.parametrize(
    "text, word",
    [
        ("Die Hauptstadt von Frankreich ist Paris und sie ist für den Eiffelturm bekannt.", "German"),
        ("La capitale de la France est Paris, et elle est connue pour la tour Eiffel.", "French"),
        ("La capital de Francia es París y es conocida por la torre Eiffel en el centro.", "Spanish"),
        ("Il museo è stato aperto nel 1990 e non è più visitato come una volta.", "Italian"),
        ("De hoofdstad van Frankrijk is Parijs en het is een van de grootste steden.", "Dutch"),
        ("Stolicą Francji jest Paryż i jest to miasto, które nie jest małe.", "Polish"),
        ("Столица Франции — Париж.", "Cyrillic"),
        ("法国的首都是巴黎。", "Chinese"),
        ("フランスの首都はパリです。", "Japanese"),
        ("프랑스의 수도는 파리입니다.", "Korean"),
        ("عاصمة فرنسا هي باريس.", "Arabic"),
    ],
)
def test_other_languages_are_named(text: str, word: str) -> None:
    said = unjudgeable(text)
    assert said is not None and word in said
    assert said.endswith("reads English only.")


@pytest.mark.parametrize(
    "text",
    [
        "", "Paris", "42", "Yes.", "José María de la Cruz y Los Ángeles", "16GB RAM, 512GB SSD",
        "1. Oslo\n2. Bergen\n3. Rome",
        "El Niño", "Volkswagen AG, Deutsche Bank AG", "naïve café résumé", "Αθήνα is Athens in Greek.",
        "Tesla was founded in 2003.", "Revenue: 5.2 million\nProfit: 1.1 million\nStaff: 300",
        "The film Das Leben der Anderen was directed by Florian Henckel von Donnersmarck and won an Oscar.",
        "2020-01-01 10:00 INFO job started\n2020-01-01 10:05 ERROR job failed\n2020-01-01 10:06 INFO job ended",
        '{"unit_price": 12.5, "items": [{"name": "Die Zeit"}]}',
    ],
)  # fmt: skip
def test_english_names_numbers_and_lists_are_read(text: str) -> None:
    assert unjudgeable(text) is None


@pytest.mark.parametrize(
    "text, word",
    [
        ("Der Vertrag endet am 31. März.", "German"),
        ("Le contrat prend fin le 31 mars.", "French"),
        ("El contrato termina el 31 de marzo.", "Spanish"),
        ("Il contratto termina il 31 marzo.", "Italian"),
        ("O contrato termina em 31 de março.", "Portuguese"),
        ("Het contract eindigt op 31 maart.", "Dutch"),
        ("Avtalet upphör den 31 mars.", "Swedish"),
        ("Kontrakten udløber den 31. marts.", "Danish"),
        ("Avtalen utløper 31. mars.", "Norwegian"),
        ("Sopimus päättyy 31. maaliskuuta.", "Finnish"),
        ("Umowa wygasa 31 marca.", "Polish"),
        ("Smlouva končí 31. března.", "Czech"),
        ("A szerződés március 31-én lejár.", "Hungarian"),
        ("Contractul se încheie la 31 martie.", "Romanian"),
        ("Sözleşme 31 Mart'ta sona eriyor.", "Turkish"),
        ("Kontrak berakhir pada 31 Maret.", "Indonesian"),
        ("Hợp đồng kết thúc vào ngày 31 tháng 3.", "Vietnamese"),
        ("Oui, c'est vrai.", "French"),
        ("DER VERTRAG ENDET AM ENDE DES MONATS.", "German"),
    ],
)
def test_another_language_is_named_in_one_line(text: str, word: str) -> None:
    assert word in (unjudgeable(text) or "")


@pytest.mark.parametrize(
    "text",
    [
        "Rue de la Paix 12, 75002 Paris, France", "The film Das Leben der Anderen won.", "Gare du Nord, Paris",
        "Les Misérables by Victor Hugo", "Ludwig van Beethoven, 1770", "São Paulo, Rio de Janeiro, Belo Horizonte",
        "Kubernetes v1.29.3", "Invoice INV-2024-0093: paid", "pip install halluscope", "Model 3 | 358 miles | $38,990",
        "C'est la vie, he said.", "Ibuprofen 400 mg 3x daily", "HTTP 404 Not Found", "Lee Jae-myung",
        "Muhammad ibn Musa al-Khwarizmi", "Deutsche Bahn runs the line.", "Osteria Francescana, Modena",
        "ISO 9001:2015", "Callow Hill.", "None, all five have one.", "Order HB-2291047 shipped",
        "Los Angeles Lakers vs. San Antonio Spurs", "Status: closed; owner: M. Dubois", "Via Roma 12, Milano",
        "Schadenfreude means joy at another's misfortune.", "Amelie Garnier and Jean-Luc Dupont",
        "Mount Kilimanjaro, Tanzania", "Bayern Munich beat Real Madrid 2-1.", "Prof. Dr. Hans Müller",
        "Rue de Rivoli, Place de la Concorde, Champs-Élysées", "ERR_CONN_RESET 10.0.0.1:8080 timeout",
        "dosage 5 mg/kg bid", "apt-get install libssl-dev", "coq au vin", "yes, via SEPA", "net profit margin 12%",
        "Sailing yes, car no.", "Limit unpublished; key for scans only.", "Residual waste, emptied on Mondays",
        "Type: Sauvignon Blanc; region: Marlborough", "lorem ipsum dolor sit amet",
    ],
)  # fmt: skip
def test_an_awkward_english_line_is_read(text: str) -> None:
    assert unjudgeable(text) is None


def test_plain_english_does_not_wait_for_the_identifier() -> None:
    program = (
        "import sys; from halluscope._internal.judges.embedded.reading.language import unjudgeable; "
        "assert unjudgeable('The mill stands in Ulm, and it was sold to the city.') is None; "
        "assert unjudgeable('Callow Hill, 42') is None; print('py3langid' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef add(a, b):\n    return a + b\n\nprint(add(1, 2))\n```",
        "import os\nfrom sys import path\n\ndef main():\n    x = 1\n    return x\n",
        "#include <stdio.h>\nint main() {\n  int x = 5;\n  return x;\n}",
    ],
)
def test_code_is_not_prose(text: str) -> None:
    assert "program code" in (unjudgeable(text) or "")


def test_prose_with_some_code_is_prose() -> None:
    prose = "The function adds two numbers and returns the sum of them. Call it like this:"
    text = f"{prose}\n\n```\nadd(1, 2)\n```\n\nIt then prints 3."
    assert unjudgeable(text) is None


def test_a_grid_of_bare_numbers_cannot_be_read() -> None:
    assert "table of numbers" in (unjudgeable("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 16") or "")


def test_language_of() -> None:
    assert language_of("The capital of France is Paris and it is known for the tower.").name == "English"
    assert language_of("Der Vertrag endet am Ende des Monats.").name == "German"


def test_a_markdown_table_becomes_a_statement_a_row() -> None:
    passage = (
        "Prices:\n\n| Model | Range | Price |\n|---|--:|---|\n| Model 3 | 358 miles | |\n"
        "| Model S | 405 miles | $74,990 |\n\nPrices may change."
    )
    made = structured(passage)
    assert [statement.text for statement in made] == [
        "Prices:",
        "Model: Model 3; Range: 358 miles",
        "Model: Model S; Range: 405 miles; Price: $74,990",
        "Prices may change.",
    ]
    row = made[2]
    start = row.text.index("405 miles")
    assert row.place(start, start + 9).of(passage) == "| Model S | 405 miles | $74,990 |"
    assert row.header is not None
    assert row.header.of(passage) == "| Model | Range | Price |"
    assert passage[row.start : row.end] == "| Model S | 405 miles | $74,990 |"


def test_json_becomes_a_statement_an_object() -> None:
    passage = (
        'Result: {"order_id": "HB-1", "customer": {"name": "Odile", "tier": "silver"}, "paid": true, "note": null,\n'
        ' "tags": ["new", "gift"],\n'
        ' "items": [{"sku": "A", "unit_price": 349.00}, {"sku": "B", "unitPrice": 42.5}]} Done.'
    )
    made = structured(passage)
    assert [statement.text for statement in made] == [
        "Result:",
        "order id: HB-1; customer name: Odile; customer tier: silver; paid: yes; note: none; tags: new, gift",
        "items: sku: A; unit price: 349.00",
        "items: sku: B; unit Price: 42.5",
        "Done.",
    ]
    item = made[2]
    start = item.text.index("349.00")
    assert item.place(start, start + 6).of(passage) == '{"sku": "A", "unit_price": 349.00}'
    paid = made[1]
    start = paid.text.index("yes")
    assert paid.place(start, start + 3).of(passage) == '"paid": true'


def test_members_of_a_list_carry_the_name_of_their_owner() -> None:
    made = structured('[{"title": "Demo", "guests": [{"who": "Ann"}, {"who": "Bo"}]}]')
    texts = [statement.text for statement in made]
    assert texts == [
        "title: Demo",
        "Demo guests: who: Ann",
        "Demo guests: who: Bo",
    ]


@pytest.mark.parametrize("passage", ["He won [1] the prize [2, 3].", '{"a": ', "a | b", "{}", "x = {y}"])
def test_what_is_not_structure_stays_as_it_is(passage: str) -> None:
    assert structured(passage) == ()


def test_pieces_point_at_their_characters() -> None:
    for passage in (
        *random_texts(1500, seed=6),
        '{"a\\n": "x\\"y", "b": [[1, "2"], {"c": {"d": []}}]}',
        "[" * 500,
        '{"a":' * 500,
    ):
        unjudgeable(passage)
        for statement in structured(passage):
            assert 0 <= statement.start <= statement.end <= len(passage)
            for piece in statement.pieces:
                place = statement.place(piece.start, piece.end)
                assert place.start <= piece.source.start <= piece.source.end <= place.end
                shown = statement.text[piece.start : piece.end]
                assert shown in (piece.source.of(passage), "yes", "no", "none") or "\\" in piece.source.of(passage)


@pytest.mark.parametrize(
    "piece", ['{"a":', "[", '{"a":1},', "|", "| a | b |\n|--|--|\n", '"', "[1, ", "x = 1;\n", "```\n", "der "]
)
def test_time_grows_with_length_only(piece: str) -> None:
    def read(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        return taken(lambda: (structured(text), unjudgeable(text)))

    assert read(100_000) < 25 * read(10_000) + 1


@pytest.mark.parametrize("text", ["It opened in 1969.", "Tesla was founded in 2003.", "The mill burned down."])
def test_what_is_plainly_english_is_not_identified(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading what identifies languages takes as long as loading the network."""
    monkeypatch.setattr(
        "halluscope._internal.judges.embedded.reading.language._identifier", lambda: pytest.fail("asked")
    )
    unjudgeable.cache_clear()
    assert unjudgeable(text) is None
