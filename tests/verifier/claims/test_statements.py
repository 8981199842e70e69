"""Headings, labels and lines of code that state something, and those that only name it."""

from __future__ import annotations

import pytest

from spanproof.verifier.claims.checkworthy import judge_check_worthiness
from spanproof.verifier.claims.sentences import find_sentences
from spanproof.verifier.claims.statements import states_something

STATING = """The seller bribed a minister
Seller bribed minister
Tenants must pay
The minister is corrupt
Fine: 4 million euros
He fled.
The drug cures cancer
The vaccine isn't safe
Rent rose by 9 %
Minister resigned in 2019
Company paid $5 bribes
The court dismissed the appeal
Profits fell
Der Mieter muss zahlen
Nobody survived
Smoking causes cancer
Tenants starved.
The bank laundered money for the cartel
All tenants left"""
NAMING = """Payment terms
Refunds in 2024
Key findings
Rights of the tenant
How invoices are paid
What is covered
Changes proposed by the tenant
Proposed changes to the contract
Risk adjusted returns
Approved invoices
1. Introduction
Step 2
Frequently asked questions
Liability for damages
May 2024
Overview of the updated policy
Who can apply
Interest on late payments
Next steps
Data stored in Frankfurt
Risks associated with the drug
Services included
Getting started
Related work
Tax deducted at source
Cases reported to the board
Answer to the question"""
STATEMENTS = """Overall, the seller bribed a minister.
Next, the tenant must pay.
He fled.
Hello, he bribed ministers.
The seller bribed a minister, let me know if you need more.
The documents do not mention Globex, but the seller bribed a minister.
I cannot find the fee; the seller fled.
Did you know that the seller bribed a minister?
The seller bribed a minister, right?
**The seller bribed a minister:**
**The seller bribed a minister**
The seller bribed a minister:
Note: the seller bribed a minister.
Thanks to the bribe, the law changed.
Here is what happened: the seller bribed a minister.
The details are false."""
STRUCTURE = """Here is a summary:
Here is a summary of the policy.
Here are the key points:
Based on the provided documents, here is the answer:
Based on the documents, here is what I found:
According to the contract:
The tenant must:
The policy covers the following:
The main points are:
Key points:
Next, the payment terms.
Let's look at the details.
See below for details.
The details are as follows:
The details are set out below.
I hope this helps!
Is there anything else?
Thank you for your question.
I'm happy to help with anything else.
To summarise:
The documents provided do not mention a fee."""


@pytest.mark.parametrize("line", STATING.splitlines())
def test_a_line_with_a_finite_verb_or_an_amount_states_something(line: str) -> None:
    assert states_something(line)
    assert judge_check_worthiness(f"# {line}", "heading").check_worthy


@pytest.mark.parametrize("line", NAMING.splitlines())
def test_a_title_only_names_something(line: str) -> None:
    assert not states_something(line)
    assert judge_check_worthiness(f"## {line}", "heading").reason == "heading"
    assert judge_check_worthiness(f"**{line}**").reason == "heading"


@pytest.mark.parametrize("line", STATEMENTS.splitlines())
def test_a_statement_is_one_whatever_stands_around_it(line: str) -> None:
    assert judge_check_worthiness(line).check_worthy


@pytest.mark.parametrize("line", STRUCTURE.splitlines())
def test_structure_asks_for_no_citation(line: str) -> None:
    assert not judge_check_worthiness(line).check_worthy


def test_prose_in_code_is_listed_and_code_is_not() -> None:
    code = """```python
import os
# The seller bribed a minister.
from os import path
for item in items:
    print("The tenant fled the flat")  # loop over the items
x = arr[1]
return value
SELECT name FROM users WHERE id = 1;
The tenant must pay [1].
git commit -m "fix the thing"
{"finding": "The court dismissed it"}
```"""
    found = [code[s.span.start : s.span.end] for s in find_sentences(code) if s.kind == "code"]
    assert found == [
        "The seller bribed a minister.",
        "The tenant fled the flat",
        "The tenant must pay [1].",
        "The court dismissed it",
    ]
