"""Sentences that a premise says in another form: each true claim has a near falsehood beside it."""

from __future__ import annotations

import pytest

from spanproof.verifier.support.agreed import says_whole
from spanproof.verifier.support.premise import Premise
from tests.verifier.readings.forms import check, says

_RIVERS = "The Oder, the Elbe and the Weser are 866, 1,094 and 452 kilometres long, respectively."
_CUSTOMS = """The following items must be declared at customs:

- plants and seeds
- cash above 10,000 euros
- weapons of any kind"""
_WARRANTY = "The warranty does not cover: (a) damage by water; (b) normal wear; and (c) theft."
_VISITORS = """Visitors must not:
- feed the animals,
- climb over fences, or
- use drones."""
_IDENTITY = """To register you need one of the following:
- a passport
- a driving licence"""
_WELLS = "The pumps P1, P2 and P3 deliver 40, 55 and 70 litres per minute, respectively."
_FARES = "Adults, students and children pay 12, 9 and 5 euros respectively."
_SALES = "Revenue rose from 40 million dollars in 2022 to 50 million dollars in 2023."
_MARKS = "Judge Helen Marsh heard the case in June. She dismissed both claims."
_TWO = "Ruth Obi met Anna Falk in March. She resigned in May."
_FIRM = "Vega Foods plc sold its dairy business in May. The company used the money to repay debt."
_BRIDGE = "The Halden bridge was opened in 1936. It was closed to lorries in 2004."
_PAINTING = "The museum bought a painting. It was restored in 1998."


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (_RIVERS, "The Elbe is 1,094 kilometres long.", "The Elbe is 866 kilometres long."),
        (
            _WELLS,
            "Pump P3 delivers 70 litres per minute.",
            "Pump P3 delivers 55 litres per minute.",
        ),
        (_FARES, "Students pay 9 euros.", "Students pay 5 euros."),
        (
            _CUSTOMS,
            "Cash above 10,000 euros must be declared at customs.",
            "Cash below 10,000 euros must be declared at customs.",
        ),
        (
            _WARRANTY,
            "Normal wear is not covered by the warranty.",
            "Normal wear is covered by the warranty.",
        ),
        (_VISITORS, "Visitors must not use drones.", "Visitors may use drones."),
        (
            "No smoking is allowed in the building.",
            "Smoking is prohibited in the building.",
            "Smoking is allowed in the building.",
        ),
        (
            "The museum is open from 10 am to 6 pm, except on Mondays.",
            "The museum is closed on Mondays.",
            "The museum is closed on Sundays.",
        ),
        (
            _SALES,
            "Revenue increased by 25 % between 2022 and 2023.",
            "Revenue increased by 50 % between 2022 and 2023.",
        ),
        (
            "Copper, nickel and cobalt are mined in the district.",
            "Nickel is mined in the district.",
            "Zinc is mined in the district.",
        ),
        (_MARKS, "Helen Marsh dismissed both claims.", "Helen Marsh upheld both claims."),
        (
            _FIRM,
            "Vega Foods used the money to repay debt.",
            "Vega Foods used the money to buy debt.",
        ),
        (
            _BRIDGE,
            "The Halden bridge was closed to lorries in 2004.",
            "The Halden bridge was closed to lorries in 1936.",
        ),
        (
            "The minister, Anna Berg, presented the budget on Monday.",
            "Anna Berg presented the budget on Monday.",
            "Anna Berg rejected the budget on Monday.",
        ),
        (
            "Alpine Foods acquired the dairy in 2018 for 45 million francs.",
            "The dairy was acquired by Alpine Foods in 2018.",
            "Alpine Foods was acquired by the dairy in 2018.",
        ),
        (
            "Net debt fell from 1.4 billion to 1.1 billion dollars.",
            "Net debt fell to 1.1 billion dollars.",
            "Net debt fell to 1.4 billion dollars.",
        ),
        (
            "The policy covers hail, fire and storm.",
            "Storm damage is covered by the policy.",
            "Water damage is covered by the policy.",
        ),
        (
            "The spray is not recommended for children under six.",
            "Children under six should not use the spray.",
            "Children should not use the spray.",
        ),
        (
            "The drug is not recommended during pregnancy.",
            "Pregnant women should not take the drug.",
            "Women should not take the drug.",
        ),
        (
            "Half of the members voted against the proposal.",
            "50 % of the members voted against the proposal.",
            "15 % of the members voted against the proposal.",
        ),
        (
            "20 % of the shares are held by employees.",
            "One fifth of the shares are held by employees.",
            "One quarter of the shares are held by employees.",
        ),
        (
            "The meeting starts at 2:30 pm on Tuesdays.",
            "The meeting starts at 14:30 on Tuesdays.",
            "The meeting starts at 12:30 on Tuesdays.",
        ),
        (
            "The reservoir covers 250 hectares.",
            "The reservoir covers 2.5 square kilometres.",
            "The reservoir covers 25 square kilometres.",
        ),
        (
            "Replace the shaft seal every 4,000 operating hours or every two years.",
            "The shaft seal must be replaced every 4,000 operating hours or every two years.",
            "The shaft seal must be replaced every 400 operating hours or every two years.",
        ),
        (
            "Keep the tablets below 25 °C in the original carton.",
            "The tablets should be kept below 25 °C in the original carton.",
            "The tablets should be kept above 25 °C in the original carton.",
        ),
        (
            "Do not open the case while the motor runs.",
            "The case must not be opened while the motor runs.",
            "The case must not be opened.",
        ),
        (
            "Nordhaven Freight shall deliver the goods to Lumen Foods by 30 June.",
            "The goods must be delivered to Lumen Foods by Nordhaven Freight by 30 June.",
            "The goods must be delivered to Nordhaven Freight by Lumen Foods by 30 June.",
        ),
        (
            "A cohort study followed 18,240 nurses for eleven years.",
            "The study followed 18,240 nurses for eleven years.",
            "The study followed 18,420 nurses for eleven years.",
        ),
        (
            "Inflation stood at 3.1 per cent in March, compared with 3.6 per cent in February.",
            "Inflation fell from 3.6 % in February to 3.1 % in March.",
            "Inflation fell from 3.1 % in February to 3.6 % in March.",
        ),
        (
            "Corvane reported sales of EUR 482 million for 2022, up from EUR 451 million in 2021.",
            "Corvane's sales rose from EUR 451 million in 2021 to EUR 482 million in 2022.",
            "Corvane's sales fell from EUR 451 million in 2021 to EUR 482 million in 2022.",
        ),
        (
            "The tank holds 1\u00a0250\u00a0litres of diesel.",
            "The tank holds 1,250 litres of diesel.",
            "The tank holds 250 litres of diesel.",
        ),
        (
            "Adults aged 65 or older take one tablet twice a day.",
            "Adults aged 65 or over take one tablet twice daily.",
            "Adults aged 56 or over take one tablet twice daily.",
        ),
        (
            "On hearing the alarm, leave the building by the nearest exit.",
            "On hearing the alarm, you must leave the building by the nearest exit.",
            "On hearing the alarm, you must not leave the building by the nearest exit.",
        ),
        (
            "Do not immerse the motor base in water.",
            "The motor base must not be immersed in water.",
            "The motor base must be immersed in water.",
        ),
        (
            "Do not take the syrup if you are pregnant.",
            "People who are pregnant should not take the syrup.",
            "People who are not pregnant should not take the syrup.",
        ),
        (
            "The firm shall (a) keep records, (b) submit a report each year, and (c) pay a fee.",
            "The firm shall submit a report each year.",
            "The firm shall pay a report each year.",
        ),
        (
            "Ruth Obi joined Vega in 2009. She was appointed treasurer in 2017.",
            "Ruth Obi was appointed treasurer in 2017.",
            "Ruth Obi was appointed treasurer in 2009.",
        ),
        (
            "Line managers review the rota every Friday. They may reject late requests.",
            "Line managers may reject late requests.",
            "Line managers may reject the rota every Friday.",
        ),
        (
            "The guarantee covers parts and labour. It does not cover damage by water.",
            "The guarantee does not cover damage by water.",
            "The guarantee does not cover parts and labour.",
        ),
        (
            "The tank holds 1,500 litres of fuel.",
            "The tank holds 1.5 cubic metres of fuel.",
            "The tank holds 15 cubic metres of fuel.",
        ),
    ],
)
def test_another_form_says_the_claim_and_not_what_is_near_to_it(
    premise: str, claim: str, falsehood: str
) -> None:
    check(premise, claim, falsehood)


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        (_IDENTITY, "To register you need a passport."),
        (_TWO, "Ruth Obi resigned in May."),
        (_PAINTING, "The museum was restored in 1998."),
        (f"If the plan passes, {_FARES}", "Students pay 9 euros."),
        (f"The leaflet said: “{_FARES}”", "Students pay 9 euros."),
        ("Copper, tin and zinc are mixed in the furnace.", "Tin is mixed in the furnace."),
        ("The rate rose from 3 per cent to 5 per cent.", "The rate rose by 66.6667 %."),
        ("The former minister, Anna Berg, left in May.", "The minister left in May."),
        ("The policy covers hail and storm up to 500 euros.", "Storm is covered by the policy."),
        ("If it leaks, replace the seal.", "The seal must be replaced."),
        ("If the lamp is red, press the button.", "You must press the button."),
        ("Drivers report managers every day. They may refuse work.", "Managers may refuse work."),
        ("The shop sells a lamp. It does not break.", "The shop does not break."),
        (
            "A failed study followed 900 nurses for a year.",
            "The study followed 900 nurses for a year.",
        ),
        ("A survey covers 900 nurses in Bonn.", "The nurses cover a survey in Bonn."),
        (
            "Costs were 5 million euros in 2022, up from 6 million euros in 2021.",
            "Costs rose from 6 million euros in 2021 to 5 million euros in 2022.",
        ),
        ("Alpha said Beta bought the dairy in 2018.", "The dairy was bought by Alpha in 2018."),
        ("It is not true that no smoking is allowed here.", "Smoking is prohibited here."),
    ],
)
def test_what_a_form_does_not_say_of_each_is_not_written_out(premise: str, claim: str) -> None:
    assert not says(premise, claim)


@pytest.mark.parametrize(
    ("premise", "claim", "expected"),
    [
        ("Costs fell. Profit did not rise.", "Profit did not rise.", True),
        ("The lease began on 1 October 2020.", "The lease began on October 1, 2020.", True),
        ("The museum is open daily except on Mondays.", "The museum is closed on Mondays.", True),
        ("The CEO resigned on Monday.", "The chief executive resigned on Monday.", False),
        ("Costs fell. Profit did not rise.", "Profit did rise.", False),
        ("Dr Quist was dean of the old faculty.", "Dr Quist is dean of the old faculty.", False),
        ("The pact entered into force in May.", "The pact enters into force in May.", False),
        ("The plan failed in May and in June.", "The plan failed in May.", False),
        (f"{_FARES} The museum is small.", "Students pay 9 euros.", False),
    ],
)
def test_a_whole_sentence_in_its_own_words_is_said_whatever_a_model_thinks(
    premise: str, claim: str, *, expected: bool
) -> None:
    assert says_whole(claim, Premise.of(premise, start=0)) is expected
