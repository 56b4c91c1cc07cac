"""Context that is written into a prompt: what is taken for it, and what is left to be the question."""

from __future__ import annotations

from typing import Any

import pytest

import halluscope
from halluscope import Case
from halluscope._internal.core.conversation import read_prompt

ONE = "The museum opens at 10 and closes at 18."
TWO = "Entry costs 12 euros. Children enter free."
BOTH = f"{ONE}\n\n{TWO}"
ASKED = "When does the museum open?"

WHOLE = {
    "labels": f"Context: {BOTH}\n\nQuestion: {ASKED}",
    "labels before an open answer": f"Context:\n{BOTH}\n\nQuestion:\n{ASKED}\n\nAnswer:",
    "question first": f"Reply in a sentence.\nQuestion: {ASKED} \nContext: {BOTH} \nAnswer:",
    "question first, without a label": f"{ASKED}\n\nContext:\n{BOTH}",
    "question last, without a label": f"Context:\n{BOTH}\n\n{ASKED}",
    "headings": f"# Instructions\nBe brief.\n\n# Context\n{BOTH}\n\n# Question\n{ASKED}",
    "bold": f"**Context:**\n{BOTH}\n\n**Question:** {ASKED}",
    "brackets": f"[CONTEXT]\n{BOTH}\n[QUESTION]\n{ASKED}",
    "rules with a name": f"=== CONTEXT ===\n{BOTH}\n=== QUESTION ===\n{ASKED}",
    "rules, as LlamaIndex has them": (
        f"Context information is below.\n-------\n{BOTH}\n-------\nReply from it.\nQuery: {ASKED}\nAnswer: "
    ),
    "refined, as LlamaIndex does": (
        f"The original query is as follows: {ASKED}\nWe have provided an existing answer: At noon.\n"
        f"Here is some more context:\n-----\n{BOTH}\n-----\nGiven the new context, refine it.\nRefined Answer: "
    ),
    "announced, as LangChain does": (
        f"Use the following pieces of context to reply.\n\n{BOTH}\n\nQuestion: {ASKED}\nHelpful Answer:"
    ),
    "documents, as Haystack has them": (
        f"\n    Reply from these.\n    Documents:\n    \n        {BOTH}\n\n    Question: {ASKED}\n    Answer:\n"
    ),
    "a tag": f"<context>\n{BOTH}\n</context>\n\n{ASKED}",
    "a tag and one for the question": f"Read <doc>.\n<doc>{BOTH}</doc>\n<question>{ASKED}</question>",
    "a fence": f"Use the context.\n\nContext:\n```\n{BOTH}\n```\n\n{ASKED}",
    "triple quotes": f'Reply from the text delimited by triple quotes.\n\n"""{BOTH}"""\n\nQuestion: {ASKED}',
    "an instruction between": (
        f"Context:\n{BOTH}\n\nBased only on the context above, reply to the question.\nQuestion: {ASKED}"
    ),
    "German": f"Kontext: {BOTH}\n\nFrage: {ASKED}",
    "a worked example before it": (
        f"Context: Rome is old.\nQuestion: What is old?\nAnswer: Rome.\n\nContext: {BOTH}\nQuestion: {ASKED}\nAnswer:"
    ),
}
PARTS = {
    "numbers in brackets": f"[1] {ONE}\n[2] {TWO}\n\n{ASKED}",
    "numbered documents": f"Document 1: {ONE}\nDocument 2: {TWO}\n\nQuestion: {ASKED}",
    "numbered sources between rules": (
        f"Below are several numbered sources:\n-----\nSource 1:\n{ONE}\n\nSource 2:\n{TWO}\n-----\n"
        f"Query: {ASKED}\nAnswer: "
    ),
    "a numbered list": f"Sources:\n1. {ONE}\n2. {TWO}\n\nQ: {ASKED}",
    "fields, as DSPy has them": f"[[ ## context ## ]]\n[1] «{ONE}»\n[2] «{TWO}»\n\n[[ ## question ## ]]\n{ASKED}",
    "nested tags": (
        f'<documents><document index="1"><document_content>{ONE}</document_content></document>\n'
        f'<document index="2"><document_content>{TWO}</document_content></document></documents>\n{ASKED}'
    ),
    "JSON": f'Context: ["{ONE}", "{TWO}"]\nQuestion: {ASKED}',
}
SYSTEM = {
    "announced before a rule, as LangChain does": (
        f"Use the following pieces of context to reply.\nBe honest.\n--------\n{BOTH}"
    ),
    "announced": f"You assist. Use the following pieces of retrieved context to reply. Be brief.\n\n{BOTH}",
    "a label": f"You assist people.\n\nContext:\n{BOTH}",
    "between rules, as LlamaIndex has it": f"Use the context information below to help.\n------\n{BOTH}\n------\n",
}


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("prompt", WHOLE.values(), ids=WHOLE)
def test_a_prompt_is_taken_apart_into_context_and_question(prompt: str) -> None:
    parts = read_prompt(prompt)
    assert parts is not None
    assert ([_flat(passage) for passage in parts.passages], parts.rest) == ([_flat(BOTH)], ASKED)


@pytest.mark.parametrize("prompt", PARTS.values(), ids=PARTS)
def test_each_numbered_document_is_a_passage(prompt: str) -> None:
    parts = read_prompt(prompt)
    assert parts is not None
    assert (parts.passages, parts.rest) == ((ONE, TWO), ASKED)


@pytest.mark.parametrize("prompt", SYSTEM.values(), ids=SYSTEM)
def test_a_system_prompt_needs_no_question_beside_its_context(prompt: str) -> None:
    parts = read_prompt(prompt, instructions=True)
    assert parts is not None
    assert [_flat(passage) for passage in parts.passages] == [_flat(BOTH)]
    assert ONE not in parts.rest


@pytest.mark.parametrize(
    "prompt",
    [
        ASKED,
        "Context matters here. What do you think?",
        "I have a question: when does it open?",
        "Context: I am the director.",
        "My order is A-1043. Please cancel it.",
        "1. Buy milk\n2. Call Ann\nWhich comes first?",
        "Notes: call Ann.\nQuestion: when?",
        "Here is my code:\n```\nx = 1\n```\nWhy does it fail?",
        "<b>Hello</b>, what is <i>this</i>?",
        "Question: what is the capital of France?\nAnswer:",
        "<context></context>When?",
        "<context>never closed. When?",
        "",
    ],
)
def test_a_message_that_holds_no_context_stays_whole(prompt: str) -> None:
    assert read_prompt(prompt) is None


def test_questions_inside_the_context_are_part_of_it() -> None:
    entries = "Question: Where is it?\nAnswer: In Ulm.\nQuestion: Who runs it?\nAnswer: The city."
    parts = read_prompt(f"Context:\n{entries}\n\nQuestion: {ASKED}\nAnswer:")
    assert parts is not None
    assert (parts.passages, parts.rest) == ((entries,), ASKED)


def test_the_commonest_layout_is_judged_against_its_context() -> None:
    def talk(answer: str) -> list[dict[str, str]]:
        return [
            {"role": "system", "content": "You answer from the context alone."},
            {"role": "user", "content": WHOLE["labels"]},
            {"role": "assistant", "content": answer},
        ]

    right = halluscope.check(talk("The museum opens at 10."))
    assert (right.label, right.score) == ("factual", 0.0)
    assert "1 passage inside a prompt" in right.notes[0]
    assert right.notes[1] == "the context was found after “Context:”"
    assert halluscope.check(talk("The museum opens at 9.")).label == "hallucinated"
    case = Case.of(talk("It opens at 10."))
    assert (case.input, case.context) == (ASKED, (BOTH, "You answer from the context alone."))


@pytest.mark.parametrize(
    "talk",
    [
        {"messages": [{"role": "user", "content": [{"type": "text", "text": WHOLE["labels"]}]}]},
        [{"role": "user", "content": [{"type": "input_text", "text": WHOLE["labels"]}]}],
        [{"role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": WHOLE["labels"]}]}}],
        [{"role": "user", "parts": [{"type": "text", "text": WHOLE["labels"]}]}],
        [{"type": "message", "role": "user", "content": WHOLE["labels"]}],
    ],
    ids=["anthropic", "responses", "mastra", "ui messages", "items"],
)
def test_the_context_is_found_in_every_shape_of_a_message(talk: Any) -> None:
    case = Case.of("The museum opens at 10.", input=talk)
    assert (case.input, case.context) == (ASKED, (BOTH,))
    (turn,) = Case.of_turns("The museum opens at 10.", input=talk)
    assert (turn.input, turn.context) == (ASKED, (BOTH,))


def test_a_request_with_a_system_prompt_beside_its_messages() -> None:
    request = {"system": SYSTEM["a label"], "messages": [{"role": "user", "content": ASKED}]}
    case = Case.of("The museum opens at 10.", input=request)
    assert (case.input, case.context) == (ASKED, (BOTH, "You assist people."))


def test_without_the_prompt_among_the_sources_it_is_a_question() -> None:
    talk = [{"role": "user", "content": WHOLE["labels"]}, {"role": "assistant", "content": "At 10."}]
    case = Case.of(talk, context_from=["tools", "user"])
    assert (case.input, case.context) == (WHOLE["labels"], None)
    assert halluscope.check(talk, context_from=["tools"]).outcome is halluscope.Outcome.NO_CONTEXT


def test_the_context_in_an_input_is_used_where_no_other_is_given() -> None:
    case = Case.of("At 10.", None, WHOLE["labels"])
    assert (case.input, case.context) == (ASKED, (BOTH,))
    assert "in the input" in case.notes[0]
    given = Case.of("At 10.", ["Another text."], WHOLE["labels"])
    assert (given.input, given.context) == (WHOLE["labels"], ("Another text.",))
