"""LangChain and LangGraph: a runnable that checks an answer, and an evaluator for LangSmith."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._common import ChecksFields, find_context, needs, summary_of

with needs("langchain-core", "langchain_core"):
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.runnables.config import run_in_executor


class Groundedness(ChecksFields, Runnable[dict[str, Any], dict[str, Any]]):
    """Check an answer in a chain, or as a node of a graph.

    It takes a mapping (or a graph's state) with `answer`, the passages and, if there is one, `question`, and returns
    `{"groundedness": …}` with the score, whether it passed, the reason and the claims.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the metric.
        answer: Name of the field with the answer.
        context: Name of the field with the passages: texts or documents. By default a usual name.
        question: Name of the field with the question.
        options: Options of the metric and the judge.

    Example:
        >>> chain = RunnablePassthrough.assign(answer=answer_chain) | Groundedness()
        >>> graph.add_node("check", Groundedness())
    """

    def invoke(self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        return self._call_with_config(self._run, input, config, **kwargs)

    async def ainvoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        return await run_in_executor(config, self.invoke, input, config, **kwargs)

    def _run(self, input: dict[str, Any]) -> dict[str, Any]:
        answer, context, question = self.fields
        found = find_context(input, name=context)
        passages = [_text(passage) for passage in found] if isinstance(found, (list, tuple)) else _text(found)
        return {"groundedness": summary_of(self._check.run(_text(input.get(answer)), passages, input.get(question)))}


def langsmith_evaluator(judge: Any = "local", **options: Any) -> Callable[..., dict[str, Any]]:
    """Return an evaluator for LangSmith's `evaluate`; the options are those of `Groundedness`.

    Example:
        >>> client.evaluate(app, data="questions", evaluators=[langsmith_evaluator()])
    """
    check = Groundedness(judge, **options)

    def groundedness(inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
        found = check.invoke({**inputs, **outputs})["groundedness"]
        return {"key": "groundedness", "score": found["score"], "comment": found["reason"]}

    return groundedness


def _text(value: Any) -> Any:
    if isinstance(value, Document):
        return value.page_content
    return value.text if isinstance(value, BaseMessage) else value
