"""Phoenix's tests of scores, mappings, templates, evaluators and frames."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from halluscope._internal.errors import JudgeError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.phoenix import (
    LLM,
    FaithfulnessEvaluator,
    HallucinationEvaluator,
    PromptTemplate,
    Score,
    async_evaluate_dataframe,
    bind_evaluator,
    evaluate_dataframe,
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


different(
    EVALUATORS,
    "the document says `source`; `kind`, today's name for it, can be read",
    "TestDeprecatedSourceAndHeuristic (all)",
)
different(
    EVALUATORS,
    "the façade has the documented evaluators, and no base classes or factories for others",
    "TestToThread (all)",
    "TestEvaluator: test_evaluator_initialization",
    "TestEvaluator: test_evaluator_required_fields_inferred",
    "TestLLMEvaluator (all)",
    "TestClassificationEvaluator (all)",
    "TestCreateEvaluatorAsync (all)",
    "TestCreateEvaluatorDecorator (all)",
    "TestFactoryFunctions (all)",
    "TestIntrospectionAndSchema (all)",
    "TestEvaluatorRequiredFieldsAndBinding: test_required_fields_from_mapping_when_no_schema",
)


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


@carried(UTILS, *(f"TestRemapEvalInput, TestExtractWithJsonPath: {name}" for name in PLACES))
@carried(
    UTILS,
    "TestRemapEvalInput: test_optional_fields_pass_through_when_present",
    "TestRemapEvalInput: test_optional_fields_can_be_mapped",
    "TestRemapEvalInput: test_optional_mapped_field_missing_is_ignored",
)
@pytest.mark.parametrize(("row", "source"), PLACES.values(), ids=PLACES)
def test_where_inputs_are_found(row: dict[str, Any], source: Any) -> None:
    mapping = {"output": source, "something else": "missing.path"}
    (score,) = HallucinationEvaluator(judge()).evaluate({"input": "q", "context": "c", "extra": 1, **row}, mapping)
    assert score.explanation == "It says: right"


@carried(
    UTILS,
    "TestRemapEvalInput: index_out_of_range, missing_key",
    "TestRemapEvalInput: malformed_syntax_raises_jsonpath_error, invalid_syntax_raises_value_error",
    "TestExtractWithJsonPath: test_extract_with_path_errors",
)
@pytest.mark.parametrize("path", ["items[1]", "root.missing", "items[", "items[abc]", "[invalid"])
def test_paths_that_lead_nowhere(path: str) -> None:
    with pytest.raises(ValueError, match=r"path"):
        HallucinationEvaluator(judge()).evaluate({"input": "q", "context": "c", "items": ["right"]}, {"output": path})


different(
    UTILS,
    "what is wrong with what the caller hands in is always an InputError, which is a ValueError",
    "TestRemapEvalInput: invalid_mapping_type_raises_type_error",
)
different(
    UTILS,
    "an input is one text or a list of passages: a path names one place",
    "TestExtractWithJsonPath: Match all nested values",
)
different(UTILS, "annotations for Phoenix's own server are not made here", "TestFormatAsAnnotationDataframe (all)")

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


different(
    BUILT_IN,
    "the façade has the documented evaluators; today's HallucinationEvaluator takes no context, the documented one "
    "does",
    "the same for the ten other evaluators",
)


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
    "TestTemplate: test_auto_detection_with_json_content",
)
@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{output} by {context}", "right by c"),
        ("{{output}} by {{ context }}", "right by c"),
        ('{"debug": {"on": true}} {output} by {context}', '{"debug": {"on": true}} right by c'),
        ("{123} {true} {output} by {context} and {output}", "{123} {true} right by c and right"),
    ],
)
def test_templates(template: str, filled: str) -> None:
    made = PromptTemplate(template)
    assert made.variables == ["output", "context"]
    assert made.format(**ROW) == filled


@carried(TEMPLATES, "TestFStringFormatter: test_render_with_missing_variable_raises_error")
def test_a_slot_without_a_value() -> None:
    with pytest.raises(ValueError, match="context"):
        PromptTemplate("{output} by {context}").format(output="right")


different(
    TEMPLATES,
    "slots are the evaluator's inputs, in one pair of braces or two: no format has to be named or told apart",
    "TestTemplateFormatDetection (others)",
    "TestMustacheFormatter: test_render_with_missing_variables",
    "TestFormatterFactory (all)",
    "TestTemplate (others)",
    "TestTemplateResult (all)",
    "TestRealWorldUseCases (all)",
)
