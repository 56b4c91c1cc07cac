"""The callback handler for LangChain and LangGraph, with the real packages."""

from __future__ import annotations

from typing import Any

import pytest

from .answering import FACT, Scored

pytestmark = pytest.mark.slow("imports LangChain")

SAID = "The tower is 300 metres high."


def model(*replies: Any) -> Any:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    return GenericFakeChatModel(messages=iter(replies))


def retriever() -> Any:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content=FACT), Document(page_content="It is in Paris.")]

    return Shelf()


async def test_a_chain_that_retrieves(scored: Scored) -> None:
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough

    prompt = ChatPromptTemplate.from_messages([("system", "Use: {found}"), ("human", "{question}")])
    gathered: Any = {"found": retriever(), "question": RunnablePassthrough()}
    config: Any = {"callbacks": [scored.live.langchain()]}
    chain = gathered | prompt | model(SAID, SAID, SAID) | StrOutputParser()
    assert chain.invoke("How high?", config) == SAID
    assert await chain.ainvoke("How high?", config) == SAID
    assert "".join([piece async for piece in chain.astream("How high?", config)]) == SAID
    await scored.live.aflush()
    cases = scored.cases()
    assert [(case.output, case.input) for case in cases] == [(SAID, "How high?")] * 3
    for case in cases:
        assert (case.context or ())[:2] == (FACT, "It is in Paris.")


def test_a_graph_with_a_tool(scored: Scored) -> None:
    from langchain_core.messages import AIMessage, ToolMessage
    from langgraph.graph import END, START, MessagesState, StateGraph

    speaker = model(
        AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}]),
        AIMessage([{"type": "text", "text": SAID}]),
    )

    def speak(state: MessagesState) -> Any:
        return {"messages": [speaker.invoke(state["messages"])]}

    def use_tool(state: MessagesState) -> Any:
        return {"messages": [ToolMessage(FACT, tool_call_id="1")]}

    graph = StateGraph(MessagesState)
    graph.add_node("speak", speak)
    graph.add_node("tool", use_tool)
    graph.add_edge(START, "speak")
    graph.add_conditional_edges("speak", lambda s: "tool" if getattr(s["messages"][-1], "tool_calls", None) else END)
    graph.add_edge("tool", "speak")
    asked: Any = {"messages": [("user", "How high?")]}
    result = graph.compile().invoke(asked, {"callbacks": [scored.live.langchain()]})
    assert result["messages"][-1].text == SAID
    case = scored.only()
    assert (case.output, case.input, case.context) == (SAID, "How high?", (FACT,))


def test_a_tool_that_is_called_in_a_chain(scored: Scored) -> None:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool

    @tool
    def look_up(what: str) -> str:
        """Look something up."""
        return FACT

    speaker = model(SAID)

    def answer(inputs: dict[str, str]) -> dict[str, Any]:
        look_up.invoke({"what": inputs["question"]})
        return {"answer": speaker.invoke(inputs["question"]).content}

    chain = RunnableLambda(answer)
    assert chain.invoke({"question": "How high?"}, {"callbacks": [scored.live.langchain()]}) == {"answer": SAID}
    case = scored.only()
    assert (case.output, case.input) == (SAID, "How high?") and FACT in (case.context or ())


def test_a_chain_that_breaks_gave_no_answer(scored: Scored) -> None:
    from langchain_core.runnables import RunnableLambda

    def broken(inputs: str) -> str:
        raise ValueError("broken")

    handler = scored.live.langchain()
    with pytest.raises(ValueError):
        RunnableLambda(broken).invoke("x", {"callbacks": [handler]})
    assert not scored.cases() and not handler._followed


def test_a_model_alone(scored: Scored) -> None:
    assert model(SAID).invoke("How high?", {"callbacks": [scored.live.langchain()]}).content == SAID
    assert (scored.only().output, scored.only().input) == (SAID, "How high?")
