"""Common English verbs and their forms."""

from __future__ import annotations

import re

__all__ = ["AUXILIARY", "BASES", "BE", "PARTICIPLES", "PASTS", "SURE_PASTS", "SURE_THIRDS", "THIRDS"]

BE = frozenset("is are was were isn't aren't wasn't weren't".split())
AUXILIARY = BE | frozenset(
    """
    has have had hasn't haven't hadn't will would can could may might must should shall does do did won't wouldn't
    can't cannot couldn't doesn't don't didn't shouldn't mustn't needn't it's he's she's there's that's they're we're
    you're i'm i've we've they've you've he'll she'll it'll they'll we'll i'll you'll
    """.split()
)
BASES = frozenset(
    """
    accept accuse achieve acquire act adapt add address adjust admit adopt advance advise affect agree aim allow amount
    announce answer apologise apologize appear apply appoint approve argue arrange arrest arrive ask assess assign
    assume attack attend attract attribute award ban base beat become begin believe belong benefit blame block book
    borrow break breed bring build burn buy calculate call cancel carry catch cause cease celebrate change charge check
    choose claim clean clear climb close collapse collect combine come comment commission compare compete complain
    complete comprise conclude conduct confirm connect consider consist contain continue contribute control convert
    convince cost count cover crash create criticise criticize cross cut damage deal decide declare decline decrease
    defeat defend define delay deliver demand demonstrate deny depart depend describe deserve design destroy detect
    determine develop devote die differ direct disagree disappear discover discuss dismiss display dominate donate
    double draw drink drive drop earn ease eat edit elect eliminate emerge emphasise emphasize employ enable encourage
    end endow engage enjoy enter equal escape establish estimate evacuate exceed exist expand expect expire explain
    export express extend face fail fall feature feed feel fight file fill find finish fire fit fix flee float fly focus
    follow forbid force form found fund gain gather generate get give go govern grant grow guide halt handle hang happen
    hear help hire hit hold host house identify ignore illustrate imply import impose improve include increase indicate
    influence inform inherit injure inspect inspire install intend introduce invent invest invite involve issue join
    judge jump justify keep kill know lack land last launch lay lead leak learn lease leave lend let license lie lift
    limit link list live locate lose lower maintain make manage manufacture mark marry match matter mean measure meet
    mention merge mind miss move murder name narrow need negotiate note notice observe obtain occupy occur offer open
    operate oppose order organise organize originate outline overtake owe own paint participate pass pay peak perform
    permit persuade place plan plant play pledge point postpone praise predict prefer prepare present preserve prevent
    print proceed process produce prohibit promise promote propose protect prove provide publish pull purchase pursue
    push put qualify quit quote raise range rank rate reach read realise realize rebuild receive recognise recognize
    recommend record recover recruit reduce refer reflect refund refuse refute regulate reject relate release rely
    remain remember remove rename renew rent repair repeat replace reply report represent request require rescue reside
    resign resist resolve respond rest restore restrict result resume retain retire return reveal review revise
    revolutionise revolutionize ride ring rise rule run save say scan schedule score search secure see seek seem select
    sell send separate serve set settle shape share shift ship shoot show shrink shut sign signal sing sink sit slip
    slow solve sound span speak specialise specialize specify spend split sponsor spread stabilise stabilize stand star
    start state stay steal stem stop store strengthen stress strike struggle study submit surrender succeed suffer
    suggest suit supply support surpass survive suspect suspend switch take talk teach tell tend terminate test thank
    think threaten throw tighten total trace trade train transfer translate transport travel treat trigger try turn
    undergo understand undertake update upgrade urge use value vary verify view visit vote wait walk want warn wash
    watch wear weigh welcome widen win withdraw work worry write yield
    """.split()
)
_IRREGULAR = """
    beat beat beaten, become became become, begin began begun, break broke broken, breed bred bred, bring brought
    brought, build built built, buy bought bought, catch caught caught, choose chose chosen, come came come, cost cost
    cost, cut cut cut, deal dealt dealt, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall
    fell fallen, feed fed fed, feel felt felt, fight fought fought, find found found, flee fled fled, fly flew flown,
    forbid forbade forbidden, get got got, give gave given, go went gone, grow grew grown, hang hung hung, hear heard
    heard, hit hit hit, hold held held, keep kept kept, know knew known, lay laid laid, lead led led, leave left left,
    lend lent lent, let let let, lie lay lain, lose lost lost, make made made, mean meant meant, meet met met, overtake
    overtook overtaken, pay paid paid, prove proved proven, put put put, quit quit quit, read read read, rebuild rebuilt
    rebuilt, ride rode ridden, ring rang rung, rise rose risen, run ran run, say said said, see saw seen, seek sought
    sought, sell sold sold, send sent sent, set set set, shoot shot shot, show showed shown, shrink shrank shrunk, shut
    shut shut, sing sang sung, sink sank sunk, sit sat sat, speak spoke spoken, spend spent spent, split split split,
    spread spread spread, stand stood stood, steal stole stolen, strike struck struck, take took taken, teach taught
    taught, tell told told, think thought thought, throw threw thrown, undergo underwent undergone, understand
    understood understood, undertake undertook undertaken, wear wore worn, win won won, withdraw withdrew withdrawn,
    write wrote written
"""
_DOUBLED = re.compile(
    r"(?:admit|ban|cancel|commit|drop|fit|plan|occur|prefer|refer|ship|slip|star|stem|stop|transfer|permit|submit)$"
)


def _third(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeou" else base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeou":
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _DOUBLED.match(base) else base + "ed"


_OWN = {base: (past, participle) for base, past, participle in map(str.split, _IRREGULAR.split(","))}
_FORMS = {base: _OWN.get(base, (_past(base), _past(base))) for base in BASES}
_SAME = frozenset(base for base, forms in _FORMS.items() if forms[0] == base)  # "cost", "put": the past tells nothing
THIRDS = frozenset(map(_third, BASES))
PASTS = frozenset(forms[0] for forms in _FORMS.values()) - _SAME
PARTICIPLES = frozenset(forms[1] for forms in _FORMS.values()) | frozenset(
    "born based located canceled travelled".split()
)
SURE_PASTS = (
    frozenset(past for past, participle in _FORMS.values() if past != participle)
    - _SAME
    - frozenset(("lay", "saw", "rose"))
)
"""Past forms that are no participle and no noun."""
SURE_THIRDS = frozenset(
    """
    accepts achieves acquires admits adopts affects agrees allows announces appears applies approves argues arises asks
    assumes attends attracts avoids becomes begins believes belongs brings buys carries causes chooses comes comprises
    confirms connects considers consists contains continues contributes costs covers creates decides declines defines
    delivers denies depends describes develops differs disagrees eats employs enables encourages ends enjoys ensures
    establishes exceeds exists expects explains extends fails falls feels finds flies follows gains gets gives goes
    governs grows happens hears helps hires holds hosts identifies implies improves includes indicates involves joins
    keeps knows lacks lasts leads learns leaves lies lives loses maintains makes manages means meets mentions misses
    moves needs obtains occurs offers opens operates opposes outlines owes owns pays performs permits plays prefers
    prevents proceeds produces promotes proposes protects proves provides publishes puts qualifies raises reaches
    receives recommends reduces refers reflects refuses rejects relates relies remains removes replaces represents
    requires resides resigns retains reveals rises runs says seeks seems sees sells sends separates serves settles
    shares shows sits solves specialises specializes specifies spends stands starts stays stems stops stores submits
    succeeds suffers suggests supplies supports survives suspects takes teaches tells tends thinks tries turns undergoes
    understands uses varies wants warns wears weighs wins works writes
    """.split()
)
"""Third persons that are no plural noun, or hardly ever one."""
