"""Phoenix's LLM: a model by name and provider, for evaluators and for questions of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.engine.judge import JudgeSpec
from .._asking import Asked, ask, written
from .._models import Judging
from ._templates import as_messages

Labels = Union[Sequence[str], Mapping[str, str]]
"""Labels, or labels with what each means."""

_OTHER_NAMES = {"api_base": "base_url", "azure_endpoint": "base_url", "default_headers": "headers"}
_OF_THE_SDK = ("http_client", "max_retries")
"""Options of the SDKs' clients that have no meaning here: nothing is asked through them."""


class LLM(Judging):
    """A model by name and provider. Without either, the default judge.

    Args:
        model: Name of the model, or a judge.
        provider: Name of the provider.
        client: Taken, and does nothing: no SDK is used.
        initial_per_second_request_rate: Taken, and does nothing.
        sync_client_kwargs: Options of the judge. One connection serves synchronous and asynchronous calls.
        async_client_kwargs: Options of the judge.
        options: Options of the judge (`base_url`, `api_key`, `api_version`, `timeout`, `retry_policy`, `seed`, …),
            under their names here or those of the SDKs (`azure_endpoint`, `default_headers`).

    Raises:
        InputError: An option is unknown, or a provider is given without a model.

    Example:
        >>> LLM(model="gpt-4o", provider="openai").generate_text("How tall is the tower?")
    """

    def __init__(
        self,
        model: JudgeSpec = None,
        provider: str | None = None,
        *,
        client: str | None = None,
        initial_per_second_request_rate: float | None = None,
        sync_client_kwargs: Mapping[str, Any] | None = None,
        async_client_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if provider is not None and not isinstance(model, str):
            raise InputError("a provider goes with a model's name: pass model='…' as well.")
        given = {**options, **(async_client_kwargs or {}), **(sync_client_kwargs or {})}
        model = given.pop("azure_deployment", None) or model
        given = {_OTHER_NAMES.get(name, name): value for name, value in given.items() if name not in _OF_THE_SDK}
        super().__init__(model, given, "an LLM", ("model", "provider"), provider=provider)

    @property
    def name(self) -> str:
        """What scores say of the model."""
        return self.model if isinstance(self.model, str) else self.judge.name

    async def async_generate_text(self, /, prompt: Any, **parameters: Any) -> str:
        """Answer a prompt.

        Args:
            prompt: A text, or messages.
            parameters: Options of the judge for this call.
        """
        system, user = as_messages(prompt)
        return str(await written(self._for_a_call(parameters), system, user))

    generate_text = sync.blocking_method(async_generate_text, "generate_text")

    async def async_generate_object(self, /, prompt: Any, schema: Mapping[str, Any], **parameters: Any) -> Any:
        """Answer a prompt with a JSON object.

        Args:
            prompt: A text, or messages.
            schema: The JSON schema of the object.
            parameters: Options of the judge for this call.
        """
        system, user = as_messages(prompt)
        return await ask(self._for_a_call(parameters), Asked(system=system, user=user, form=dict(schema)))

    generate_object = sync.blocking_method(async_generate_object, "generate_object")

    async def async_generate_classification(
        self,
        /,
        prompt: Any,
        labels: Labels,
        include_explanation: bool = True,
        description: str | None = None,
        **parameters: Any,
    ) -> dict[str, Any]:
        """Answer a prompt with one of the labels.

        Args:
            prompt: A text, or messages.
            labels: The labels, or labels with what each means.
            include_explanation: Whether to ask for an explanation.
            description: What the labels are for.
            parameters: Options of the judge for this call.

        Returns:
            `label` and, if there is one, `explanation`.
        """
        system, user = as_messages(prompt)
        question = classification(system, user, labels, include_explanation, description)
        found: dict[str, Any] = await ask(self._for_a_call(parameters), question)
        return found

    generate_classification = sync.blocking_method(async_generate_classification, "generate_classification")

    def _for_a_call(self, parameters: Mapping[str, Any]) -> Judging:
        """The model, with further options; those for Phoenix's tracing and ways of calling have no meaning here."""
        kept = {name: value for name, value in parameters.items() if name not in ("tracer", "method")}
        return Judging(self, kept, "a call of the model") if kept else self


def classification(
    system: str, user: str, labels: Labels, explained: bool = True, description: str | None = None
) -> Asked:
    """The question which label goes with a prompt."""
    words = list(labels)
    if not words or isinstance(labels, str) or not all(isinstance(word, str) and word.strip() for word in words):
        raise InputError(f"labels must be a list of texts, or a dictionary with what each means, not {labels!r}.")
    meanings = [f"- {word}: {about}" for word, about in labels.items()] if isinstance(labels, Mapping) else []
    said = "\n".join(
        [user, *([f"\n{description}"] if description else []), *(["\nThe labels:", *meanings] if meanings else [])]
    )
    fields: dict[str, Any] = {"explanation": {"type": "string"}} if explained else {}
    fields["label"] = {"type": "string", "enum": words}
    form = {"type": "object", "properties": fields, "required": ["label"], "additionalProperties": False}

    def label(said: Any) -> str:
        meant = str(said).strip().strip(".!\"'").casefold()
        found = next((word for word in words if word.casefold() == meant), None)
        if found is None:
            raise ValueError(f"the label must be one of {', '.join(words)}, not {str(said)[:100]!r}")
        return found

    def read(data: Any) -> dict[str, Any]:
        told = {"explanation": str(data["explanation"])} if explained and data.get("explanation") else {}
        return {"label": label(data["label"]), **told}

    return Asked(system=system, user=said, form=form, reads=read, reads_word=lambda text: read({"label": text}))


def show_provider_availability() -> None:
    """Print which judges there are. Names of providers that are not listed go to LiteLLM."""
    from ..._internal.engine.judge import PROVIDERS

    for provider in PROVIDERS:
        state = "ready" if provider.ready else f"needs {provider.key}"
        print(f"{provider.prefix:10} {state:25} {provider.about}")  # noqa: T201 - that is what it is for
