from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.slots import compare_slots, doubt_slots

#: Past tense and participle of verbs whose two sides are not alike.
_VERBS = (
    "sued sued, acquired acquired, hired hired, paid paid, defeated defeated, taught taught,"
    " appointed appointed, beat beaten, succeeded succeeded, replaced replaced, funded funded,"
    " supplied supplied, examined examined, treated treated, arrested arrested, chased chased,"
    " praised praised, criticised criticised, employed employed, owned owned, wrote written,"
    " founded founded, built built, attacked attacked, invited invited, served served,"
    " supervised supervised, trained trained, followed followed, led led, visited visited,"
    " contacted contacted, reimbursed reimbursed, indemnified indemnified, insured insured,"
    " audited audited, nominated nominated, represented represented, dismissed dismissed,"
    " warned warned, sponsored sponsored, poisoned poisoned, rescued rescued, saved saved,"
    " infected infected, caused caused, produced produced, absorbed absorbed, destroyed destroyed,"
    " created created, discovered discovered, observed observed, influenced influenced,"
    " inspired inspired, elected elected, removed removed, endorsed endorsed, blamed blamed,"
    " accused accused, betrayed betrayed, forgave forgiven, obeyed obeyed, governed governed,"
    " conquered conquered, colonised colonised, invaded invaded, liberated liberated,"
    " recruited recruited, promoted promoted, demoted demoted, sold sold, bought bought,"
    " leased leased, struck struck, hit hit, bit bitten, shot shot, killed killed,"
    " wounded wounded, threatened threatened, robbed robbed, adopted adopted, fed fed"
)
_PAIRS = [tuple(pair.split()) for pair in _VERBS.split(",")]
_NAMES = (
    "Alpha Ltd", "Beta Ltd", "Anna Schmidt", "Omar Haddad", "Norway", "Chile", "the Ministry",
    "the Court of Appeal", "Dr. Lee", "the bank's trustee", "Acme", "the younger brother",
)  # fmt: skip


def stops(claim: str, premise: str) -> set[str]:
    """The kinds of every veto and likely doubt."""
    vetoes = compare_slots(claim, premise, premise_start=0)
    doubts = doubt_slots(claim, premise, premise_start=0, level="likely")
    return {found.kind for found in (*vetoes, *doubts)}


def write(text: str) -> str:
    return text[0].upper() + text[1:] + "."


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Beta Ltd sued Alpha Ltd.", "Alpha Ltd sued Beta Ltd."),
        ("Jones reports to Smith.", "Smith reports to Jones."),
        ("The king succeeded his brother.", "The king was succeeded by his brother."),
        (
            "Exports to India exceeded exports to China.",
            "Exports to China exceeded exports to India.",
        ),
        (
            "The flood was caused by the failure of the dam.",
            "The failure of the dam was caused by the flood.",
        ),
        ("Eva is the mother of Anna.", "Anna is the mother of Eva."),
        (
            "The seller shall indemnify the buyer against all claims.",
            "The buyer shall indemnify the seller against all claims.",
        ),
        ("Fitbit acquired Google in 2021.", "Google acquired Fitbit in 2021."),
        (
            "The subsidiary guarantees the debts of its parent company.",
            "The parent company guarantees the debts of its subsidiary.",
        ),
        (
            "The processor instructs the data controller.",
            "The data controller instructs the processor.",
        ),
        (
            "The borrower may assign the loan without consent of the lender.",
            "The lender may assign the loan without consent of the borrower.",
        ),
        (
            "The tenant must give the landlord two months' notice.",
            "The landlord must give the tenant two months' notice.",
        ),
        ("Mars is larger than Venus.", "Venus is larger than Mars."),
        ("Copper conducts heat better than silver.", "Silver conducts heat better than copper."),
        (
            "Prague lies north of Vienna and east of Berlin.",
            "Vienna lies north of Prague and east of Berlin.",
        ),
        ("The trucks drove from Lyon to Turin.", "The trucks drove from Turin to Lyon."),
        ("The audit took place before the merger.", "The merger took place before the audit."),
        ("Before the audit, the merger took place.", "The audit took place before the merger."),
        ("The wolf was killed by the hunter's dog.", "The wolf killed the hunter's dog."),
        ("Norway defeated Sweden in the final.", "In the final, Sweden defeated Norway."),
        ("Norway defeated Sweden in the final.", "Norway was defeated by Sweden in the final."),
        ("The drug inhibits the enzyme.", "The enzyme inhibits the drug."),
        ("The enzyme is inhibited by the receptor.", "The enzyme inhibits the receptor."),
        ("Dr. Lee treated Dr. Park.", "Dr. Park treated Dr. Lee."),
        ("Mary lent Paul 200 euros.", "Paul lent Mary 200 euros."),
        (
            "The bank borrowed two million from the fund.",
            "The fund borrowed two million from the bank.",
        ),
        ("Insulin lowers the level of glucagon.", "Glucagon lowers the level of insulin."),
        ("All mammals are whales.", "All whales are mammals."),
        ("Every shareholder is an employee.", "Every employee is a shareholder."),
        (
            "The agency appointed the inspector general to oversee the board.",
            "The board appointed the inspector general to oversee the agency.",
        ),
        ("Peter taught Maria chess.", "Maria taught Peter chess."),
        ("The defendant paid the plaintiff's costs.", "The plaintiff paid the defendant's costs."),
        ("Anna's father is Peter.", "Peter's father is Anna."),
        ("Kim is Lee's manager.", "Lee is Kim's manager."),
        ("The comet hit the probe.", "The comet was hit by the probe."),
        ("Smoking is caused by cancer.", "Cancer is caused by smoking."),
        ("Poverty leads to crime.", "Crime leads to poverty."),
        (
            "The opposition accused the government of fraud.",
            "The government accused the opposition of fraud.",
        ),
        ("Sulphur is produced from sulphuric acid.", "Sulphuric acid is produced from sulphur."),
        (
            "The customer was refunded by the supplier's bank.",
            "The supplier's bank was refunded by the customer.",
        ),
        ("Ceres orbits Dawn.", "Dawn orbits Ceres."),
        ("Brandt followed Schmidt as chancellor.", "Schmidt followed Brandt as chancellor."),
        (
            "Schmidt was followed by Brandt as chancellor.",
            "Brandt was followed by Schmidt as chancellor.",
        ),
        (
            "Imports from Chile replaced imports from Peru.",
            "Imports from Peru replaced imports from Chile.",
        ),
        (
            "The rate for men is higher than the rate for women.",
            "The rate for women is higher than the rate for men.",
        ),
        ("Women earn more than men.", "Men earn more than women."),
        ("If the alarm sounds, the valve closes.", "If the valve closes, the alarm sounds."),
        (
            "Water is converted into steam in the turbine hall.",
            "Steam is converted into water in the turbine hall.",
        ),
        (
            "The company converted pounds to kilograms.",
            "The company converted kilograms to pounds.",
        ),
        (
            "The insurer shall reimburse the hospital within 30 days.",
            "The hospital shall reimburse the insurer within 30 days.",
        ),
        (
            "The licensee grants the licensor a non-exclusive licence.",
            "The licensor grants the licensee a non-exclusive licence.",
        ),
        (
            "The nurse informed the surgeon that the patient was stable.",
            "The surgeon informed the nurse that the patient was stable.",
        ),
        (
            "Telecom Italia holds 30 percent of Vivendi.",
            "Vivendi holds 30 percent of Telecom Italia.",
        ),
        ("Vivendi is owned by Bolloré's family trust.", "Vivendi owns Bolloré's family trust."),
        (
            "The treaty was signed before the ceasefire was announced.",
            "The ceasefire was announced before the treaty was signed.",
        ),
        ("The pump feeds the tank.", "The tank feeds the pump."),
        (
            "Protein A binds to and degrades protein B.",
            "Protein B binds to and degrades protein A.",
        ),
        ("The ship rammed the ferry off the coast.", "The ferry rammed the ship off the coast."),
        (
            "The ferry was rammed by the ship off the coast.",
            "The ferry rammed the ship off the coast.",
        ),
        (
            "Miller was hired by Baker to replace Cook.",
            "Cook was hired by Baker to replace Miller.",
        ),
        ("Oslo has more inhabitants than Bergen.", "Bergen has more inhabitants than Oslo."),
        ("The river Inn flows into the Danube.", "The Danube flows into the river Inn."),
        (
            "The claimant was awarded costs against the respondent.",
            "The respondent was awarded costs against the claimant.",
        ),
        ("The Senate overrode the President.", "The President overrode the Senate."),
        (
            "The son inherited the house from his mother.",
            "The mother inherited the house from her son.",
        ),
        (
            "The distributor sold the machine to the manufacturer.",
            "The manufacturer sold the machine to the distributor.",
        ),
        ("Alpha transferred the shares to Beta.", "Beta transferred the shares to Alpha."),
        ("Alpha bought the shares from Beta.", "Beta bought the shares from Alpha."),
        ("Alpha sold the shares to Beta.", "Alpha bought the shares from Beta."),
        ("Leeds beat Hull 3-1 on Saturday.", "Hull beat Leeds 3-1 on Saturday."),
        ("Hull were beaten by Leeds.", "Leeds were beaten by Hull."),
        ("Ethanol dissolves in the resin.", "The resin dissolves in ethanol."),
        ("Iron is denser than lead.", "Lead is denser than iron."),
        ("Revenue rose faster than costs.", "Costs rose faster than revenue."),
        (
            "The mayor criticised the council over the delay.",
            "The council criticised the mayor over the delay.",
        ),
        ("Picasso influenced Braque strongly.", "Braque strongly influenced Picasso."),
        (
            "The principal shall pay the agent a commission.",
            "The agent shall pay the principal a commission.",
        ),
        (
            "The guarantor may sue the creditor directly.",
            "The creditor may directly sue the guarantor.",
        ),
        ("Heat causes friction in the bearing.", "Friction causes heat in the bearing."),
        ("Maria employs Jonas as a gardener.", "Maria is employed by Jonas as a gardener."),
        (
            "The cat chased the dog that had bitten the boy.",
            "The dog chased the cat that had bitten the boy.",
        ),
        ("Kepler was the teacher of Brahe.", "Brahe was the teacher of Kepler."),
        ("Serbia is the capital of Belgrade.", "Belgrade is the capital of Serbia."),
        (
            "The parent is wholly owned by the subsidiary.",
            "The subsidiary is wholly owned by the parent.",
        ),
        (
            "Group B received a higher dose than group A.",
            "Group A received a higher dose than group B.",
        ),
    ],
)
def test_exchanged_roles_never_pass(claim: str, premise: str) -> None:
    assert stops(claim, premise)


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Beta Ltd was sued by Alpha Ltd.", "Alpha Ltd sued Beta Ltd."),
        ("Alpha Ltd sued Beta Ltd.", "Beta Ltd was sued by Alpha Ltd."),
        ("In 2021 Google acquired Fitbit.", "Google acquired Fitbit in 2021."),
        ("Fitbit was acquired in 2021 by Google.", "Google acquired Fitbit in 2021."),
        ("Google acquired Fitbit.", "Acquired by Google in 2021, Fitbit makes watches."),
        (
            "After the alarm, the reactor was shut down.",
            "The reactor was shut down after the alarm.",
        ),
        (
            "The reactor was shut down after the alarm.",
            "After the alarm the reactor was shut down.",
        ),
        ("Anna met Bert.", "Bert met Anna."),
        ("Anna is married to Bert.", "Bert is married to Anna."),
        ("Alpha merged with Beta.", "Beta merged with Alpha."),
        ("Two plus three equals five.", "Five equals two plus three."),
        ("Paris is the capital of France.", "The capital of France is Paris."),
        ("The capital of France is Paris.", "Paris is the capital of France."),
        ("France's capital is Paris.", "Paris is the capital of France."),
        ("Eva is Anna's mother.", "Eva is the mother of Anna."),
        ("Anna's mother is Eva.", "Eva is the mother of Anna."),
        ("Bert and Anna sued Carl.", "Anna and Bert sued Carl."),
        (
            "The North League and the South League remain.",
            "The South League and the North League remain.",
        ),
        ("Venus is smaller than Earth.", "Earth is larger than Venus."),
        ("Earth is larger than Venus.", "Venus is smaller than Earth."),
        ("Beta sold the shop to Alpha.", "Alpha bought the shop from Beta."),
        ("Alpha bought the shop from Beta.", "Beta sold the shop to Alpha."),
        ("The merger took place after the audit.", "The audit took place before the merger."),
        ("Before the merger, the audit took place.", "The audit took place before the merger."),
        ('"The law is bad", said Smith.', "Smith said the law is bad."),
        ("Smith said the law is bad.", '"The law is bad", said Smith.'),
        ("A school stands next to the church.", "Next to the church stands a school."),
        ("A man lives in the house.", "In the house lives a man."),
        ("Costs rose by 5 percent.", "The increase: costs rose by 5 percent."),
        ("Smith, who was sued by Jones, resigned.", "Jones sued Smith, who resigned."),
        ("Alpha sued Beta.", "Beta, which Alpha sued, went bankrupt."),
        ("Alpha sued Beta.", "Beta, which was sued by Alpha, went bankrupt."),
        ("The dog bit the boy.", "The boy was bitten by the dog in the park."),
        ("Mary gave the book to Paul.", "Mary gave Paul the book."),
        ("Mary gave Paul the book.", "The book was given to Paul by Mary."),
        ("The shares were transferred by Alpha to Beta.", "Alpha transferred the shares to Beta."),
        ("Alice likes Bob.", "Alice likes Bob and Bob likes Alice."),
        ("Bob likes Alice.", "Alice likes Bob and Bob likes Alice."),
        ("The director of the firm resigned.", "The firm's director resigned."),
        ("The trucks drove to Turin from Lyon.", "The trucks drove from Lyon to Turin."),
        ("They traded wool for salt in Hull.", "In Hull, they traded wool for salt."),
        (
            "The vaccine was developed by BioNTech and Pfizer.",
            "Pfizer and BioNTech developed the vaccine.",
        ),
        (
            "The bridge was built by Roman soldiers in 50 AD.",
            "In 50 AD Roman soldiers built the bridge.",
        ),
        ("Smith is the CEO of Alpha.", "Alpha CEO Smith resigned in May."),
        ("Alpha's CEO is Smith.", "Smith, the CEO of Alpha, resigned."),
        (
            "The flood caused the failure of the dam.",
            "The failure of the dam was caused by the flood.",
        ),
        (
            "Silver conducts heat better than copper.",
            "Of all metals, silver conducts heat better than copper.",
        ),
        ("Crime is caused by poverty.", "Poverty causes crime."),
        ("The valve closes if the alarm sounds.", "If the alarm sounds, the valve closes."),
        ("Norway beat Sweden.", "Sweden were beaten by Norway."),
        ("Sweden lost to Norway.", "Norway won against Sweden."),
        ("The king was succeeded by his brother.", "His brother succeeded the king."),
        (
            "The plaintiff's costs were paid by the defendant.",
            "The defendant paid the plaintiff's costs.",
        ),
        ("Apples, pears and plums are sold here.", "Plums, pears and apples are sold here."),
        (
            "The agreement was signed by both parties on Monday.",
            "On Monday both parties signed the agreement.",
        ),
        ("Lyon and Turin are linked by rail.", "Turin and Lyon are linked by rail."),
        ("The bank lent two million to the fund.", "The fund borrowed two million from the bank."),
        ("Peter is the father of Anna and Eva.", "Anna and Eva are the daughters of Peter."),
        ("More women than men voted.", "Women voted in greater numbers than men."),
        ("The mayor was criticised by the council.", "The council criticised the mayor."),
        ("Berlin is east of Hanover.", "Hanover is west of Berlin."),
        ("The tank is fed by the pump.", "The pump feeds the tank."),
        ("Carl, whom Anna trusted, won.", "Anna trusted Carl, who won."),
        ("It was Alpha that sued Beta.", "Alpha sued Beta."),
        ("It was Beta that Alpha sued.", "Alpha sued Beta."),
        ("Ethanol is what the resin dissolves in.", "The resin dissolves in ethanol."),
        ("The Danube is joined by the Inn at Passau.", "At Passau the Inn joins the Danube."),
        (
            "The insurer pays the hospital within 30 days.",
            "Within 30 days the insurer pays the hospital.",
        ),
        (
            "The patent owned by Alpha was licensed to Beta by its inventor.",
            "Alpha owned the patent, which its inventor licensed to Beta.",
        ),
    ],
)
def test_the_same_roles_in_other_words_are_not_stopped(claim: str, premise: str) -> None:
    assert stops(claim, premise) == set()


def test_a_veto_names_what_stands_on_both_sides() -> None:
    premise = "The parties met in May. Alpha Ltd sued Beta Ltd for damages."
    (veto,) = compare_slots("Beta Ltd sued Alpha Ltd.", premise, premise_start=10)
    assert veto.kind == "roles"
    assert veto.source_span is not None
    start, end = veto.source_span.start - 10, veto.source_span.end - 10
    assert premise[start:end] == veto.source == "Alpha Ltd sued Beta"


@given(
    st.sampled_from(_PAIRS),
    st.lists(st.sampled_from(_NAMES), min_size=2, max_size=2, unique=True),
    st.booleans(),
    st.booleans(),
)
def test_who_did_what_to_whom(
    verb: tuple[str, str], names: list[str], in_passive: bool, claimed_in_passive: bool
) -> None:
    past, participle = verb
    first, second = names

    def tell(agent: str, patient: str, *, passive: bool) -> str:
        if passive:
            return write(f"{patient} was {participle} by {agent}")
        return write(f"{agent} {past} {patient}")

    source = tell(first, second, passive=in_passive)
    exchanged = tell(second, first, passive=claimed_in_passive)
    assert stops(exchanged, source)
    assert not stops(tell(first, second, passive=claimed_in_passive), source)
    inner = source[0].lower() + source[1:] if source.startswith("The ") else source
    assert not stops(f"In 2021, {inner}", source)
    assert not stops(f"{source[:-1]} after the vote.", f"After the vote, {inner}")


@pytest.mark.parametrize(
    ("claim", "premise", "stopped"),
    [
        ("Alpha was sued.", "Alpha sued Beta.", True),
        ("The company was acquired in 2020.", "The company acquired Fitbit in 2020.", True),
        ("The firm acquired the plant.", "The firm was acquired after the plant closed.", True),
        ("The suspect attacked the officer.", "The suspect was attacked.", True),
        ("Beta was sued.", "Alpha sued Beta.", False),
        ("The shop was closed.", "The shop closed on Monday.", False),
        ("The plan was approved.", "The board approved the plan.", False),
        ("The board approved the plan.", "The plan was approved by the board.", False),
        ("A group of people are sitting.", "A group of people are sitting at a table.", False),
    ],
)
def test_who_does_it_and_who_suffers_it(claim: str, premise: str, *, stopped: bool) -> None:
    assert bool(stops(claim, premise)) == stopped


def test_what_is_closed_where_it_is_else_open_is_no_opposite() -> None:
    premise = "The museum is open from 10 am to 6 pm, except on Mondays."
    assert not stops("The museum is closed on Mondays.", premise)
    assert stops("The museum is closed on Mondays.", "The museum is open on Mondays.")
