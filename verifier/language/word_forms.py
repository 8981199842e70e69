"""The forms of English words: which words are one word written otherwise (rose, rise; paid, pay).

``roots_of`` gives what two forms share. A word may have several roots ("found" is of "find" too).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from spanproof.verifier.language.lexicon import stem

#: Past and participle of verbs that do not end in -ed, by their base; also plurals like "feet".
_IRREGULAR = """
arise arose arisen; awake awoke awoken; bear bore borne born birth births; beat beaten; become
became; begin began begun; bend bent; bind bound; bite bit bitten; bleed bled; blow blew blown;
break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught;
choose chose chosen choice choices; cling clung; come came; creep crept; deal dealt; dig dug; draw
drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen;
feed fed; feel felt; fight fought; find found; flee fled; fly flew flown flight flights; forbid
forbade forbidden; forecast forecasted; forget forgot forgotten; forgive forgave forgiven; freeze
froze frozen; get got gotten; give gave given; go went gone; grind ground; grow grew grown growth;
hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known
knowledge; lay laid; lead led; lean leant; leap leapt; learn learnt; leave left; lend lent; lie lay
lain; light lit; lose lost loss losses; make made; mean meant; meet met; mistake mistook mistaken;
mow mown; oversee oversaw overseen oversight; pay paid; prove proven proof; ride rode ridden; ring
rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold sale sales; send
sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk
shrunken; sing sang sung; sink sank sunk sunken; sit sat; sleep slept; slide slid; smell smelt; sow
sown; speak spoke spoken speech; speed sped; spell spelt; spend spent; spill spilt; spin spun;
spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck
stricken; strive strove striven; swear swore sworn; sweep swept; swell swollen; swim swam swum;
swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw
thrown; undergo underwent undergone; understand understood; undertake undertook undertaken; uphold
upheld; wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound; withdraw
withdrew withdrawn withdrawal withdrawals; withhold withheld; withstand withstood; write wrote
written; rewrite rewrote rewritten; overtake overtook overtaken; overthrow overthrew overthrown;
outgrow outgrew outgrown; repay repaid; rebuild rebuilt; resell resold resale; redo redid redone;
foresee foresaw foreseen; override overrode overridden; upset; man men; woman women; child children;
foot feet; tooth teeth; mouse mice; goose geese; person persons; wife wives; life lives; knife
knives; leaf leaves; half halves; wolf wolves; calf calves; shelf shelves; thief thieves; loaf
loaves; analysis analyses; crisis crises; thesis theses; hypothesis hypotheses; diagnosis diagnoses;
axis axes; basis bases; criterion criteria; phenomenon phenomena; bacterium bacteria; datum data;
medium media; index indices indexes; matrix matrices; appendix appendices; vertex vertices; fungus
fungi; nucleus nuclei; stimulus stimuli; alumnus alumni; curriculum curricula; memorandum memoranda;
stratum strata; formula formulae; larva larvae; ox oxen; use used uses using user users usage; die
dies died dying; age aged ages ageing aging; owe owed owes owing; sue sued sues suing; tie tied ties
tying; go goes going; do did done does doing; be is are was were been being am; have has had having;
ice iced; eye eyed; exceed exceeds exceeded exceeding; succeed succeeds succeeded succeeding; focus
focuses focused focusing; bias biases biased; embed embeds embedded embedding; experience
experienced experiencing; influence influenced influencing; reference referenced referencing; virus
viruses; campus campuses; bonus bonuses; census censuses; canvas canvases; lens lenses; speed
speeds; breed breeds; status statuses; surplus surpluses; corpus corpuses; chorus choruses; circus
circuses
"""
#: A verb or adjective and the nouns made of it, where endings alone do not tell.
_DERIVED = """
abolish abolition; absorb absorption; accelerate acceleration; accept acceptance; access accession;
accommodate accommodation; accompany accompaniment; accredit accreditation; accumulate accumulation;
accuse accusation; achieve achievement; acquire acquisition; acquit acquittal; act action activity;
adapt adaptation adaption; add addition; adjust adjustment; administer administration; admit
admission admittance; adopt adoption; advertise advertisement advert; advise advice; affirm
affirmation; agree agreement; allege allegation; allocate allocation; allow allowance; amend
amendment; analyse analyze analysis; announce announcement; annex annexation; appear appearance;
apply application applicant; appoint appointment; appreciate appreciation; approve approval;
approximate approximation; argue argument; arrange arrangement; arrive arrival; assassinate
assassination; assemble assembly; assess assessment; assign assignment; assist assistance; associate
association; assume assumption; assure assurance; attend attendance; attract attraction; authorise
authorize authorisation authorization; avoid avoidance; behave behaviour behavior; believe belief;
breathe breath; calculate calculation; cancel cancellation; capture; celebrate celebration; certify
certification; characterise characterization; circulate circulation; cite citation; claim claimant;
classify classification; close closure; coach; collaborate collaboration; collapse; collect
collection; collide collision; colonise colonisation; combine combination; communicate
communication; compare comparison; compel compulsion; compensate compensation; compete competition;
compile compilation; complain complaint; complete completion; complicate complication; comply
compliance; compose composition; compress compression; comprehend comprehension; compute
computation; conceive conception; concentrate concentration; conclude conclusion; condemn
condemnation; conduct; confess confession; configure configuration; confirm confirmation; confuse
confusion; congratulate congratulation; connect connection; conquer conquest; conserve conservation;
consider consideration; consist; constrain constraint; construct construction; consult consultation;
consume consumption; contain; contaminate contamination; contend contention; continue continuation;
contract contraction; contribute contribution; convert conversion; convict conviction; convince;
cooperate cooperation; coordinate coordination; correct correction; correlate correlation;
correspond correspondence; create creation; criticise criticize criticism; cultivate cultivation;
deceive deception; decide decision; declare declaration; decline; decorate decoration; decrease;
deduce; deduct deduction; defend defence defense; define definition; delay; delete deletion; deliver
delivery; demolish demolition; demonstrate demonstration; deny denial; depart departure; depend
dependence dependency; deploy deployment; deport deportation; deposit; depress depression; derive
derivation; descend descent; describe description; destroy destruction; detain detention; detect
detection; deteriorate deterioration; determine determination; devastate devastation; develop
development; deviate deviation; devote devotion; diagnose diagnosis; die death deaths dead died;
differ difference; diffuse diffusion; digest digestion; direct direction; disagree disagreement;
disappear disappearance; disappoint disappointment; discharge; disclose disclosure; discover
discovery; discriminate discrimination; discuss discussion; dismiss dismissal; disperse dispersal
dispersion; display; dispose disposal; disqualify disqualification; disrupt disruption; dissolve
dissolution; distinguish distinction; distort distortion; distribute distribution; disturb
disturbance; diversify diversification; divide division; divorce; donate donation; dominate
dominance domination; edit edition; educate education; elect election; elevate elevation; eliminate
elimination; emerge emergence; emigrate emigration; emit emission; employ employment; enact
enactment; encourage encouragement; endanger endangerment; endorse endorsement; endow endowment;
enforce enforcement; engage engagement; enjoy enjoyment; enlarge enlargement; enlist enlistment;
enrol enroll enrolment enrollment; enter entry entrance; entertain entertainment; equip equipment;
erode erosion; err error; erupt eruption; establish establishment; estimate estimation; evacuate
evacuation; evade evasion; evaluate evaluation; evaporate evaporation; evict eviction; evolve
evolution; examine examination exam; excavate excavation; exceed excess; exclude exclusion; execute
execution; exempt exemption; exhaust exhaustion; exhibit exhibition; exist existence; expand
expansion; expect expectation; expel expulsion; expire expiry expiration; explain explanation;
explode explosion; exploit exploitation; explore exploration; export exportation; expose exposure;
express expression; extend extension; extinguish extinction extinct; extract extraction; fabricate
fabrication; facilitate facilitation; fail failure; fertilise fertilization; finance; fluctuate
fluctuation; form formation; formulate formulation; found foundation; fulfil fulfill fulfilment
fulfillment; furnish; generate generation; govern government governance; graduate graduation; guide
guidance; harass harassment; hesitate hesitation; hospitalise hospitalize hospitalisation
hospitalization; identify identification; ignite ignition; illustrate illustration; imagine
imagination; imitate imitation; immigrate immigration; implement implementation; imply implication;
import importation; impose imposition; impress impression; imprison imprisonment; improve
improvement; inaugurate inauguration; include inclusion; incorporate incorporation; increase;
indicate indication; indict indictment; induce induction; infect infection; infer inference; inflate
inflation; inform information; inhabit habitation; inherit inheritance; inhibit inhibition; initiate
initiation; inject injection; injure injury injuries; innovate innovation; inquire inquiry enquiry;
insert insertion; inspect inspection; inspire inspiration; install installation instalment;
institute institution; instruct instruction; insulate insulation; insure insurance; integrate
integration; intend intention intent; interact interaction; interfere interference; interpret
interpretation; interrupt interruption; intervene intervention; introduce introduction; intrude
intrusion; invade invasion; invent invention; invest investment; investigate investigation; invite
invitation; involve involvement; irrigate irrigation; irritate irritation; isolate isolation; issue
issuance; judge judgment judgement; justify justification; kidnap; kill; know; launch; legislate
legislation; liberate liberation; license licence; liquidate liquidation; locate location; maintain
maintenance; manage management; manipulate manipulation; manufacture; marry marriage marital;
maximise maximization; measure measurement; meditate meditation; merge merger; migrate migration;
mix mixture; moderate moderation; modify modification; motivate motivation; move movement; multiply
multiplication; murder; mutate mutation; narrate narration; negotiate negotiation; nominate
nomination; notify notification; nourish nourishment; obey obedience; obligate obligation; oblige
obligation; observe observation observance; obsess obsession; obstruct obstruction; occupy
occupation; occur occurrence; omit omission; operate operation; oppose opposition; oppress
oppression; opt option; organise organize organisation organization; originate origin origination;
oxidise oxidation; participate participation; pass passage; pay payment; penetrate penetration;
perceive perception; perform performance; permit permission; persecute persecution; persist
persistence; persuade persuasion; please pleasure; possess possession; postpone postponement;
practise practice; precipitate precipitation; predict prediction; prefer preference; prepare
preparation; prescribe prescription; present presentation; preserve preservation; prevent
prevention; proceed procedure; process; proclaim proclamation; procure procurement; produce
production; prohibit prohibition; project projection; promote promotion; pronounce pronunciation;
propose proposal proposition; prosecute prosecution; protect protection; provide provision; provoke
provocation; publish publication; punish punishment; purify purification; pursue pursuit; qualify
qualification; quote quotation; radiate radiation; ratify ratification; react reaction; realise
realize realisation realization; receive receipt reception; recognise recognize recognition;
recommend recommendation; recruit recruitment; recur recurrence; reduce reduction; refer reference;
refine refinement; reflect reflection; refuse refusal; register registration; regulate regulation;
reimburse reimbursement; reject rejection; relate relation relationship; relax relaxation; release;
relieve relief; relocate relocation; rely reliance; remain remainder; remove removal; renew renewal;
renovate renovation; repeat repetition; repel; replace replacement; replicate replication; represent
representation; reproduce reproduction; require requirement; reserve reservation; reside residence
residency; resign resignation; resist resistance; resolve resolution; respire respiration; respond
response; restore restoration; restrict restriction; retain retention; retire retirement; retreat;
reveal revelation; revise revision; revive revival; revoke revocation; rotate rotation; satisfy
satisfaction; save savings; scrutinise scrutiny; secrete secretion; secure security; segregate
segregation; select selection; separate separation; serve service; settle settlement; ship shipment;
signify signature; simplify simplification; simulate simulation; solve solution; specify
specification; spoil; stabilise stabilization; starve starvation; sterilise sterilization; stimulate
stimulation; store storage; strengthen strength; submit submission; subscribe subscription;
subsidise subsidy subsidies; substitute substitution; subtract subtraction; succeed success; suffer;
suggest suggestion; summarise summary; supervise supervision; suppress suppression; surrender;
survive survival; suspend suspension; sustain; sterilise sterilisation; tempt temptation; tend
tendency; terminate termination; testify testimony; train; transact transaction; transcribe
transcription; transform transformation; transition; translate translation; transmit transmission;
transport transportation; treat treatment; try trial; unify unification; unite union; urbanise
urbanization; use usage; utilise utilize utilisation utilization; vaccinate vaccination; validate
validation; vary variation variance; ventilate ventilation; verify verification; vibrate vibration;
violate violation; visualise visualization; warn; weigh weight; long length; wide width; deep depth;
high height; strong strength; hot heat; able ability; possible possibility; responsible
responsibility; available availability; safe safety; accurate accuracy; efficient efficiency;
frequent frequency; private privacy; poor poverty; sick sickness; ill illness; aware awareness;
effective effectiveness; popular popularity; equal equality; legal legality; mortal mortality; moist
moisture; humid humidity; pregnant pregnancy; vacant vacancy; urgent urgency; absent absence;
present presence; important importance; significant significance; different difference; similar
similarity; Europe European; Africa African; America American; Asia Asian; Australia Australian;
Britain British; England English; France French; Germany German; Spain Spanish; Italy Italian; China
Chinese; Japan Japanese; India Indian; Russia Russian; Canada Canadian; Mexico Mexican; Brazil
Brazilian; Greece Greek; Rome Roman; Egypt Egyptian; Turkey Turkish; Poland Polish; Sweden Swedish;
Norway Norwegian; Denmark Danish; Finland Finnish; Ireland Irish; Scotland Scottish; Wales Welsh;
Netherlands Dutch; Switzerland Swiss; Austria Austrian; Hungary Hungarian; Portugal Portuguese;
Belgium Belgian; Korea Korean; Vietnam Vietnamese; Thailand Thai; Israel Israeli; Iran Iranian; Iraq
Iraqi; Ukraine Ukrainian; Argentina Argentine Argentinian; Chile Chilean; Cuba Cuban; Colombia
Colombian; Peru Peruvian; Pakistan Pakistani
"""
_DOUBLED = re.compile(r"([bcdfghjklmnpqrtvwxz])\1$")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
#: Spellings of one word on both sides of the Atlantic, as they stand at a root's end.
_SPELLINGS = (
    (re.compile(r"(?<=...)is(?=(?:ation)?$)"), "iz"),
    (re.compile(r"(?<=..)our(?=(?:it|abl|ful|$))"), "or"),
    (re.compile(r"(?<=..)(nt|tr|b|bt)er$"), r"\1r"),
    (re.compile(r"(?<=...)logu$"), "log"),
    (re.compile(r"(?<=..)ys$"), "yz"),
)


@lru_cache(maxsize=65_536)
def root_of(word: str) -> str:
    """A lower-case word without its ending, the same for British and American spelling."""
    if not word.isascii():
        word = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    root = stem(word.removesuffix("'s").removesuffix("'").replace("'", ""))
    root = _DOUBLED.sub(r"\1", root) if len(root) > 3 else root
    if len(root) > 2 and root[-1] == "i":
        root = root[:-1] + "y"
    for pattern, spelling in _SPELLINGS:
        root = pattern.sub(spelling, root)
    return root


def _read_table(*tables: str) -> dict[str, tuple[str, ...]]:
    """Each derived form with the roots of what it is made of."""
    found: dict[str, list[str]] = {}
    for row in ";".join(tables).lower().split(";"):
        base, *forms = row.split()
        for form in forms:
            found.setdefault(root_of(form), []).append(root_of(base))
            if form != root_of(form):
                found.setdefault(form, []).append(root_of(base))
    return {form: tuple(dict.fromkeys(bases)) for form, bases in found.items()}


_BASES = _read_table(_IRREGULAR, _DERIVED)


@lru_cache(maxsize=65_536)
def roots_of(word: str) -> tuple[str, ...]:
    """What a lower-case word shares with its other forms: its own root first, then its bases."""
    own = root_of(word)
    return tuple(dict.fromkeys((own, *_BASES.get(word, ()), *_BASES.get(own, ()))))


def is_plural(word: str) -> bool:
    """Whether a word looks like the plural of a noun."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
