"""Phoenix's tests of scores, mappings, templates, evaluators and frames."""

from __future__ import annotations

import json
import pickle
import threading
from contextlib import nullcontext
from typing import Any

import pandas as pd
import pytest
from pydantic import create_model

from halluscope import HalluscopeError
from halluscope._internal.core.errors import JudgeError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.phoenix import (
    LLM,
    ClassificationEvaluator,
    Evaluator,
    FaithfulnessEvaluator,
    HallucinationEvaluator,
    LLMEvaluator,
    PromptTemplate,
    Score,
    TemplateFormat,
    async_evaluate_dataframe,
    bind_evaluator,
    create_classifier,
    create_evaluator,
    evaluate_dataframe,
    to_annotation_dataframe,
    to_thread,
)

from . import carried, different

FOLDER = "phoenix packages/phoenix-evals/tests/phoenix/evals"
EVALUATORS = f"{FOLDER}/test_evaluators.py"
UTILS = f"{FOLDER}/test_utils.py"
BUILT_IN = f"{FOLDER}/metrics/test_classification_evaluators.py"
TEMPLATES = f"{FOLDER}/test_templating.py"
ROW = {"input": "q", "output": "right", "context": "c"}


def judge() -> ScriptedJudge:
    def answer(question: Any) -> Any:
        if "fails" in question.output:
            return JudgeError("gone")
        word = "factual" if "right" in question.output else "hallucinated"
        return {"verdict": word, "reason": [f"It says: {question.output}"]}

    return ScriptedJudge(answer)


@carried(
    EVALUATORS,
    "TestScore: test_score_name_field",
    "TestScore: test_score_score_field",
    "TestScore: test_score_direction_field",
    "TestScore: test_score_metadata_field",
)
def test_fields_of_a_score() -> None:
    empty = Score()
    assert (empty.name, empty.score, empty.metadata, empty.direction) == (None, None, {}, "maximize")
    full = Score(name="n", score=1, metadata={"k": "v"}, direction="minimize")
    assert (full.name, full.score, full.metadata, full.direction) == ("n", 1, {"k": "v"}, "minimize")


@carried(EVALUATORS, "TestScore: test_score_to_dict_excludes_none_values")
def test_a_score_as_data_has_no_empty_fields() -> None:
    told = Score(name="n", score=0.8, explanation="why").to_dict()
    assert {"name", "score", "explanation", "direction"} <= set(told) and "label" not in told


@carried(EVALUATORS, "TestScore: test_score_pretty_print_calls_json_dumps")
def test_a_score_prints_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    Score(name="n", score=0.8).pretty_print(indent=4)
    printed = capsys.readouterr().out
    assert printed.startswith('{\n    "name"') and json.loads(printed)["score"] == 0.8


@carried(
    EVALUATORS,
    "TestEvaluator: test_evaluator_evaluate_success",
    "TestEvaluator: test_evaluator_evaluate_with_mapping",
    "TestEvaluator: test_evaluator_async_evaluate_success",
)
async def test_evaluating() -> None:
    evaluator = HallucinationEvaluator(judge())
    (score,) = evaluator.evaluate(ROW)
    (renamed,) = evaluator.evaluate({"q": "q", "said": "right", "context": "c"}, {"input": "q", "output": "said"})
    (awaited,) = await evaluator.async_evaluate(eval_input=ROW)
    assert {s.name for s in (score, renamed, awaited)} == {"hallucination"}


@carried(EVALUATORS, "TestEvaluator: test_evaluator_evaluate_error_handling")
@pytest.mark.parametrize("row", [{"input": "q"}, {**ROW, "input": None}])
def test_missing_inputs_are_a_value_error(row: Any) -> None:
    with pytest.raises(ValueError, match="needs"):
        HallucinationEvaluator(judge()).evaluate(row)


@carried(EVALUATORS, "TestEvaluatorRequiredFieldsAndBinding: test_bound_evaluator_evaluate_and_describe")
def test_a_bound_evaluator() -> None:
    mapping = {"output": lambda row: row["raw"]["value"].strip()}
    bound = bind_evaluator(evaluator=HallucinationEvaluator(judge()), input_mapping=mapping)
    (score,) = bound.evaluate({"input": "q", "context": "c", "raw": {"value": " right "}})
    assert (score.score, bound.describe()["name"]) == (1.0, "hallucination")


INDEXES = {
    "test_evaluate_dataframe_continuous_numeric_index": [0, 1, 2],
    "test_evaluate_dataframe_non_continuous_numeric_index": [10, 20, 30],
    "test_evaluate_dataframe_string_index": ["a", "b", "c"],
    "test_evaluate_dataframe_mixed_index_types": [1, "b", 3.0],
    "test_evaluate_dataframe_single_row": [42],
    "test_evaluate_dataframe_index_with_duplicates": [1, 1, 2],
    "test_evaluate_dataframe_exact_dataframe_structure": ["x", "x", "y"],
    "test_evaluate_dataframe_large_dataframe": list(range(100, 160)),
}


@carried(EVALUATORS, *(f"TestEvaluateDataframe: {name}" for name in INDEXES))
@carried(
    EVALUATORS,
    "TestEvaluateDataframe: test_evaluate_dataframe_ordering_preservation_with_duplicates",
    "TestEvaluateDataframe: test_evaluate_dataframe_preserves_original_data",
    "TestEvaluateDataframe: test_evaluate_dataframe_execution_details_preserved",
)
@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_frames_of_every_index(index: list[Any]) -> None:
    said = [f"right {place}" for place in range(len(index))]
    frame = pd.DataFrame({"input": "q", "output": said, "context": "c"}, index=index)
    told = evaluate_dataframe(dataframe=frame, evaluators=[HallucinationEvaluator(judge())])
    assert list(told.index) == index and list(told["output"]) == said
    assert [score["explanation"] for score in told["hallucination_score"]] == [f"It says: {text}" for text in said]
    for details in told["hallucination_execution_details"]:
        assert set(details) == {"status", "exceptions", "execution_seconds"} and details["status"] == "COMPLETED"


@carried(EVALUATORS, "TestEvaluateDataframe: test_evaluate_dataframe_empty_dataframe")
def test_an_empty_frame() -> None:
    told = evaluate_dataframe(pd.DataFrame({"input": [], "output": []}), [HallucinationEvaluator(judge())])
    assert len(told) == 0 and "hallucination_execution_details" in told.columns


@carried(EVALUATORS, "TestEvaluateDataframe: test_evaluate_dataframe_multiple_evaluators")
def test_a_frame_with_two_evaluators() -> None:
    told = evaluate_dataframe(pd.DataFrame([ROW]), [HallucinationEvaluator(judge()), FaithfulnessEvaluator(judge())])
    assert {f"{n}_{what}" for n in ("hallucination", "faithfulness") for what in ("score", "execution_details")} <= set(
        told.columns
    )


@carried(EVALUATORS, "TestEvaluateDataframe: test_evaluate_dataframe_with_custom_parameters")
def test_a_frame_with_all_parameters() -> None:
    told = evaluate_dataframe(
        dataframe=pd.DataFrame([ROW]),
        evaluators=[HallucinationEvaluator(judge())],
        tqdm_bar_format="{bar}",
        exit_on_error=False,
        max_retries=5,
    )
    assert told["hallucination_score"][0]["score"] == 1.0


@carried(
    EVALUATORS,
    "TestEvaluateDataframe: test_evaluate_dataframe_with_failures",
    "TestEvaluateDataframe: test_async_evaluate_dataframe_with_failures",
    "TestEvaluateDataframe: test_async_evaluate_dataframe_duplicate_indices",
)
async def test_rows_that_fail() -> None:
    frame = pd.DataFrame([ROW, {**ROW, "output": "it fails"}], index=[5, 5])
    told = await async_evaluate_dataframe(frame, [HallucinationEvaluator(judge())], exit_on_error=False, max_retries=0)
    assert [score is None for score in told["hallucination_score"]] == [False, True]
    assert [details["status"] for details in told["hallucination_execution_details"]] == ["COMPLETED", "FAILED"]
    assert told["hallucination_execution_details"].iloc[1]["exceptions"]


class Named(Evaluator):
    def _evaluate(self, eval_input: Any) -> list[Score]:
        return [Score(name=self.name, score=0.8, kind=self.kind)]


@carried(
    EVALUATORS,
    "TestEvaluator: test_evaluator_initialization",
    "TestEvaluator: test_evaluator_required_fields_inferred",
    "TestEvaluatorRequiredFieldsAndBinding: test_required_fields_from_mapping_when_no_schema",
)
@pytest.mark.parametrize("kind", ["llm", "code", "human"])
def test_evaluators_of_ones_own(kind: str) -> None:
    schema = create_model("Inputs", input=(str, ...), output=(str, ...))
    made = Named(name="n", kind=kind, direction="minimize", input_schema=schema)
    assert (made.name, made.kind, made.direction) == ("n", kind, "minimize")
    assert made.describe()["input_schema"]["required"] == ["input", "output"]
    plain = Named("n")
    with pytest.raises(ValueError, match="inputs of 'n' are not known"):
        plain.evaluate({"in": {"message": "hi"}})
    (score,) = plain.evaluate({"in": {"message": "hi"}}, {"text": lambda row: row["in"]["message"]})
    assert score.score == 0.8


@carried(
    EVALUATORS,
    "TestLLMEvaluator: test_llm_evaluator_initialization_with_string_template",
    "TestLLMEvaluator: test_llm_evaluator_initialization_with_explicit_required_fields",
    "TestLLMEvaluator: test_llm_evaluator_initialization_with_prompt_template_instance",
)
@pytest.mark.parametrize(
    ("template", "schema"),
    [
        ("Look at {input} and {output}", None),
        ("Look at {input}", create_model("Inputs", input=(str, ...), output=(str, ...))),
        (PromptTemplate("Look at {input} and {output}"), None),
    ],
)
def test_evaluators_with_a_prompt(template: Any, schema: Any) -> None:
    llm = LLM("gpt-4o", "openai")
    made = LLMEvaluator(name="n", llm=llm, prompt_template=template, input_schema=schema)
    assert (made.name, made.kind, made.llm) == ("n", "llm", llm)
    assert made.prompt_template is template or made.prompt_template == PromptTemplate(template)
    assert made.describe()["input_schema"]["required"] == ["input", "output"]


CHOICES = [
    (["good", "bad"], ["good", "bad"], None),
    ({"good": 1.0, "bad": 0.0}, ["good", "bad"], {"good": 1.0, "bad": 0.0}),
    (
        {"good": (1.0, "Good."), "bad": (0.0, "Bad.")},
        {"good": "Good.", "bad": "Bad."},
        {"good": 1.0, "bad": 0.0},
    ),
]


@carried(
    EVALUATORS,
    "TestClassificationEvaluator: test_classification_evaluator_initialization_choices",
    "TestClassificationEvaluator: test_classification_evaluator_evaluate_success",
    "TestClassificationEvaluator: test_classification_evaluator_evaluate_with_score_map",
    "TestClassificationEvaluator: test_classification_evaluator_async_evaluate_success",
    "TestFactoryFunctions: test_create_classifier_basic",
)
@pytest.mark.parametrize(("choices", "labels", "scores"), CHOICES)
@pytest.mark.parametrize("made_by", [ClassificationEvaluator, create_classifier])
async def test_labels_of_ones_own(made_by: Any, choices: Any, labels: Any, scores: Any) -> None:
    llm = LLM(lambda prompt: '{"label": "good", "explanation": "It is."}')
    made = made_by(name="n", llm=llm, prompt_template="Look at {input}", choices=choices)
    assert isinstance(made, ClassificationEvaluator) and made.llm is llm
    assert (made.labels, made.label_score_map, made.include_explanation) == (labels, scores, True)
    for (score,) in (made.evaluate({"input": "i"}), await made.async_evaluate({"input": "i"})):
        assert (score.name, score.label, score.score) == ("n", "good", 1.0 if scores else None)


@carried(EVALUATORS, "TestClassificationEvaluator: test_classification_evaluator_invalid_label")
def test_a_label_that_is_none_is_an_error() -> None:
    made = ClassificationEvaluator("n", lambda prompt: '{"label": "invalid"}', "Look at {input}", ["good", "bad"])
    with pytest.raises(HalluscopeError, match="must be one of good, bad"):
        made.evaluate({"input": "i"})


@carried(EVALUATORS, "TestClassificationEvaluator: test_classification_evaluator_with_message_list_template")
def test_a_prompt_of_messages() -> None:
    messages = [{"role": "system", "content": "You are {role}"}, {"role": "user", "content": "Look at {text}"}]
    made = ClassificationEvaluator("n", lambda prompt: "good", messages, ["good", "bad"])
    assert set(made.prompt_template.variables) == {"role", "text"}
    (score,) = made.evaluate({"role": "a judge", "text": "hello"})
    assert score.label == "good"


RETURNED = {
    "score_object": (Score(score=0.8, label="good", explanation="e"), (0.8, "good", "e")),
    "number_return": (0.75, (0.75, None, None)),
    "boolean_return": (True, (1.0, "True", None)),
    "short_string_return": ("good", (None, "good", None)),
    "long_string_return": ("much longer than a label", (None, None, "much longer than a label")),
    "dictionary_return": ({"score": 0.9, "label": "l", "explanation": "e"}, (0.9, "l", "e")),
    "tuple_return": (
        (0.85, "very good", "a whole explanation of it"),
        (0.85, "very good", "a whole explanation of it"),
    ),
}
DECORATED = "TestCreateEvaluatorDecorator: test_create_evaluator_"
AWAITED = "TestCreateEvaluatorAsync: test_"


@carried(EVALUATORS, *(f"{DECORATED}with_{name}" for name in RETURNED))
@carried(
    EVALUATORS,
    DECORATED + "various_return_types",
    DECORATED + "with_input_mapping",
    DECORATED + "with_custom_kind_and_direction",
    "TestCreateEvaluatorDecorator: test_sync_evaluator_call_preserves_original_function",
    AWAITED + "create_evaluator_with_async_function",
    AWAITED + "async_evaluator_call_returns_awaitable",
    AWAITED + "async_evaluator_preserves_original_function_behavior",
    AWAITED + "async_evaluator_with_score_object",
    AWAITED + "async_evaluator_with_tuple_return",
)
@pytest.mark.parametrize(("returned", "expected"), RETURNED.values(), ids=RETURNED)
async def test_functions_as_evaluators(returned: Any, expected: Any) -> None:
    @create_evaluator(name="plain", kind="llm", direction="minimize")
    def plain(text: str, times: int = 2) -> Any:
        return returned if times == 2 else times * text

    @create_evaluator(name="awaited", kind="code")
    async def awaited(text: str, times: int = 2) -> Any:
        return returned if times == 2 else times * text

    (first,) = plain.evaluate({"asked": "test"}, input_mapping={"text": "asked"})
    (second,) = await awaited.async_evaluate({"text": "test"})
    assert [(s.score, s.label, s.explanation) for s in (first, second)] == [expected, expected]
    assert (first.name, first.kind, first.direction, second.kind) == ("plain", "llm", "minimize", "code")
    assert (plain("ab", 3), await awaited("ab", 3), plain("ab")) == ("ababab", "ababab", returned)


different(
    EVALUATORS,
    "`evaluate` works for an asynchronous function as well",
    AWAITED + "async_evaluator_sync_evaluate_raises_error",
)


@carried(
    EVALUATORS,
    DECORATED + "with_mixed_tuple_return",
    DECORATED + "with_unsupported_type_raises_error",
    DECORATED + "with_unsupported_type_error_message",
)
@pytest.mark.parametrize(("returned", "kind"), [((0.7, {"score": 0.8}), "dict"), ([1], "list"), ({1}, "set")])
def test_what_a_function_cannot_return(returned: Any, kind: str) -> None:
    made = create_evaluator(name="broken")(lambda text: returned)
    with pytest.raises(ValueError, match=f"'broken' returned a {kind}"):
        made.evaluate({"text": "t"})


@carried(EVALUATORS, DECORATED + "preserves_metadata")
def test_metadata_of_a_functions_score() -> None:
    made = create_evaluator(name="n")(lambda text: Score(score=0.8, metadata={"k": "v"}))
    assert made.evaluate({"text": "t"})[0].metadata == {"k": "v"}


@carried(
    EVALUATORS,
    "TestIntrospectionAndSchema: test_describe_for_simple_decorator",
    "TestIntrospectionAndSchema: test_describe_optional_and_defaults",
)
def test_a_function_describes_its_inputs() -> None:
    @create_evaluator(name="n")
    def made(a: str, b: str | None = None, k: int = 1) -> Score:
        return Score(score=1.0)

    schema = made.describe()["input_schema"]
    assert (schema["type"], schema["required"], set(schema["properties"])) == ("object", ["a"], {"a", "b", "k"})
    assert (schema["properties"]["a"]["type"], schema["properties"]["k"]["type"]) == ("string", "integer")


KINDS = "TestDeprecatedSourceAndHeuristic: test_"


@carried(
    EVALUATORS,
    KINDS + "conflicting_kind_and_source_raise_error_for_score",
    KINDS + "conflicting_kind_and_source_raise_error_for_evaluator",
    KINDS + "conflicting_kind_and_source_raise_error_for_create_evaluator",
)
@pytest.mark.parametrize("made_by", [Score, Named, create_evaluator])
def test_kind_and_source_are_one_thing(made_by: Any) -> None:
    with pytest.raises(ValueError, match="two names of one thing"):
        made_by(name="n", kind="llm", source="code")


def made_evaluator(name: str, **kinds: Any) -> Any:
    return create_evaluator(name=name, **kinds)(lambda text: 1.0)


@carried(
    EVALUATORS,
    KINDS + "score_supports_deprecated_and_new_kinds",
    KINDS + "evaluator_supports_deprecated_and_new_kinds",
    KINDS + "create_evaluator_supports_deprecated_and_new_kinds",
    KINDS + "equal_kind_and_source_allowed_for_score",
    KINDS + "equal_kind_and_source_allowed_for_evaluator",
    KINDS + "equal_kind_and_source_allowed_for_create_evaluator",
)
@pytest.mark.parametrize("made_by", [Score, Named, made_evaluator])
@pytest.mark.parametrize(
    ("kinds", "kind", "former"),
    [
        ({"source": "llm"}, "llm", "'source' is deprecated"),
        ({"source": "heuristic"}, "code", "'source' is deprecated"),
        ({"kind": "heuristic"}, "code", "'heuristic' is deprecated"),
        ({"kind": "human", "source": "human"}, "human", "'source' is deprecated"),
        ({"kind": "code"}, "code", None),
    ],
)
def test_former_words_for_the_kind_are_taken_with_a_warning(
    made_by: Any, kinds: dict[str, str], kind: str, former: str | None
) -> None:
    with pytest.warns(DeprecationWarning, match=former) if former else nullcontext():
        made = made_by(name="n", **kinds)
    assert (made.kind, made.source) == (kind, kind)
    assert pickle.loads(pickle.dumps(Score(kind=kind))).source == kind, "reading it back warns of nothing"


@carried(EVALUATORS, "TestToThread: test_to_thread_basic_functionality", "TestToThread: test_to_thread_with_exception")
async def test_a_function_in_a_thread() -> None:
    assert await to_thread(lambda x, y: (x + y, threading.current_thread() is threading.main_thread()))(2, 3) == (
        5,
        False,
    )
    with pytest.raises(ZeroDivisionError):
        await to_thread(lambda: 1 / 0)()


PLACES: dict[str, tuple[dict[str, Any], Any]] = {
    "Remapping with input_mapping": ({"said": "right"}, "said"),
    "nested_path_with_strip_lower": ({"o": {"r": " Right "}}, lambda row: row["o"]["r"].strip().lower()),
    "first_transform_on_list_then_strip": ({"docs": [" right ", "B"]}, lambda row: row["docs"][0].strip()),
    "bracket_index_access": ({"items": ["right", "drop"]}, "items[0]"),
    "empty_mapping_string_falls_back_to_direct_key": ({"output": "right"}, ""),
    "callable_extractor": ({"a": "right"}, lambda row: row.get("a")),
    "dot notation accessed as top level key before jsonpath": ({"a.b": "right", "a": {"b": "other"}}, "a.b"),
    "required fields with dot notation and input_mapping with dot notation": ({"n": {"o": "right"}}, "n.o"),
    "Deep nested key": ({"a": {"b": {"c": "right"}}}, "a.b.c"),
    "List of objects": ({"items": [{"name": "right"}]}, "items[0].name"),
    "Nested list index": ({"data": {"items": ["right"]}}, "data.items[0]"),
    "Nested lists": ({"items": [["a", "right"]]}, "items[0][1]"),
    "Match first nested value": ({"books": [{"title": "right"}, {"title": "B"}]}, "books[*].title"),
}


@carried(
    UTILS,
    "TestRemapEvalInput: test_remap_eval_input_simple_cases",
    "TestRemapEvalInput: test_remap_success_cases",
    "TestRemapEvalInput: test_optional_fields_pass_through_when_present",
    "TestRemapEvalInput: test_optional_fields_can_be_mapped",
    "TestRemapEvalInput: test_optional_mapped_field_missing_is_ignored",
    "TestExtractWithJsonPath: test_extract_with_path_success",
)
@pytest.mark.parametrize(("row", "source"), PLACES.values(), ids=PLACES)
def test_where_inputs_are_found(row: dict[str, Any], source: Any) -> None:
    mapping = {"output": source, "something else": "missing.path"}
    (score,) = HallucinationEvaluator(judge()).evaluate({"input": "q", "context": "c", "extra": 1, **row}, mapping)
    assert score.explanation == "It says: right"


@carried(
    UTILS,
    "TestRemapEvalInput: test_remap_error_cases",
    "TestRemapEvalInput: test_invalid_path_patterns_raise_error",
    "TestExtractWithJsonPath: test_extract_with_path_errors",
)
@pytest.mark.parametrize("path", ["items[1]", "root.missing", "items[", "items[abc]", "[invalid"])
def test_paths_that_lead_nowhere(path: str) -> None:
    with pytest.raises(ValueError, match=r"path"):
        HallucinationEvaluator(judge()).evaluate({"input": "q", "context": "c", "items": ["right"]}, {"output": path})


@carried(UTILS, "TestRemapEvalInput: test_invalid_mapping_type_raises")
def test_an_input_mapped_to_nothing_that_could_be_one() -> None:
    with pytest.raises(TypeError, match="mapped to a int"):
        HallucinationEvaluator(judge()).evaluate(ROW, {"output": 123})  # type: ignore[dict-item]


FRAMES = "TestFormatAsAnnotationDataframe: test_"
HELD = {"score": 0.85, "label": "good", "explanation": "It is.", "metadata": {"model": "m"}, "source": "llm"}


def annotated(scores: Any, names: Any = ("n",), **more: Any) -> Any:
    listed = scores if isinstance(scores, list) else [scores]
    cells = [score if isinstance(score, str) or score is None else json.dumps(score) for score in listed]
    frame = pd.DataFrame({"span_id": [f"s{place}" for place in range(len(cells))], "n_score": cells, **more})
    before = frame.copy()
    told = to_annotation_dataframe(dataframe=frame, score_names=names)
    pd.testing.assert_frame_equal(frame, before)
    return told


@carried(
    UTILS,
    FRAMES + "output_column_structure",
    FRAMES + "score_extraction",
    FRAMES + "label_extraction",
    FRAMES + "explanation_extraction",
    FRAMES + "metadata_extraction",
    FRAMES + "annotation_name_assignment",
    FRAMES + "annotator_kind_inference",
    FRAMES + "span_id_preservation",
    FRAMES + "original_dataframe_preservation",
    FRAMES + "score_column_naming",
)
def test_scores_as_annotations() -> None:
    told = annotated(HELD)
    fields = ["span_id", "score", "label", "explanation", "metadata", "annotation_name", "annotator_kind"]
    assert list(told.columns) == fields
    assert list(told.iloc[0]) == ["s0", 0.85, "good", "It is.", {"model": "m"}, "n", "LLM"]
    directed = annotated({**HELD, "metadata": None, "direction": "minimize", "source": "heuristic"})
    assert (directed["metadata"][0], directed["annotator_kind"][0]) == ({"direction": "minimize"}, "CODE")
    assert annotated({"score": 0, "source": "human"})["annotator_kind"][0] == "HUMAN"
    assert annotated({"score": 0, "metadata": {}, "source": "unknown"})["annotator_kind"][0] == "LLM"


@carried(
    UTILS,
    FRAMES + "missing_optional_fields",
    FRAMES + "none_and_empty_score_handling",
    FRAMES + "multiple_scores_use_first_source_for_annotator_kind",
    FRAMES + "all_none_scores_default_to_llm_annotator_kind",
    FRAMES + "none_scores_and_index_reset",
    FRAMES + "large_dataframe_handling",
)
def test_rows_without_a_score_are_annotations_too() -> None:
    told = annotated([None, "", {"score": 0.5, "source": "heuristic"}, {"score": None, "source": "human"}] * 20)
    assert len(told) == 80 and list(told.index) == list(range(80)) and set(told["annotator_kind"]) == {"CODE"}
    assert told["score"].notna().sum() == 20 and told["label"].isna().all() and told["metadata"].isna().all()
    assert set(annotated([None, None])["annotator_kind"]) == {"LLM"}


@carried(
    UTILS,
    FRAMES + "span_id_column_detection",
    FRAMES + "multiple_span_id_columns_preserved",
    FRAMES + "index_span_id_handling",
    FRAMES + "mixed_span_id_sources",
)
def test_spans_are_found_by_their_names() -> None:
    told = annotated(HELD, **{"parent_span_id": ["p"], "context.span_id": ["c"], "Span_Id": ["S"]})
    assert {"span_id", "parent_span_id", "context.span_id", "Span_Id"} <= set(told.columns)
    index = pd.Index(["i"], name="span_id")
    alone = to_annotation_dataframe(pd.DataFrame({"n_score": [json.dumps(HELD)]}, index=index))
    assert list(alone["span_id"]) == ["i"]
    mixed = pd.DataFrame({"span_id": ["s"], "n_score": [json.dumps(HELD)]}, index=index)
    assert list(to_annotation_dataframe(mixed)["span_id_from_index"]) == ["i"]


@carried(
    UTILS,
    FRAMES + "missing_score_column_error",
    FRAMES + "missing_span_id_column_error",
    FRAMES + "missing_score_columns",
    FRAMES + "invalid_json_in_score_column_error",
    FRAMES + "auto_detect_with_mixed_valid_invalid_scores",
)
def test_frames_that_have_no_annotations() -> None:
    with pytest.raises(ValueError, match="no scores called 'missing'"):
        annotated(HELD, ["n", "missing"])
    with pytest.raises(ValueError, match="span_id"):
        to_annotation_dataframe(pd.DataFrame({"n_score": [None]}))
    with pytest.raises(json.JSONDecodeError):
        annotated([json.dumps(HELD), "no JSON"], None)


@carried(
    UTILS,
    FRAMES + "multiple_score_names",
    FRAMES + "auto_detect_score_columns",
    FRAMES + "auto_detect_handles_various_score_data_types",
    FRAMES + "auto_detect_vs_explicit_score_names",
    FRAMES + "auto_detect_with_partial_explicit_override",
)
def test_which_scores_become_annotations() -> None:
    more: dict[str, Any] = {"other_score": [json.dumps(HELD), 123]}
    for names, rows in ((None, 4), ([], 4), (["n"], 2), (["n", "n"], 4), (["n", "other"], 4)):
        told = annotated([HELD, HELD], names, **more)
        assert len(told) == rows and set(told["annotation_name"]) == (
            {"n"} if names and "other" not in names else {"n", "other"}
        )
    pd.testing.assert_frame_equal(
        annotated([HELD, None], None, **more), annotated([HELD, None], ["n", "other"], **more)
    )
    assert to_annotation_dataframe(pd.DataFrame({"span_id": ["s"]})).empty


OURS = pytest.mark.parametrize("evaluator", [HallucinationEvaluator, FaithfulnessEvaluator])


@carried(
    BUILT_IN,
    "TestDefaultBehavior: test_default_init_uses_builtin_prompt",
    "TestDefaultBehavior: test_default_init_sets_name",
    "TestDefaultBehavior: test_default_init_sets_direction",
)
@OURS
def test_evaluators_as_they_come(evaluator: Any) -> None:
    made = evaluator(llm=LLM("gpt-4o", "openai"))
    assert isinstance(made.prompt_template, PromptTemplate)
    assert made.prompt_template.template == evaluator.PROMPT.template
    assert (made.name, made.direction) == (evaluator.NAME, evaluator.DIRECTION)


@carried(
    BUILT_IN,
    "TestKwargsForwarding: test_kwargs_forwarded_to_super",
    "TestKwargsForwarding: test_kwargs_stored_on_evaluator",
)
@OURS
def test_parameters_of_an_evaluator(evaluator: Any) -> None:
    made = evaluator(llm=LLM("gpt-4o", "openai"), temperature=0.5, max_tokens=256)
    assert made.invocation_parameters == {"temperature": 0.5, "max_tokens": 256}


@carried(
    TEMPLATES,
    "TestTemplateFormatDetection: test_clear_mustache_detection",
    "TestTemplateFormatDetection: test_clear_fstring_detection",
    "TestTemplateFormatDetection: test_json_with_fstring_detection",
    "TestMustacheFormatter: test_render_with_simple_variables",
    "TestMustacheFormatter: test_extract_variables",
    "TestMustacheFormatter: test_extract_variables_with_whitespace",
    "TestFStringFormatter: test_render_with_simple_variables",
    "TestFStringFormatter: test_render_with_json_content",
    "TestFStringFormatter: test_render_with_complex_json",
    "TestFStringFormatter: test_extract_variables_excludes_json",
    "TestFStringFormatter: test_extract_variables_excludes_numbers_and_booleans",
    "TestTemplateFormatDetection: test_mixed_patterns_prefer_mustache",
    "TestTemplateFormatDetection: test_escaped_json_with_fstring_prefers_fstring",
    "TestTemplate: test_explicit_mustache_format",
    "TestTemplate: test_explicit_fstring_format",
    "TestTemplate: test_auto_detection_mustache",
    "TestTemplate: test_auto_detection_fstring",
    "TestTemplate: test_auto_detection_with_json_content",
    "TestTemplate: test_render_mustache_template",
    "TestTemplate: test_render_fstring_template",
    "TestTemplate: test_render_fstring_with_json",
    "TestRealWorldUseCases: test_sentiment_classification_mustache",
    "TestRealWorldUseCases: test_sentiment_classification_fstring",
    "TestRealWorldUseCases: test_complex_json_with_variables",
)
@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{output} by {context}", "right by c"),
        ("{{output}} by {{ context }}", "right by c"),
        ('{"debug": {"on": true}} {output} by {context}', '{"debug": {"on": true}} right by c'),
        ("{{output}} in {env} by {{context}}", "right in {env} by c"),
        ('{{"debug": true}} {output} by {context}', '{{"debug": true}} right by c'),
        ("{123} {true} {output} by {context} and {output}", "{123} {true} right by c and right"),
    ],
)
def test_templates(template: str, filled: str) -> None:
    made = PromptTemplate(template)
    assert made.variables == ["output", "context"]
    assert made.format(**ROW) == filled
    assert made.render(ROW) == [{"role": "user", "content": filled}]


@carried(
    TEMPLATES,
    "TestTemplateFormatDetection: test_ambiguous_cases_default_to_mustache",
    "TestTemplateFormatDetection: test_no_variables_defaults_to_mustache",
)
@pytest.mark.parametrize("text", ['Pure JSON: {{"key": "value"}}', "Plain text", "Empty: {}", "{123} {true} {456}"])
def test_templates_without_slots(text: str) -> None:
    assert PromptTemplate(text).variables == [] and PromptTemplate(text).format() == text


@carried(
    TEMPLATES,
    "TestTemplate: test_empty_template_raises_error",
    "TestTemplate: test_render_with_invalid_variables_raises_error",
)
def test_templates_that_are_none() -> None:
    with pytest.raises(HalluscopeError, match="must not be empty"):
        PromptTemplate("")
    with pytest.raises(TypeError):
        PromptTemplate("Hello {name}").render("invalid")  # type: ignore[arg-type]


@carried(TEMPLATES, "TestFStringFormatter: test_render_with_missing_variable_raises_error")
def test_a_slot_without_a_value() -> None:
    with pytest.raises(ValueError, match="context"):
        PromptTemplate("{output} by {context}").format(output="right")


different(
    TEMPLATES,
    "a slot without a value is an error in either format: a prompt with a hole in it is not sent",
    "TestMustacheFormatter: test_render_with_missing_variables",
)
different(
    TEMPLATES,
    "a prompt has no formatter to be made: its slots are read from it",
    "TestFormatterFactory: test_create_mustache_formatter",
    "TestFormatterFactory: test_create_fstring_formatter",
    "TestFormatterFactory: test_create_invalid_format_raises_error",
    "TestFormatterFactory: test_auto_detect_and_create_mustache",
    "TestFormatterFactory: test_auto_detect_and_create_fstring",
)
different(
    TEMPLATES,
    "a prompt has no schema: generate_object and an evaluator's choices have",
    "TestTemplate: test_invalid_schema_raises_error",
    "TestTemplateResult: test_template_result_structure",
)


@carried(TEMPLATES, "TestRealWorldUseCases: test_ambiguous_case_with_explicit_format")
def test_a_format_that_is_given_decides() -> None:
    text = 'Sort {{"a": true}} for {output}.'
    escaped = PromptTemplate(text, TemplateFormat.F_STRING)
    assert (escaped.variables, escaped.format(**ROW)) == (["output"], 'Sort {"a": true} for right.')
    slotted = PromptTemplate(text, "MUSTACHE")
    assert slotted.format(**{'"a": true': "this"}) == "Sort this for {output}."
    with pytest.raises(HalluscopeError, match="no template format 'jinja'"):
        PromptTemplate(text, "jinja")
