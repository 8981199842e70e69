"""Words and phrases that say the same in plain prose: data only, lower case, in their base forms.

A row holds words of which each may stand for each other one; a word may stand in several rows, and
rows are not joined. Only what any reader takes for the same: nothing that differs in who does it,
in which direction, how surely, how many or how much.
"""

#: One row a line, its members between commas.
ENGLISH = """
abandon, give up
abbreviation, acronym, short for, stand for
ability, capability, capacity
able to, can, capable of
abolish, do away with, scrap, repeal
about, approximately, around, roughly, circa, approx, some, an estimated
nearly, almost, close to
abroad, overseas, in foreign countries
absent, missing, not present
abundant, plentiful, ample
accept, agree to, consent to
accompany, go with
accomplish, achieve, attain, reach
according to, per, under, pursuant to, in accordance with
accurate, correct, precise, exact
accuse, allege
acquire, buy, purchase, take over, takeover, acquisition, obtain, procure
across, throughout, all over
add, append
additional, extra, further, more, another, supplementary, other
additionally, also, too, as well, in addition, moreover, furthermore
address, deal with, tackle, handle
adequate, sufficient, enough
adjacent to, next to, beside, alongside, neighbouring, bordering, adjoining
administer, manage, run, operate, direct, oversee, supervise
adult, grown-up
advantage, benefit, upside, pro
advertise, promote, market
advise, recommend, counsel, suggest
affect, influence, impact, have an effect on, have an impact on
affluent, wealthy, rich
afterwards, later, subsequently, thereafter, after that
agency, bureau, authority
agree, concur, consent
agreement, contract, deal, accord, pact, treaty
aid, help, assist, support, assistance
aim, goal, objective, target, purpose, intend
aircraft, airplane, aeroplane, plane, jet, airliner
alarm, alert, warn, warning
alcohol, liquor, booze
alive, living, survive
allegedly, reportedly, supposedly
allow, permit, let, enable, authorise, may, can, be allowed, be permitted, entitle
also, too, as well
alter, change, modify, amend, revise, adjust
although, though, even though, despite, in spite of
amount to, total, come to, equal
amount, quantity, volume, sum, total
ancient, old, antique
announce, declare, reveal, unveil, disclose, make public, state
annual, yearly, every year, each year, per year, a year, once a year, per annum
answer, reply, respond, response
anxiety, worry, anxious, worried
apartment, flat
apparently, seemingly, appear, seem
appoint, name, designate
approve, authorise, give approval, greenlight
approve, ratify, pass
approve, endorse
area, region, zone, district, territory, part
argue, contend, maintain, claim, assert
arise, emerge, appear, come up
army, military, troops, soldiers, armed forces
arrange, organise, set up
arrest, detain, take into custody, apprehend
article, piece, story
artificial intelligence, AI
ask, request, inquire, query
assemble, put together, build, construct
assess, evaluate, rate, judge, appraise
at first, initially, originally
at least, minimum, no less than, not less than, no fewer than, or more, a minimum of
at most, maximum, no more than, not more than, up to, or less, or fewer, a maximum of
attack, assault, strike
attempt, try, effort, endeavour
attorney, lawyer, solicitor, barrister, counsel, advocate
author, writer, write, written by, penned by, pen
automobile, car, motorcar
autumn, fall
available, accessible, offered, can be obtained
award, give, grant, confer, bestow
award, prize, honour, accolade
baby, infant, newborn
bacteria, germs, microbes
ban, prohibit, forbid, not allow, not permit, outlaw, bar, disallow, must not, may not
banned, prohibited, forbidden, not allowed, not permitted, disallowed, may not, prohibited from
base, headquarter, headquarters, head office, be based, located
basic, fundamental, elementary
battle, fight, combat
beach, shore, seaside
beautiful, pretty, lovely
because, because of, due to, owing to, as a result of, since, on account of, thanks to, caused by
become, turn into, grow into
before, prior to, ahead of, earlier than, previous to
begin, start, commence, launch, initiate, kick off, open, get under way, come into force
begin, start, take effect, come into force, enter into force
beginning, start, outset, onset, commencement
belief, faith
believe, think, hold, feel, consider
belong to, be part of, member
belong to, be owned by
beverage, drink
big, large, huge, great, sizeable
bigger, larger, greater
biggest, largest, greatest
bill, invoice
birth, born
birthplace, born in
block, obstruct, prevent, stop
boat, ship, vessel
bomb, explosive
book, reserve, reservation, booking
border, boundary, frontier
boss, manager, supervisor
box office, gross
brand, make, label
break out, erupt, start
break, rest, pause
brief, short
bring about, cause, lead to, result in, produce, trigger, give rise to, responsible for
british, uk, united kingdom, u.k., britain, great britain
build, construct, erect, put up
building, structure, edifice
bus, coach
business, company, firm, enterprise, corporation, organisation, outfit
businessman, businesswoman, entrepreneur
calculate, compute, work out, determine
call, name, term, dub, refer to as, known as, title, entitle, nickname
call, phone, telephone, ring
calm, quiet, peaceful
cancel, call off, scrap, annul
cancer, malignancy
careful, cautious
carry out, conduct, perform, undertake, execute, implement
catch, capture
celebrated, famous, renowned, well-known, noted, famed, well known
cell phone, mobile phone, cellphone, mobile, smartphone
center, middle, heart
federal reserve, fed
certain, some, particular, specific
certain, sure
certificate, certification
chairman, chair, chairperson, chairwoman
challenge, difficulty, problem, obstacle
championship, title
charge, fee, cost, price
cheap, inexpensive, low-cost, affordable
check, verify, examine, inspect, test, review
chief executive, ceo, chief executive officer, c.e.o.
chief financial officer, cfo
chief operating officer, coo
chief technology officer, cto
child, kid, youngster
choose, select, pick, opt
cinema, movie theater, movie theatre, film theatre
citizen, national
city, municipality
clean, wash
clear, obvious, evident, apparent
client, customer
climb, go up, rise, ascend, increase
close, shut, shut down, close down, closure
cloth, fabric, textile
clothes, clothing, garments, apparel
coast, shore, seaside, coastline
cold, chilly
collaborate, work together, cooperate, team up, partner, work with
collapse, fall down, give way
collect, gather, assemble, compile
college, university
combine, merge, join, unite, amalgamate
comedy, humour
comfort, console
commercial, advertisement, ad, advert
commit, perpetrate
common, usual, typical, ordinary
common, widespread, prevalent, frequent
compensate, reimburse, refund, pay back, repay
complete, entire, whole, full, total
complete, finish, finalise, conclude, end
completely, entirely, fully, totally, wholly, altogether
complicated, complex
component, part, element, constituent, ingredient
comprise, consist of, be made up of, be composed of, made of, be comprised of
compulsory, mandatory, required, obligatory
computer program, software, application, app
concern, relate to, regard
concerning, regarding, about, relating to, in relation to, with regard to, with respect to
conclude, find, determine, decide
confidential, secret, private, classified
confirm, verify, corroborate, affirm
connect, link, join, attach
considerably, significantly, substantially, much, markedly, notably, greatly
consume, eat, ingest
contain, hold, include
continue, go on, keep, proceed, carry on, keep on, persist
continuous, ongoing, uninterrupted, nonstop, constant
convert, turn into, transform, change into
cop, police officer, policeman, officer
cost, price, be priced
country, nation
couple, two, pair
court, tribunal
cover, include, span
crash, collision
create, make, produce, generate
create, establish, form
create, develop
crime, offence, offense
criticise, condemn, denounce, slam, blast
cure, heal
currently, now, at present, presently, today, at the moment, these days
custom, tradition, practice
cut, reduce, lower, decrease, slash, trim
daily, every day, each day, per day, a day, once a day
danger, hazard, risk, peril
dangerous, hazardous, unsafe, risky, harmful
dangerous, perilous
data, information, figures, statistics
day-to-day, daily
dead, deceased, die, death, pass away, perish, lose life
deadline, due date, time limit
deadly, fatal, lethal
debut, first appearance, premiere
decide, determine, resolve, make a decision
decline, fall, drop, decrease, go down, diminish, reduction, shrink, dip, lower, reduce
decline, refuse, turn down, reject
decrease, reduce, lower, cut, lessen, diminish, fall, drop
defeat, beat, overcome, win against, victory over
delay, postpone, put off, defer, push back
delete, erase, remove, wipe
deliver, bring, hand over, ship
demand, call for, insist
demonstration, protest, rally
deny, dispute
depart, leave, go away
department, ministry, division
depend on, rely on, hinge on, be contingent on
depict, portray, show, represent
deploy, roll out
deposit, down payment
describe, depict, characterise
desert, abandon
design, devise
desire, want, wish, would like
destroy, ruin, wreck, demolish, devastate
detail, particular
detect, find, discover, spot, identify, notice
determine, establish, find out, ascertain
develop, evolve, grow
device, gadget, appliance, apparatus, machine, instrument
devote, dedicate
dialect, variety
different, distinct, other, various, unlike
difficult, hard, challenging, tough, tricky
digital, electronic, online
director, film-maker, filmmaker, direct
disappear, vanish
disaster, catastrophe, calamity
disclose, reveal, divulge, make known
discontinue, stop, end, cease, phase out
discover, find, detect, uncover
discuss, talk about, debate
disease, illness, sickness, ailment, condition, disorder
dismiss, fire, sack, let go, lay off
disposal, throw away, discard, dispose of
dispute, disagreement, quarrel, conflict
distribute, hand out, give out, circulate
district, neighbourhood, quarter, borough
divide, split, separate
doctor, physician, dr
document, paper, file, record
domestic, home, national
donate, give, contribute
double, twice, twofold, two times
download, fetch
draft, draw up, write
dress, clothe
driver, motorist
drug, medicine, medication, pharmaceutical
dry, arid
duty, obligation, responsibility
each, every, per
early, initial
earn, make, receive, bring in
earth, world, globe, planet
earthquake, quake, tremor
easily, readily
east, eastern
easy, simple, straightforward
economic, financial, economy
edit, revise
effect, impact, influence, result, consequence, outcome
effective, work, successful
elderly, old, senior
elect, vote in
electric power, electricity, electrical power
eliminate, remove, get rid of, eradicate, abolish
email, e-mail, electronic mail
emergency, urgent
emphasise, stress, underline, highlight
employ, have a staff of
employ, use
employee, worker, staff, staff member, personnel, workforce, employ, team member
employment, job, work, position
enable, allow, make possible
encourage, urge, promote
end, finish, conclude, terminate, stop, cease, come to an end, expire, close
enemy, foe
energy, power
engage in, take part in
enhance, improve, boost, strengthen
enormous, huge, massive, vast, immense, giant
ensure, make sure, guarantee, see to it
enter, go into, get into, come into
entire, whole, all, complete, full
environment, surroundings
equal, same, equivalent, identical
equip, fit, furnish, provide
error, mistake, fault
escape, flee, get away, run away
especially, particularly, in particular, mainly
essential, vital, crucial, necessary, key, critical, indispensable
establish, found, set up, create, start, form, launch
estimate, reckon, approximate
eu, european union, e.u.
evade, avoid, dodge
event, occurrence, incident, happening
every month, monthly, each month, per month, a month, once a month
every two years, biennial, every other year
every week, weekly, each week, per week, a week, once a week
everyone, everybody, all people, all
evidence, proof
examine, study, investigate, inspect, look at, analyse, look into, explore
example, instance, sample
exceed, surpass, be more than, go beyond, be greater than, top
excellent, outstanding, superb
except, excluding, other than, apart from, but not, aside from, with the exception of, save for
exchange, swap, trade
execute, put to death
exhibit, display, show
exist, live
expand, grow, enlarge, extend, widen
expect, anticipate, forecast, predict, project
expensive, costly, dear, pricey
experience, undergo, suffer, go through
experiment, trial, test, study
expert, specialist, authority
expire, run out, lapse, end, elapse
explain, clarify, account for
explain, describe
export, sell abroad
extend, prolong, lengthen
extensive, wide, broad, comprehensive
extinct, died out, die out
extremely, very, highly, exceptionally, hugely
eye doctor, ophthalmologist
factor, cause, reason
factory, plant, mill, works
fail to, not
fail, not succeed, be unsuccessful
fall, drop, decline, decrease, go down, slip, dip
fame, famous
family, relatives, household
farmer, grower
fast, quick, rapid, swift, speedy
fat, overweight
fatality, death, dead, die
father, dad
fault, defect, flaw
favourite, preferred
fbi, federal bureau of investigation
feature, include, contain, star
female, woman
festival, celebration
few, small number of, handful of, not many
fight, struggle, battle
file, submit, lodge, bring
film, movie, picture, motion picture, feature film
final, last
finally, eventually, in the end, ultimately, at last
finance, fund, pay for, bankroll
find, discover, locate
fire, blaze
firefighter, fireman
first, initial, original
fix, repair, mend
flood, inundate
flower, bloom, blossom
fly, travel by air
following, after, next, subsequent to, later
football, soccer
force, compel, make, oblige
forest, woods, woodland
forever, permanently, for good, indefinitely
forget, not remember
form, make up, constitute, compose
form, shape
former, ex, previous, past, earlier, previously, formerly, used to be
fortnight, two weeks, 14 days
fortunate, lucky
foundation, basis
founder, found, establish, founded by, set up
free, for free, free of charge, no charge, at no charge, at no cost, without charge, complimentary
frequently, often, regularly, commonly
friend, pal, companion
frighten, scare
fuel, petrol, gas, gasoline
fulfil, meet, satisfy, comply with
full-time, full time
function, work, operate
fund, finance, sponsor, back
funding, financing, money, investment
funny, humorous
garbage, rubbish, trash, waste, refuse
gather, collect, meet
gdp, gross domestic product
general practitioner, gp
generally, usually, normally, typically, in general, commonly, as a rule
genuine, real, authentic, true
get married, marry, wed
give, provide, grant, supply, hand
global, worldwide, international, around the world, world
globally, worldwide, internationally, around the world
go to, attend, visit
goods, products, merchandise, items
govern, rule
government, administration, authorities, state
graduate, earn a degree, finish school
graph, chart
graveyard, cemetery, burial ground
great, excellent
grow, increase, rise, expand, climb, go up
growth, increase, expansion, rise
guarantee, warranty, warrant
guidance, advice
guideline, guidance, recommendation
gun, firearm, weapon
habit, practice
happen, occur, take place, come about
happy, glad, pleased, delighted
harm, damage, hurt, injure
hate, detest
have to, must, need to, be required to, shall, be obliged to, required, obliged, mandatory
head, lead, leader, chief, boss, director
headquarters, head office, be based, main office, base
health care, healthcare, medical care
healthy, well
heart attack, myocardial infarction
heart disease, cardiovascular disease
heavy, weighty
high blood pressure, hypertension
high school, secondary school
hint, suggest, imply
hire, recruit, take on
historic, historical
hiv, human immunodeficiency virus
hold, host, stage, run, take place
holiday, leave, time off, vacation
home, house, residence, dwelling
hospital, clinic, medical centre
hotel, inn
human being, person, human
human, person, people
humans, people, mankind, humanity
hurry, rush
hurt, injure, wound
husband, spouse
idea, concept, notion
identify, recognise, find, determine
illegal, unlawful, against the law, not legal, illicit
image, picture, photo, photograph
immediately, at once, right away, instantly, straight away, without delay
immune system, immunity
important, significant, key, major, crucial, notable
impossible, not possible, cannot
imprison, jail, put in prison
improve, get better, enhance, better
in charge of, lead, head, responsible for, run
in front of, before
inaccurate, incorrect, wrong, false, untrue
include, contain, cover, among, feature, such as, for example, for instance, e.g.
including, such as, for example, for instance, among
income, earnings
income, salary, wage
increase, rise, grow, go up, climb, raise, growth, jump, gain, surge, soar
independent, autonomous
indicate, suggest, point to
indicate, show
individual, person, people
industry, sector, business
infect, contract
inform, tell, notify, let know, advise
information, data, details
inhabitant, resident, population, people
injury, wound
inside, within
install, put in, set up, fit
institute, institution
instruct, order, tell, direct
instructor, teacher, tutor
insufficient, not enough, inadequate, too little
intelligent, clever, smart
intend, plan, mean, aim
interested, keen
internet, web, online, net
interrupt, break off
interview, talk to
introduce, bring in, launch, present, unveil
invade, attack
invent, devise, create, develop, come up with
invest, put money into
investigate, look into, probe, examine, study
investigation, inquiry, probe
invite, ask
involve, include, entail
issue, problem, matter, topic
item, thing, object, article
job, work, position, post, occupation
join, become a member, enter, enlist
joint, shared, common
journal, periodical, magazine
journey, trip, travel, voyage
judge, justice
jump, leap
keep, retain, store, hold, maintain, preserve, save
kind, type, sort, form, variety
know, be aware, understand
known for, famous for, best known for, renowned for
label, mark
lack, not have, be without, absence of
language, tongue
largely, mainly, mostly, primarily, chiefly, predominantly, principally
last, run for, run, take, span, go on, continue, endure
late, deceased
later, afterwards, subsequently, after
launch, start, introduce, release
law, legislation, statute, rule
lawsuit, suit, legal action, case, litigation
lead singer, vocalist, frontman, singer
lead to, cause, result in, bring about
lead, head, be in charge of, run, direct
leading, main, top, foremost
leak, spill
lease, rent, let, tenancy
leave, depart, exit, quit
legal, lawful, permitted
legislature, parliament
less than, under, below, fewer than, lower than
level, rate, amount, degree
liable, responsible
licence, permit, authorisation
lie, be located, be situated, stand
lift, elevator
likely, probable, probably
limit, restrict, cap, restriction
link, tie, association, relationship, connect, associate
list, name
live, reside, dwell, inhabit, be resident
located, situated, found, lie, stand, based
location, place, site, spot, position
log in, sign in, log on
long, lengthy
long-term, long term
love, adore
lower, less, reduced
main, chief, principal, primary, key, major, central
major, big, large, significant, important
majority, most, more than half, over half
make up, account for, represent, constitute, form
make, produce, manufacture, create, build
male, man
man, guy, gentleman
manage, run, administer, handle
manufacturer, maker, producer, manufacture, make, produce
many, numerous, a lot of, lots of, plenty of, a large number of
market capitalisation, market value, market cap
market, sell
marry, wed, wedding, tie the knot
match, game
maximum, limit, cap, ceiling
mean, signify, denote, stand for
measure, action, step
medical, health
meet, encounter, come across
meeting, session, gathering
member, belong, part
memorial, monument
mention, refer to, cite, note
merger, combination
method, way, technique, approach, procedure, means
middle, mid
minor, underage
mission, task
mix, blend, combine
modern, contemporary, recent
monarch, ruler, sovereign
money, cash, funds, funding
monitor, watch, observe, track
more than, over, above, exceeding, in excess of, upwards of, greater than, higher than, exceed
mother, mum, mom
motorway, highway, freeway, expressway
music group, band
nation, country
national, nationwide, country
native, indigenous
nato, north atlantic treaty organization
near, close to, nearby, around
necessary, needed, required, essential
negative, adverse, bad
neighbour, border
new york city, nyc
newspaper, paper, daily
next, following, subsequent
no longer, not anymore, not any more, cease to, stop
nobody, no one, none, not anyone
nominate, put forward
normal, usual, ordinary, regular, standard
north, northern
notable, famous, well-known
note, state, say, point out, observe, mention
nothing, not anything
notice, notification
notify, inform, tell, give notice, alert
number one, no 1, top
number one, no 1, first
number, figure, count
obesity, obese
observe, see, notice, note, find, watch
obtain, get, acquire, receive, gain, secure
occasion, event, time
occasionally, sometimes, now and then, from time to time
occupation, job, profession
occupy, live in, take up
occur, happen, take place, arise
office, bureau
officially, formally
oil, petroleum, crude
okay, fine
old, aged, elderly
older, elder
on top of, above, over
on top of, in addition to, besides
pro rata, in proportion
once, formerly
once, one time, a single time
ongoing, continuing, in progress, under way
online, on the internet, over the internet, on the web, via the internet, web
only, just, merely, solely, exclusively, nothing but
operate, run, work, manage
operation, surgery, procedure
opinion, view
opportunity, chance
oppose, be against, object to
opposite, contrary, reverse
option, choice, alternative
order, command, instruct
organisation, body, group, agency, institution, association
originate, come from, stem from, derive from, come
outside of, beyond
outside, outdoors
over, finished, ended
overall, in total, altogether, total
owe, be due
own, possess, hold
owner, own, proprietor
pace, speed
pain, ache
painting, picture, artwork
park, garden
part, portion, share, section, segment, component
part-time, part time
partially, partly, in part
participate, take part, join, compete, be involved
participation, involvement
party, faction
pass, go by, elapse
patient, subject, participant
pay, settle, payment, remit, spend
pay, wage, salary, remuneration, earnings
payable, due
peak, summit, top
penalty, fine, punishment
people, persons, individuals, population, humans, residents
percent, per cent, percentage, pct
percentage, share, proportion, rate
performance, show
perhaps, maybe, possibly, may, might
period, time, time span, duration, term, era
permanent, lasting, open-ended
permission, consent, approval, authorisation
persuade, convince
phase, stage
place, put, set
plan, intend, scheme, propose
plan, scheme, programme
play, portray, star as
pledge, promise, vow, commit
pocket money, allowance
poem, poetry, verse
police, cops, law enforcement
policy, rule
pollute, contaminate
pollution, contamination
poor, impoverished
popular, well-liked
population, inhabitants, people, residents
port, harbour
position, post, role, job
positive, favourable
possible, feasible, potential, can
powerful, strong, mighty
predict, forecast, project, expect, foresee
pregnancy, pregnant
premiere, debut, first shown, open
premises, building, site, property
prepare, make ready, get ready
presence, be present
present, give, show
preserve, keep, save, protect, conserve
prestigious, renowned
prevent, stop, avoid, block, keep from, avert
previous, earlier, former, prior, past, last
previously, before, earlier, formerly
primary school, elementary school
primary, main
principal, main, head
prison, jail, jailed, imprison, gaol
private, personal
problem, issue, difficulty, trouble
procedure, process
proceed, go ahead
produce, make, manufacture, create, generate
product, item, good
production, output
profit, earnings
program, programme, show
programming language, computer language
progress, advance
promote, advance, encourage
prompt, trigger
property, characteristic, feature, attribute, trait
property, estate, real estate
proportion, share, percentage, ratio
propose, suggest, put forward, recommend
protect, shield, guard, safeguard, defend
protest, demonstrate, demonstration
provide, supply, give, furnish, deliver
provided that, as long as, on condition that
public, open
publicly, in public
publish, release, issue, put out, bring out, print
punish, penalise, sanction
punishment, penalty, sentence
purchase, buy, acquire, get
purchaser, buyer
purpose, aim, goal, reason
put in place, introduce, implement
qualified, eligible
qualify, be eligible, be entitled
quality, standard
quickly, rapidly, fast, swiftly, promptly
quiet, silent
quit, leave, resign, step down, stop
quote, cite
racial, ethnic
railway, railroad, rail
rain, rainfall
raise, bring up, rear
raise, increase, lift, put up
rare, uncommon, infrequent, unusual
rarely, seldom, infrequently, hardly ever, not often
rate, speed, level
raw, uncooked
reach, arrive at, get to, attain, hit
ready, prepared
really, actually, in fact, indeed
reasonable, fair
receive, get, obtain, be given, be awarded
recent, new, latest
recently, lately, not long ago
recession, downturn, slump
recipient, receiver
recognise, acknowledge
record, log, register
recover, get well, get better, recuperate
recruitment, hiring
recycle, reuse
red planet, mars
reduce, cut, decrease, lower, lessen, diminish, bring down, shrink, curb
reduction, cut, decrease, decline, fall, drop
refer to, mean, mention, call
refund, reimburse, money back, repay, give back
refundable, refund
regard, consider, see, view
register, sign up, enrol, enlist
regulate, control
regulation, rule
relationship, link, connection, association
relative, family member, kin
release, free, set free, let go
release, publish, issue, launch, put out, come out
reliable, dependable
religion, faith, religious
relocate, move, transfer
reluctant, unwilling
remain, stay, continue, still
remaining, left, rest
remains, ruins
remedy, cure
remember, recall
remote, distant, far
remove, take away, take out, eliminate, delete, take off
renew, extend
repeal, revoke, abolish, cancel
repeatedly, again and again, many times
replace, succeed, take the place of, supersede
reporter, journalist
representative, delegate, rep
request, ask for
require, need, must, have to, necessitate
requirement, condition, need
rescue, save
research, study, investigation
researcher, scientist, investigator, study
resemble, look like, be similar to, similar
resident, inhabitant, live
resign, step down, quit, leave office, stand down, leave the post, step aside
resist, oppose, withstand
resolve, settle, solve
respond, reply, answer, react
restaurant, eatery, diner
restore, bring back, reinstate
restrict, limit, confine
result, outcome, consequence, finding
results, findings
retire, step down, stop working
return, come back, go back, give back, send back
reveal, disclose, show, make public, uncover
revenue, sales, turnover
review, examine, assess
revolution, uprising
right, entitlement, entitle
risk, danger, chance, likelihood
risk, endanger
rival, competitor, opponent
river, stream, waterway
road, street, route, highway
role, part, character
roll out, launch, introduce
rule, decide, find, hold
run, jog
safe, secure
safety, security
sale, sell, sold
satisfied, content, happy
say, state, report, tell, note, according to, announce, declare, remark, comment, mention, write
schedule, timetable, plan, slate
scholar, academic
science fiction, sci-fi
seat, place
secret, hidden, confidential
see, watch, view, look at
seek, look for, search, try, pursue
self-employed, freelance
sell, sale, retail
send, mail, post, ship, dispatch, transmit, forward
separate, different, distinct
separate, split, apart, part
serious, severe, grave
serve as, act as, work as, function as
set up, establish, install, create, found
set, fix, establish
settlement, agreement
several, some, a number of, multiple, various, a few
sex, gender
share, have in common
share, split, divide
shareholder, stockholder, investor
shoot, film
shop, store, retailer, outlet
shortage, lack, scarcity
show, demonstrate, reveal, display, find
shrink, get smaller, contract
shut, close, closed
sick, ill, unwell
side effect, adverse effect, adverse event, adverse reaction
sign, mark, symbol
sign, signal, indication
significant, important, considerable, substantial, major
significant, substantial, considerable, sizeable, major
similar, alike, comparable, like
simultaneously, at the same time, concurrently
sing, perform, song
singer, vocalist, sing
single, sole, only one
single, unmarried
situation, circumstances, condition
size, dimension, extent
skill, ability, talent
sleep, asleep
slow, gradual
slowly, gradually
small, little, tiny, minor, slight
smell, scent, odour, aroma
snack, food
society, association, organisation
soft, gentle
software, program, application, app
soil, ground, earth
soldier, troops, serviceman
sole, only
solution, answer
solve, resolve, fix
sometimes, occasionally, at times
song, track, single, tune
soon, shortly, before long
soul, spirit
source, origin
south, southern
souvenir, keepsake
space, room
spacecraft, spaceship, probe
speak, talk, say, address
special, particular, specific
species, kind
specify, state, set out, stipulate, provide
spectator, viewer, audience
speech, talk, address
speed, velocity, rate, fast
spokesman, spokeswoman, spokesperson
spread, extend, expand
square, plaza
stable, steady, unchanged
stadium, arena, ground
staff, employees, personnel, workers, workforce, employ
standard, norm
star, lead, leading role
act, appear, feature
statement, declaration
stay, live
steal, rob, theft, thief
still, remain, continue, yet
stomach, belly, abdomen
stop, end, halt, cease, quit, discontinue
story, tale, narrative
straight, direct
strategy, plan
strengthen, reinforce, boost, make stronger
strict, stringent, tight
strike, walkout, industrial action
student, pupil, learner
study, learn
study, research, investigate, trial, survey, paper, examine
stupid, foolish
style, manner
subject, topic, theme
submit, hand in, file, send in, present
subscribe, sign up
subsequent, later, following
subsidiary, unit, division, owned by
substance, material, chemical
substantial, large, considerable, significant
subway, underground, metro
succeed, be successful
succeed, follow, replace
success, successful
successor, succeed
such as, like, including, for example
sudden, abrupt
suddenly, abruptly
sue, take to court, bring a lawsuit, file a lawsuit, file suit
suggest, indicate, imply
suitable, appropriate, fit, proper
support, back, help, favour, endorse
supporter, fan, backer
suppose, assume
surprising, unexpected
surround, enclose, encircle
survey, poll, study
survive, live
suspend, halt, pause, stop
sustainable, green
symptom, sign
system, network
take back, return
take off, depart
take place, occur, happen, be held, hold
talk, speak, discuss
tall, high
task, job
tax, levy, duty
taxi, cab
teach, instruct, educate, train
teacher, instructor, educator, teach
team, club, side, squad
tear down, demolish
technology, tech
teenager, teen, adolescent, youth
television, tv
tell, inform, say
temporary, short-term, interim
tenant, renter, lessee
tend, be likely
term, word
terminate, end, cancel
terrible, awful, horrible
territory, area, land
terror, fear
terrorist attack, terrorism
test, examine, check, trial
theatre, theater
theft, steal, stealing
therapy, treatment
therefore, thus, hence, as a result, consequently
thin, slim, slender
threat, danger
threaten, endanger
throw, toss, hurl
ticket, pass
tidy, clean
timber, wood
tired, fatigued
tiredness, fatigue
together, jointly
tool, instrument
total, whole, overall, entire
toxic, poisonous
trade, commerce
traditional, conventional
traditionally, by tradition
train, practise
transform, change, turn into
translate, render
transmit, spread, pass on
transport, carry, ship
transportation, transport
travel, go, journey, trip
treat, therapy, treatment
trend, tendency
triple, threefold, three times, treble
true, correct, right
trust, rely on
tube, pipe
turn out, prove
two-thirds, two thirds
unable, cannot, not able, incapable, can not
unchanged, the same, not change, not changed
under, below, beneath
underground, below ground
understand, know, realise
unemployed, jobless, out of work
unemployment, joblessness
uniform, same
unimportant, insignificant
union, alliance
united nations, UN, u.n.
united states, US, u.s., usa, u.s.a., america, american, united states of america
unless, except if, if not
unlike, different from
unlimited, without limit, no limit
unnecessary, not necessary, not needed, not required
until, till, up to
update, revise
upgrade, improve
urge, call on, encourage
use, utilise, employ, make use of, apply, usage
useful, helpful
vacant, empty, unoccupied
valid, in force, effective
valuable, precious
value, worth
variety, range
various, several, different
vary, differ, range
vegetable, veg
vendor, seller, supplier
venue, place, location
version, edition
veteran, former soldier
videogame, video game
violence, violent
visible, can be seen
visit, go to, travel to
voluntary, optional, not required, not mandatory
vote, ballot, poll
wait, await
walk, stroll
warehouse, depot
warm, heat
warn, caution, alert
weak, feeble
wealth, riches
weapon, arms
website, web site, site, web page, webpage
wedding, marriage
weigh, weight
well, good
wicked, evil
widely, broadly
wife, spouse
win, be awarded, receive
win, victory, triumph
winner, win
wireless, wi-fi, wifi
wise, sensible
withdraw, pull out, take back
within, no later than, in at most
without, with no, lacking, not have, no
witness, see
woman, lady
women, ladies
wonderful, great
worker, employee, labourer
world health organization, WHO, w.h.o.
world war i, first world war, ww1, wwi, world war one, great war
world war ii, second world war, ww2, wwii, world war two
worldwide, global, across the world
worry, concern
write, author, compose, pen
years old, aged, age, years of age, year-old, year old
young people, youth, youths
young, youthful
youth, young
zero, no, nil, none, nought
couch, sofa
nap, sleep
seat, sit
because of, due to, owing to, lead to, led to, cause, result in, as a result of
according to, say, hold, find, rule, state
output, production, produce
receipt, receive, arrive, arrival, get
pay, payable, settle
due, payable, must be paid, have to be paid, shall be paid, to be paid
"""

#: General words before what they name in particular: the source's particular word is enough.
ENGLISH_KINDS = """
academic: professor lecturer
accident: crash collision
animal: dog cat horse cow bird fish mammal insect reptile sheep lion tiger elephant bear wolf
artist: painter sculptor singer musician
athlete: footballer runner swimmer boxer cyclist sprinter
bird: duck goose eagle owl sparrow penguin parrot hawk chicken
book: novel textbook dictionary
building: house church tower school hospital hotel museum palace castle cathedral
child: boy girl son daughter toddler infant
clothing: shirt jacket dress coat trousers hat
competition: race tournament championship
damage: destroy wreck ruin
die: kill murder drown assassinate
disease: cancer diabetes malaria tuberculosis influenza asthma pneumonia
doctor: surgeon paediatrician cardiologist
document: letter contract report passport certificate
drink: tea coffee juice beer wine
fruit: apple banana orange grape pear peach cherry
grain: wheat barley rice maize
grandparent: grandfather grandmother
instrument: guitar piano violin drum flute saxophone trumpet cello
female: girl woman mother wife sister daughter
kill: murder assassinate slay
limb: arm leg
male: boy man father husband brother son
man: father husband king businessman
marry: husband wife spouse
metal: gold silver copper iron aluminium
musician: singer guitarist drummer pianist violinist
parent: mother father mum dad
people: men women children adults students workers citizens residents patients players
person: man woman boy girl child adult teacher doctor student worker actor singer author scientist
plant: tree flower shrub grass
precipitation: rain snow hail
relative: mother father brother sister uncle aunt cousin son daughter
scientist: physicist chemist biologist astronomer
sibling: brother sister
sport: football soccer tennis basketball baseball cricket rugby hockey golf swimming boxing
spouse: husband wife
storm: hurricane cyclone typhoon tornado
vegetable: carrot potato cabbage onion spinach broccoli
vehicle: car truck bus van lorry motorcycle motorbike taxi
weapon: gun rifle sword bomb knife pistol
woman: mother wife queen girl
"""
