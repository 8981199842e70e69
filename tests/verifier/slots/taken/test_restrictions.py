"""What a claim leaves out that says of which things, when, or of how many its source speaks."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # Which ones of a kind.
        ("The insurance covers damage.", "The insurance covers damage caused by fire."),
        ("Fees are waived for members.", "Fees are waived for members who joined before 2020."),
        ("The law applies to firms.", "The law applies to firms with more than 50 employees."),
        ("The vaccine prevented infection.", "The vaccine prevented infection in mice."),
        ("The method detects cracks.", "The method detects cracks deeper than 2 mm."),
        ("The rule concerns imports.", "The rule concerns imports from Peru."),
        ("The drug is safe.", "The drug is safe in adults."),
        ("The states rejected the plan.", "The southern states rejected the plan."),
        ("Tests of the engine were good.", "Early tests of the engine were good."),
        ("The test of the engine was good.", "The test of the second engine was good."),
        # When and where it is so.
        ("The park closes at sunset.", "The park closes at sunset from May to August."),
        ("The bank charges a fee.", "The bank charges a fee when the account is overdrawn."),
        ("The tenant may sublet the flat.", "With her consent, the tenant may sublet the flat."),
        ("The rate of tax is 19 %.", "In Germany, the rate of tax is 19 %."),
        ("The drug reduced pain in May.", "In mice, the drug reduced pain in May."),
        ("The case must not be opened.", "The case must not be opened while the motor runs."),
        ("Trains run every 10 minutes.", "Trains run every 10 minutes on weekdays."),
        (
            "The offer is valid until 30 June.",
            "The offer is valid until 30 June for new customers.",
        ),
        ("Alpha holds 60 % of Beta.", "After the merger, Alpha will hold 60 % of Beta."),
        ("The app costs 5 euros.", "The app costs 5 euros a month."),
        ("The room has a view of the sea.", "The room has a view of the sea on clear days."),
        ("It was 95 % effective.", "It was 95 % effective against severe disease."),
        ("The rent rises by 2 %.", "The rent rises by 2 % every two years."),
        ("The landlord keeps the deposit.", "The landlord keeps the deposit until May."),
        ("The average rent rose by 2 %.", "Myth: the average rent rose by 2 %."),
        ("Visitors may feed the goats.", "Visitors may feed the goats under supervision."),
        ("The insurer paid for the damage.", "The insurer paid for the damage to the hull."),
        ("The orchestra played in Vienna.", "The orchestra was to play in Vienna but cancelled."),
        ("Alcohol is permitted.", "Alcohol is permitted in the garden area."),
        ("Entry is charged at the gate.", "Entry is charged at the gate when the pool is open."),
        ("Cyclists must use the path.", "Cyclists must use the path where there is one."),
        ("The bus runs every 20 minutes.", "The bus runs every 20 minutes during the day."),
        ("A fee is charged for withdrawals.", "A fee is charged for withdrawals abroad."),
        ("The test detects infections.", "The test detects infections in 85 % of cases."),
        ("The rate is fixed at 2.1 %.", "The rate is fixed at 2.1 % for the first ten years."),
        ("The bank will approve the loan.", "The bank will, as a rule, approve the loan."),
        (
            "It holds 60 % of the market for pumps.",
            "It holds 60 % of the market for pumps in Spain.",
        ),
        ("Antibiotics cure the common cold.", "Myth: Antibiotics cure the common cold."),
        # What is or was.
        ("The treaty entered into force.", "The treaty enters into force once it is ratified."),
        ("The fund invests in coal mines.", "Until 2015 the fund invested in coal mines."),
        ("The fund pays a fixed rate.", "The fund paid a fixed rate."),
        # One of two like things.
        (
            "The hospital treats adults only.",
            "The clinic treats adults only; children are referred to the hospital.",
        ),
        # Which one of several, and which measure.
        ("The trial enrolled 450 patients.", "The second trial enrolled 450 patients."),
        ("The rent rose by 2 %.", "The average rent rose by 2 %."),
        # How many.
        ("All exports go to China.", "Half of all exports go to China."),
        ("Bergen is the largest city.", "Bergen is one of the largest cities."),
        ("He is the only child of a baker.", "He is the only son of a baker."),
        ("Danish towns have a harbour.", "Some Danish towns have a harbour."),
        ("All samples were contaminated.", "Nearly all samples were contaminated."),
        ("10 people were hurt.", "At least 10 people were hurt."),
        ("10 people were hurt.", "As many as 10 people were hurt."),
        ("The two engines failed.", "One of the two engines failed."),
        ("Four patients relapsed.", "One in four patients relapsed."),
        ("10 patients relapsed.", "3 out of 10 patients relapsed."),
        ("The flight takes eight hours.", "The flight takes eight hours and ten minutes."),
        ("It pays 300 euros per month.", "It pays 300 euros per child and month."),
        # Of whom, and before what.
        ("The court dismissed the claim.", "The court dismissed the claim for lost profits."),
        ("The lift is hardly ever in service.", "The lift is hardly ever out of service."),
        ("He taught Turkish.", "He taught himself Turkish."),
        (
            "The crew left the Anna a day after it sank.",
            "The Anna sank a day after the crew had left it.",
        ),
        ("China's oil exports rose.", "Oil exports to China rose."),
        ("The driver saw no witness.", "No witness saw the driver."),
        ("The witness saw only the driver.", "Only one witness saw the driver."),
        ("John Hill leads the unit.", "Rita Moss, who replaced John Hill, leads the unit."),
        ("The rooms of the hotel have a bath.", "The hotel has rooms with a bath."),
        ("Your doctor will tell you if you are ill.", "Tell your doctor if you are ill."),
    ],
)
def test_what_holds_of_some_or_sometimes_is_not_told_of_all(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The firm signed a contract with Alpha.",
            "The firm signed a contract with Alpha in 2010.",
        ),
        ("The company sold shoes in Rome.", "The company sold shoes in Rome in 1990."),
        ("Solaris is a Russian film.", "Solaris is a Russian film directed by Tarkovsky."),
        ("The patent expired in Germany.", "In 2015, the patent expired in Germany."),
        ("The lease runs for five years.", "The lease runs for five years from 1 March 2024."),
        ("The museum has 40 rooms.", "The museum, which opened in 1911, has 40 rooms."),
        ("About 10 people were hurt.", "About 10 people were hurt."),
        ("One in four patients relapsed.", "One in four patients relapsed."),
        ("The bank approved the loan.", "The bank, which has 40 branches, approved the loan."),
        ("Sales in Spain rose.", "Sales in Spain rose in May."),
        ("Smoking is permitted in the garden.", "Smoking is permitted in the garden."),
    ],
)
def test_what_happened_happened_whatever_else_is_told_of_it(claim: str, source: str) -> None:
    assert find_agreement(claim, source) == "verbatim"
