"""The five formats, each by the rules of who reads it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from cli.render.findings.github import SHOWN, workflow_commands
from cli.render.findings.json import report_document as json_document
from cli.render.findings.junit import report_xml
from cli.render.findings.sarif import report_document as sarif_document
from cli.render.styled import plain
from cli.render.text.findings import finding_lines, report_lines
from planner.job import Location
from planner.lint.engine import Report
from planner.lint.finding import Finding
from tests.support.project import Project
from tests.support.sarif_schema import standard_schema

JOB = """name: "odd <name> & \\u0001"
operators:
  - {id: "50%, a:b", type: source}
  - {id: m, type: map, input: {from: "50%, a:b", partition: rebalance}}
  - {id: out, type: print, input: m}
"""


@pytest.fixture
def report(project: Project) -> Report:
    (project.folder / ".git").mkdir()
    project.write("jobs of mine/job.yaml", JOB)
    project.write("jobs of mine/bad.yaml", "operators: 1\n")
    project.write("fine.yaml", "operators: [{id: s, type: source, uid: s}, {id: p, type: print, input: s}]")
    return project.lint("jobs of mine/job.yaml", "jobs of mine/bad.yaml", "fine.yaml")


def test_text_shows_the_line_and_a_caret_under_it(report: Report) -> None:
    text = plain(report_lines(report))
    shown = text[text.index("PL102") :].splitlines()
    assert shown[0].startswith("PL102 needless-rebalance warning")
    assert shown[2] == '  4 |   - {id: m, type: map, input: {from: "50%, a:b", partition: rebalance}}'
    caret = shown[3].index("^")
    assert shown[2][caret:].startswith('{from: "50%, a:b"')
    assert text.endswith("1 error, 2 warnings in 3 files\n")


def test_a_jar_has_no_lines_to_show(tmp_path: Path) -> None:
    jar = tmp_path / "job.jar"
    jar.write_bytes(b"PK\x03\x04 lines of no text\n")
    finding = Finding(code="PL999", slug="s", severity="warning", message="m", fix="f", location=Location(str(jar), 1))
    assert plain(finding_lines(finding)).splitlines() == [f"{jar}: PL999 s warning", "  m", "  fix: f"]


@pytest.mark.parametrize(("column", "shown"), [(5, "    abc0 abc1"), (605, " ...")])
def test_of_a_long_line_only_the_part_that_matters_is_shown(column: int, shown: str, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("    " + " ".join(f"abc{number}" for number in range(300)), encoding="utf-8")
    place = Location(str(file), 1, column)
    finding = Finding(code="PL999", slug="long", severity="warning", message="m", fix=None, location=place)
    *_, source, carets = plain(finding_lines(finding)).splitlines()
    assert source.startswith(f"  1 | {shown}") and source.endswith(" ...")
    assert max(len(source), len(carets)) <= 82
    assert source[carets.index("^")] == file.read_text(encoding="utf-8")[column - 1]


def test_text_says_nothing_where_there_is_nothing_to_say(project: Project) -> None:
    project.write("fine.yaml", "operators: [{id: s, type: source, uid: s}, {id: p, type: print, input: s}]")
    assert report_lines(project.lint("fine.yaml")) == []


def test_json_names_files_relative_to_the_repository(report: Report) -> None:
    document = json_document(report)
    assert {finding["file"] for finding in document["findings"]} == {"jobs of mine/job.yaml", "jobs of mine/bad.yaml"}
    assert document["summary"] == {
        "files": 3,
        "jobs": 2,
        "findings": 3,
        "errors": 1,
        "warnings": 2,
        "notes": 0,
        "ignored": 0,
    }
    json.dumps(document)


def test_sarif_is_valid(report: Report) -> None:
    schema = json.loads((Path(__file__).parents[2] / "support/sarif_subset.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(sarif_document(report), schema, format_checker=jsonschema.FormatChecker())


def test_sarif_is_valid_by_the_standards_own_schema(report: Report) -> None:
    schema = json.loads(standard_schema().read_text(encoding="utf-8-sig"))
    jsonschema.validate(sarif_document(report), schema, format_checker=jsonschema.FormatChecker())


def test_sarif_rules_and_results_agree(report: Report) -> None:
    run = sarif_document(report)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.startswith("jobs%20of%20mine/")


def fingerprints(project: Project, file: str) -> list[str]:
    found = sarif_document(project.lint(file))["runs"][0]["results"]
    return sorted(next(iter(result["partialFingerprints"].values())) for result in found)


def test_fingerprints_are_stable_under_edits_elsewhere_and_differ_from_each_other(project: Project) -> None:
    project.write("job.yaml", JOB)
    before = fingerprints(project, "job.yaml")
    assert len(set(before)) == len(before) == 2
    project.write("job.yaml", JOB.replace("operators:", "# a comment\n\n\noperators:").replace("id: m", "id:  m"))
    assert fingerprints(project, "job.yaml") == before
    more = "  - {id: new, type: filter, name: new, input: m}\n  - {id: end, type: print, name: end, input: new}\n"
    project.write("job.yaml", JOB + more)
    assert fingerprints(project, "job.yaml") == before


def many(count: int) -> list[Finding]:
    return [
        Finding(
            code="PL101",
            slug="stateful-without-uid",
            severity="error" if number == count - 1 else "warning",
            message=f"100% sure,\nnumber {number}",
            location=Location("a,b:c.py", number + 1),
            subject=str(number),
        )
        for number in range(count)
    ]


def test_github_annotations_put_errors_first_and_say_what_is_dropped() -> None:
    lines = workflow_commands(many(SHOWN + 3)).splitlines()
    assert lines[0].startswith("::error ")
    assert all(line.startswith("::warning ") for line in lines[1:SHOWN])
    assert lines[SHOWN] == "GitHub shows 10 annotations per step; 3 more findings are not annotated:"
    assert not any(line.startswith("::") for line in lines[SHOWN:])
    assert [line for line in lines[SHOWN:] if "PL101" in line and "a,b:c.py:12" in line]


def test_no_finding_can_give_github_a_command() -> None:
    """GitHub reads a command where a line begins with `::` after blanks, or has `##[` anywhere."""
    evil = "x\n::stop-commands::token\r::error::y\n##[error]z"
    findings = [replace(one, message=evil, location=Location("::debug::a\n::error::b.py", 1)) for one in many(30)]
    lines = workflow_commands(findings).splitlines()
    assert len(lines) == SHOWN + 1 + 20
    assert all(re.match(r"::(warning|error) file=", line) for line in lines[:SHOWN])
    assert not [line for line in lines[SHOWN:] if line.lstrip().startswith("::") or "##[" in line]


def test_github_annotations_escape_what_has_a_meaning() -> None:
    (line,) = workflow_commands(many(1)).splitlines()
    assert re.fullmatch(
        r"::error file=[^,:]*a%2Cb%3Ac\.py,line=1,title=PL101 stateful-without-uid::100%25 sure,%0Anumber 0", line
    )


def test_junit_is_xml_with_a_case_for_every_finding_and_every_clean_file(report: Report) -> None:
    root = ElementTree.fromstring(report_xml(report))
    assert root.tag == "testsuites"
    assert root.get("failures") == "3"
    assert int(root.get("tests", "0")) == len(list(root.iter("testcase"))) == 4
    passed = [case for case in root.iter("testcase") if case.find("failure") is None]
    assert [case.get("classname") for case in passed] == ["fine.yaml"]
    for suite in root:
        assert int(suite.get("failures", "-1")) == len(list(suite.iter("failure")))
