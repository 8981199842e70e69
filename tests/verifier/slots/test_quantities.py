from __future__ import annotations

import pytest

from spanproof.verifier.slots import compare_slots, doubt_slots


def kinds(claim: str, premise: str) -> set[str]:
    """The kinds of every veto and likely doubt."""
    vetoes = compare_slots(claim, premise, premise_start=0)
    doubts = doubt_slots(claim, premise, premise_start=0, level="likely")
    return {found.kind.removeprefix("unconfirmed_") for found in (*vetoes, *doubts)}


@pytest.mark.parametrize(
    ("claim", "premise", "kind"),
    [
        ("The battery stores 10 kW.", "The battery stores 10 kWh.", "unit"),
        ("The laser has 5 MW of power.", "The laser has 5 mW of power.", "unit"),
        ("The link carries 40 GB per second.", "The link carries 40 Gb per second.", "unit"),
        ("The disc holds 25 Gb.", "The disc holds 25 GB.", "unit"),
        ("The clock runs at 3 MHz.", "The clock runs at 3 GHz.", "unit"),
        ("The dose is 50 mg.", "The dose is 50 mcg.", "unit"),
        ("It was 20 °F outside at noon.", "It was 20 °C outside at noon.", "unit"),
        ("Turnout fell by 4 percent.", "Turnout fell by 4 percentage points.", "unit"),
        ("Turnout fell by 4 percentage points.", "Turnout fell by 4 %.", "unit"),
        ("The fee is £15 a week.", "The fee is £15 a month.", "unit"),
        ("Guests pay 30 euros per day.", "Guests pay 30 euros per week.", "unit"),
        ("The pump moves 40 litres an hour.", "The pump moves 40 litres a minute.", "unit"),
        ("She earns $900 monthly.", "She earns $900 weekly.", "unit"),
        ("Output tripled in March.", "Output doubled in March.", "number"),
        ("Output halved in March.", "Output doubled in March.", "number"),
        ("Costs rose fourfold in a decade.", "Costs rose threefold in a decade.", "number"),
        ("Three quarters of members voted.", "A quarter of members voted.", "number"),
        ("One third of the staff left.", "Two thirds of the staff left.", "number"),
        ("The shop opens at 8 pm.", "The shop opens at 8 am.", "number"),
        ("The train leaves at 6:15.", "The train leaves at 16:15.", "number"),
        ("The bar closes at noon.", "The bar closes at midnight.", "number"),
        ("The fine is 500 euros.", "The fine is up to 500 euros.", "number"),
        ("The trip takes 8 hours.", "The trip takes less than 8 hours.", "number"),
        ("60 guests came.", "Between 40 and 60 guests came.", "number"),
        ("The sentence is 5 years.", "The sentence is 2 to 5 years.", "number"),
        ("Over 300 people signed.", "300 people signed.", "number"),
        ("Fewer than 12 jurors agreed.", "12 jurors agreed.", "number"),
        ("The tank holds 1.5 litres.", "The tank holds 1.500 litres.", "number"),
        ("The tank holds 1,500 litres.", "The tank holds 1.500 litres.", "number"),
        ("The tank holds 2.500 litres.", "The tank holds 2,500 litres.", "number"),
        ("The fee is 4 € per day.", "The fee is 4 euros.", "unit"),
        ("The share is 5 ‰.", "The share is 5 %.", "unit"),
        ("It was due on 3 April 2024.", "It was due on 03/04/2024.", "date"),
        ("It was due on 4 March 2024.", "It was due on 03/04/2024.", "date"),
        ("It was due on 03/04/2024.", "It was due on 3 April 2024.", "date"),
        ("It was due on 04/03/2024.", "It was due on 03/04/2024.", "date"),
        ("It was due on 4 March 2024.", "It was due on 2024-04-03.", "date"),
        ("It was due on 4 March 2024.", "It was due on 03.04.2024.", "date"),
        ("It was due on 12 May 2024.", "It was due on 05/13/2024.", "date"),
    ],
)
def test_what_a_unit_a_bound_or_a_date_does_not_say(claim: str, premise: str, kind: str) -> None:
    assert kind in kinds(claim, premise)


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("The battery stores 10 kilowatt-hours.", "The battery stores 10 kilowatt-hours."),
        ("The plant has 5 megawatts.", "The plant has 5 MW."),
        ("The disc holds 25 gigabytes.", "The disc holds 25 GB."),
        ("The disc holds 25 GB.", "The disc holds 25 gb."),
        ("The dose is 50 micrograms.", "The dose is 50 mcg."),
        ("The rate rose by 50 basis points.", "The rate rose by 0.5 percentage points."),
        ("The rate rose by 2 percentage points.", "The rate rose by 2 percentage points."),
        ("The plan costs $20 per user.", "The plan costs $20 per user and month."),
        ("The fee is £15 a year.", "The annual fee is £15."),
        ("Output doubled in March.", "Output doubled in March and tripled in June."),
        ("A quarter of members voted.", "A quarter of members voted, a third abstained."),
        ("The shop opens at 8 am.", "The shop opens at 8:00 a.m."),
        ("The shop closes at 5 pm.", "The shop closes at 17:00."),
        ("Sales rose to 20 million euros.", "Sales rose from 10 to 20 million euros."),
        ("Between 40 and 60 guests came.", "Between 40 and 60 guests came."),
        ("Up to 5 users may log in.", "Up to 5 users may log in."),
        ("About 400 people work there.", "412 people work there."),
        ("More than 400 people work there.", "412 people work there."),
        ("At least 12 jurors agreed.", "12 jurors agreed."),
        ("No more than 20 guests are allowed.", "No more than 20 guests are allowed."),
        ("It was due on 3 April 2024.", "It was due on 2024-04-03."),
        ("It was due on 13 May 2024.", "It was due on 05/13/2024."),
        ("It was due on 03/04/2024.", "It was due on 03/04/2024."),
        ("The tank holds 1.500 litres.", "The tank holds 1.500 litres."),
        ("It weighs 1.25 kg.", "It weighs 1.250 kg and costs 9.99 euros."),
        ("She earns 20,000 euros per year.", "Her annual salary is 20,000 euros."),
        ("It was due in 2024.", "It was due on 03/04/2024."),
    ],
)
def test_what_says_the_same_amount(claim: str, premise: str) -> None:
    assert kinds(claim, premise) == set()


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Alpha paid 500 euros.", "Alpha paid 300 euros and Beta paid 500 euros."),
        ("Alpha paid 500 euros.", "Alpha paid 300 euros. Beta paid 500 euros."),
        ("Alpha paid 500 euros.", "Alpha paid 300 euros and Beta 500 euros."),
        ("Alpha paid 500 euros in March.", "Alpha paid 300 euros in March and 500 euros in June."),
        ("Women earned 22 dollars an hour.", "Men earned 22 dollars an hour, women 18 dollars."),
        (
            "The north plant employs 120 people.",
            "The north plant employs 80 people, while the south plant employs 120 people.",
        ),
        (
            "In 2019 sales were 5 million euros.",
            "Sales were 5 million euros in 2018 and 7 million euros in 2019.",
        ),
        (
            "The placebo group lost 4 kg.",
            "The drug group lost 4 kg and the placebo group lost 1 kg.",
        ),
        (
            "The seller pays 40 percent of the costs.",
            "The buyer pays 40 percent of the costs and the seller 60 percent.",
        ),
        ("Costs fell to 20 percent.", "Sales rose to 20 percent and costs fell to 5 percent."),
        (
            "Revenue in 2023 was 12 million.",
            "Revenue was 12 million in 2022 and 15 million in 2023.",
        ),
        ("The tenant pays 70 percent.", "The landlord pays 70 percent, the tenant 30 percent."),
        ("Adults receive 5 mg.", "Children receive 5 mg and adults receive 10 mg."),
        (
            "Hamburg has 3.7 million people.",
            "Berlin has 3.7 million people, Hamburg 1.9 million people.",
        ),
        (
            "Women earned 25 dollars an hour.",
            "Men and women earned 25 and 22 dollars an hour, respectively.",
        ),
        ("Beta paid 300 euros.", "Alpha and Beta paid 300 and 500 euros respectively."),
    ],
)
def test_the_amount_of_another_never_passes(claim: str, premise: str) -> None:
    assert "number" in kinds(claim, premise)


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Beta paid 500 euros.", "Alpha paid 300 euros and Beta paid 500 euros."),
        ("Alpha paid 300 euros.", "Alpha paid 300 euros and Beta paid 500 euros."),
        ("Alpha paid 500 euros.", "Alpha paid 300 euros in May and 500 euros in June."),
        ("Alpha received 500 euros.", "Alpha paid 300 euros and received 500 euros."),
        ("Men earned 22 dollars an hour.", "Men earned 22 dollars an hour, women 18 dollars."),
        ("The drug group lost 4 kg.", "The drug group lost 4 kg and the placebo group lost 1 kg."),
        (
            "Sales rose from 10 to 20 percent.",
            "Sales rose from 10 to 20 percent and costs fell to 5 percent.",
        ),
        (
            "Revenue in 2023 was 15 million.",
            "Revenue was 12 million in 2022 and 15 million in 2023.",
        ),
        (
            "Sales in 2022 were 12 million euros and in 2023 15 million euros.",
            "Sales were 12 million euros in 2022 and 15 million euros in 2023.",
        ),
        ("The landlord pays 70 percent.", "The landlord pays 70 percent, the tenant 30 percent."),
        ("The tenant pays 30 percent.", "The landlord pays 70 percent, the tenant 30 percent."),
        (
            "The firm has 40 branches and 900 employees.",
            "The firm has 40 branches and 900 employees.",
        ),
        (
            "It sold 20 cars in May and 30 cars in June.",
            "It sold 20 cars in May and 30 cars in June.",
        ),
        ("The team won 5 games.", "The team won 5 games and lost 3 games."),
        (
            "Berlin has 3.7 million people.",
            "Berlin has 3.7 million people, Hamburg 1.9 million people.",
        ),
        (
            "Hamburg has 1.9 million people.",
            "Berlin has 3.7 million people, Hamburg 1.9 million people.",
        ),
        (
            "Norway, which has 5 million people, exports fish.",
            "Norway has 5 million people and Sweden 10 million people; Norway exports fish.",
        ),
        (
            "Women earned 22 dollars an hour.",
            "Men and women earned 25 and 22 dollars an hour, respectively.",
        ),
        (
            "Men earned 25 dollars an hour.",
            "Men and women earned 25 and 22 dollars an hour, respectively.",
        ),
        (
            "Alpha and Beta paid 300 and 500 euros respectively.",
            "Alpha and Beta paid 300 and 500 euros respectively.",
        ),
    ],
)
def test_an_amount_stays_with_its_owner(claim: str, premise: str) -> None:
    assert kinds(claim, premise) == set()
