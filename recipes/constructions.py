#!/usr/bin/env python3
"""constructions.py [--seed N] [--each N] [--only NAME,...] [--without NAME,...] [--not FILE] FILE.trees... > OUT.trees

Makes sentences of constructions that treebanks have too few of, out of phrases of the trees of FILE..., which are first
bracketed by conventions.py, and of small lists of words. A construction is a list of patterns: trees whose {slots} are
filled with phrases that fit (PATTERNS below). --each: sentences of each construction (default 40). --only: of these
constructions alone; --without: not of these. --not: no sentence of FILE, a file of trees, is made. Equal arguments
make equal output.

Brackets are those of the Wall Street Journal part of the Penn Treebank; docs/ENGLISH.md has examples of many.
Dependencies follow by head rules: lal convert --to conllx --deps english.rules OUT.trees; not well for those in
recipes/en.sh that are trained on without arcs. Standard library only.
"""
import argparse
import random
import re
import sys

from conventions import harmonise, is_word, labels, leaves, load_trees, read_trees, show, word

BE = {"is", "was", "are", "were", "am"}
HAVE = {"has", "have", "had"}
DO = {"does", "do", "did"}
PRONOUNS = {"i": "1", "he": "sg", "she": "sg", "it": "sg", "this": "sg", "that": "sg", "we": "pl", "they": "pl",
            "you": "pl", "these": "pl", "those": "pl"}
ODD = {"UH", "FW", "LS", "SYM", "ADD", "NFP", "GW", "XX", "AFX", "HYPH", "``", "''", "-LRB-", "-RRB-", ":", "."}
ODD_PHRASES = {"INTJ", "FRAG", "X", "PRN", "LST", "UCP", "RRC", "SINV", "SBARQ", "SQ", "NX"}


def tagged(tag, text):
    """A pool of words of one tag."""
    return ["(%s %s)" % (tag, w) for w in text.split()]


def phrases(*lines):
    return list(lines)


def knowing(*questions):
    """Clauses of people who do not know an answer."""
    clauses = ["(NP (PRP I)) (VP (VBP do) (RB n't) (VP (VB know) %s))",
               "{who} (VP (VBZ does) (RB n't) (VP (VB know) %s))",
               "(NP (NN nobody)) (VP (VBZ knows) %s)", "(NP (PRP we)) (VP (MD can) (RB not) (VP (VB say) %s))",
               "{who} (VP (VBD wondered) %s)", "{who} (VP (MD wo) (RB n't) (VP (VB tell) (NP (PRP me)) %s))",
               "(NP (PRP I)) (VP (VBP 'm) (RB not) (ADJP (JJ sure) %s))", "{who} (VP (VBD forgot) %s)",
               "{who} (VP (VBD asked) %s)", "(NP (PRP I)) (VP (MD can) (VP (VB guess) %s))",
               "(NP (NP (PRP it))) (VP (VBZ is) (RB not) (ADJP (JJ clear)) %s)",
               "{who} (VP (VBD did) (RB not) (VP (VB say) %s))"]
    return [clause % ("(SBAR %s)" % question) for clause in clauses for question in questions]


SAID = tagged("VBD", "said said said said said replied added noted explained answered cried wrote whispered "
                     "observed continued insisted warned declared remarked recalled admitted argued announced")
SAYS = tagged("VBZ", "says says says adds notes explains insists warns recalls argues concedes suggests")
# Words that slots choose from; other slots are filled from treebanks (Maker.take) or by methods (Maker.slot_NAME).
WORDS = {
    "first": tagged("NNP", "Adam Agnes Bella Bruno Cora Daniel Dora Edwin Elena Felix Frank Gloria Hugo Irene Ivan "
                           "Julia Karl Laura Leon Lydia Martin Mona Nina Oscar Pablo Rosa Simon Tara Vera Walter "
                           "John Mary Peter Anna Paul Kate Jim Susan Bob Helen Jack Emma David Jane Mark Ruth Max "
                           "Ellen Ben Lucy Ted Carol Eric Joan Ali Mei Omar Priya Chen Yuki"),
    "last": tagged("NNP", "Abbott Bauer Castillo Dalton Ericson Fischer Gallagher Holt Ivers Jansen Keller Lombardi "
                          "Marsh Novak Olsen Palmer Quinn Rossi Sanders Tanaka Ulrich Vance Whitman Yates"),
    "title": tagged("NNP", "Mr. Mrs. Ms. Dr. Prof. Sen. Judge Mayor"),
    "office": tagged("NNP", "Dr. Prof. Sen. Judge Mayor"),
    "city": tagged("NNP", "Boston Denver Tucson Omaha Seattle Atlanta Houston Toledo Chicago Dallas Memphis Buffalo"),
    "town": ["(NNP %s) (, ,) (NNP %s)" % tuple(pair.split("/")) for pair in (
        "Tucson/Arizona Omaha/Nebraska Topeka/Kansas Boise/Idaho Trenton/N.J. Peoria/Illinois Salem/Oregon "
        "Macon/Georgia Fresno/Calif. Tulsa/Okla. Akron/Ohio Burlington/Vermont Augusta/Maine Reno/Nevada "
        "Dubuque/Iowa").split()],
    "state": tagged("NNP", "Colorado Arizona Nebraska Oregon Georgia Illinois Vermont Kansas Nevada Iowa"),
    "spot": tagged("NN", "wall table hill bridge door window garden river roof church desk stairs station barn fence"),
    "month": tagged("NNP", "January February April May July August September October November December"),
    "role": tagged("NN", "spokesman manager lawyer analyst officer minister teacher nurse clerk engineer neighbor "
                         "judge baker captain director mechanic student editor soldier waiter pilot gardener coach "
                         "witness"),
    "roles": tagged("NNS", "lawyers managers teachers nurses students officers critics neighbors workers players"),
    "group": tagged("NN", "company city bank school team union hospital museum board agency firm club"),
    "said": SAID,
    "says": SAYS,
    "say": SAID + SAYS,
    "animal": tagged("NN", "dog horse bird goat fox pony donkey puppy parrot lamb"),
    "part": tagged("NN", "leg tail beard hat coat scar nose collar voice limp"),
    "tool": tagged("NN", "hammer key brush knife stick rope spoon needle cloth shovel"),
    "colour": tagged("JJ", "black white red long broken short grey thin loose crooked"),
    "plural": tagged("NNS", "books songs apples letters cars potatoes stamps shoes cats roses pictures eggs"),
    "thing": tagged("NN", "house garden report story letter table machine program letter kitchen song film plan "
                          "bridge car novel picture room village game speech shop recipe"),
    "mass": tagged("NN", "coffee bread wine paper music water rice money advice butter soup milk cheese sugar"),
    "number": tagged("CD", "two three four five six seven eight nine ten 12 15 20 30 45 60"),
    "digit": tagged("CD", "two three four six seven nine"),
    "few": phrases("(CD two) (CC or) (CD three)", "(CD five) (CC or) (CD six)", "(CD 10) (CC or) (CD 12)",
                   "(CD three) (IN to) (CD five)", "(CD 15) (IN to) (CD 20)"),
    "year": tagged("CD", "1987 1992 1996 1999 2001 2005 2009 2013 2016 2018 2021"),
    "scale": tagged("CD", "million million billion thousand"),
    "decimal": tagged("CD", "1.5 2.4 3.75 6 8 12.5 20 45 110 350"),
    "percent": tagged("CD", "2 4.5 6 10 12.8 25 40 75"),
    "plain": tagged("JJ", "old new large small quiet expensive strange modern local cheap careful simple difficult"),
    "polysyllable": tagged("JJ", "expensive modern difficult careful important useful common popular interesting "
                                 "serious"),
    "state_of": tagged("JJ", "clear obvious strange likely possible important true sad surprising hard easy "
                             "necessary wise good impossible useful wrong"),
    "jjr": tagged("JJR", "larger smaller older cheaper faster slower stronger better worse easier harder taller "
                         "warmer quieter richer safer"),
    "rbr": tagged("RBR", "faster longer harder more less sooner further earlier"),
    "transitive": phrases("(VBD bought) (CC and) (VBD sold)", "(VBZ designs) (CC and) (VBZ builds)",
                          "(VBD wrote) (CC and) (VBD published)", "(VBD found) (CC and) (VBD copied)",
                          "(VBD read) (CC and) (VBD corrected)", "(VBD painted) (CC and) (VBD repaired)"),
    "made": tagged("VBD", "designed built painted bought wrote described"),
    "made_too": tagged("VBD", "sold read praised repaired admired examined"),
    "takes": tagged("VBD", "ordered brought chose painted wanted bought") + tagged("VBZ", "likes prefers sells hates"),
    "made_it": tagged("VBD", "broke fixed washed opened cleaned cut moved hit caught fed"),
    "went": tagged("VBD", "walked ran looked climbed drove jumped stepped sailed swam crawled"),
    "way": tagged("IN", "under over through into across past around behind near up down along beyond"),
    "also": phrases("(CC and)", "(CC but) (RB never)", "(CC or)", "(CC but) (RB not)", "(CC and) (RB then)"),
    "still": phrases("(VP (VBZ remains))", "(VP (VBZ is))", "(VP (MD will) (VP (VB remain)))", "(VP (MD may) (VP (VB "
                     "become)))"),
    "once": phrases("(VP (VBZ has) (VP (VBN been)))", "(VP (VBD was))", "(VP (VBZ has) (VP (VBN become)))",
                    "(VP (MD could) (VP (VB have) (VP (VBN been))))"),
    "tough": tagged("JJ", "hard easy difficult tough impossible simple fun pleasant dangerous"),
    "eager": tagged("JJ", "eager ready able willing likely sure free happy afraid determined"),
    "participle": tagged("VBN", "carried dropped floated marched pushed raced rolled sent taught thrown shown offered "
                                "paid told handed left moved turned"),
    "fell": tagged("VBD", "fell sank broke slept failed laughed stopped vanished cried left won died"),
    "mans": tagged("VBP", "man house train fish store play plant drink face watch"),
    "many": tagged("JJ", "old young rich poor sick strong brave blind wise unemployed"),
    "judged": tagged("VBD", "considered found called made thought kept left painted wanted"),
    "named": tagged("VBD", "called made named elected appointed considered"),
    "office_np": phrases("(NP (NN president))", "(NP (NN captain))", "(NP (NN mayor))", "(NP (NN secretary))",
                         "(NP (DT a) {role})", "(NP (NN king))", "(NP (PRP$ their) (NN leader))",
                         "(NP (DT a) (NN fool))"),
    "heard": tagged("VBD", "heard saw watched noticed kept found"),
    "let": tagged("VBD", "let made helped saw heard"),
    "moved": tagged("VBD", "surprised worried pleased annoyed shocked puzzled delighted upset"),
    "think": tagged("VBP", "think believe suppose guess hope fear imagine"),
    "thinks": tagged("VB", "think believe say suppose expect claim imagine"),
    "place_in": tagged("IN", "In On Behind Under Inside Above Beside Near Within Beyond Among Outside Opposite"),
    "stands_sg": tagged("VBZ", "is stands lies hangs") + \
                 tagged("VBD", "was stood lay came sat hung"),
    "stands_pl": tagged("VBP", "are stand lie hang") + \
                 tagged("VBD", "were stood lay came sat hung"),
    "never": phrases("(ADVP (RB never))", "(ADVP (RB rarely))", "(ADVP (RB seldom))", "(ADVP (RB hardly))",
                     "(ADVP (RB never) (RB before))", "(ADVP (RB only) (RB then))", "(ADVP (RB only) (RB recently))",
                     "(PP (IN at) (NP (DT no) (NN time)))", "(PP (IN under) (NP (DT no) (NNS conditions)))",
                     "(PP (IN on) (NP (DT no) (NN account)))", "(PP (IN in) (NP (DT no) (NN way)))",
                     "(ADVP (RB little))", "(ADVP (RB nowhere))"),
    "surely": phrases("(ADVP (RB Still)) (, ,)", "(ADVP (RB Indeed)) (, ,)", "(ADVP (RB Then))", "(CC But)",
                      "(CC And)", "(PP (IN In) (NP (NN fact))) (, ,)", "(ADVP (RB However)) (, ,)",
                      "(PP (IN For) (NP (NN example))) (, ,)", "(PP (IN At) (NP (JJ last))) (, ,)"),
    "when": phrases("(NP (DT this) (NN week))", "(NP (JJ last) (NN month))", "(NP (NN yesterday))",
                    "(PP (IN in) (NP {month}))", "(PP (IN in) (NP {year}))", "(NP (DT that) (NN evening))"),
    "where": phrases("(PP (IN in) (NP (DT an) (NN interview)))", "(PP (IN in) (NP {city}))",
                     "(PP (IN on) (NP (DT the) (NN phone)))", "(PP (IN at) (NP (DT a) (NN meeting)))"),
    "would": phrases("(MD would)", "(MD could)", "(MD might)"),
    "do_np": phrases("(VBP do) (NP (PRP you))", "(VBD did) (NP (PRP you))", "(VBD did) (NP (PRP he))",
                     "(VBZ does) (NP (PRP she))", "(VBP do) (NP (PRP they))", "(VBD did) (NP (DT the) {role})",
                     "(VBZ does) (NP {first})"),
    "that": phrases("", "", "(IN that) "),
    "knows": phrases("(VP (VB know))", "(VP (VB need))", "(VP (VB want))", "(VP (VB have))", "(VP (VB see))"),
    "label": phrases("(LS 1.)", "(LS 3.)", "(LS 4.)", "(LS 7.)", "(LS a.)", "(LS b.)",
                     "(-LRB- -LRB-) (LS 2) (-RRB- -RRB-)", "(LS 2) (-RRB- -RRB-)"),
    "pour": tagged("VB", "Stir Pour Mix Blend Whisk Scoop Press"),
    "cook": tagged("VB", "Chop Peel Slice Rinse Boil Bake Heat Melt Mash Roast Grate Wash Trim Cool"),
    "food": phrases("(NP (DT the) {thing_food})", "(NP (DT the) (VBN remaining) {thing_food})",
                    "(NP (NP (CD two) (NNS cups)) (PP (IN of) (NP {thing_food})))", "(NP (DT the) (NNS onions))",
                    "(NP (DT the) (NNS tomatoes))", "(NP (NP (NN salt)) (CC and) (NP (NN pepper)))",
                    "(NP (NP (NN flour)) (CC and) (NP {thing_food}))",
                    "(NP (DT the) (NNS eggs) (CC and) {thing_food})"),
    "thing_food": tagged("NN", "butter sugar cream garlic salt rice sauce milk cheese chicken dough oil"),
    "vessel": tagged("NN", "pan bowl pot oven dish skillet blender"),
    "until": phrases("(SBAR (IN until) (S (ADJP (JJ golden) (NN brown))))", "(SBAR (IN until) (S (ADJP (JJ tender))))",
                     "(PP (IN for) (NP {number} (NNS minutes)))", "(ADVP (RB gently))", "(ADVP (RB well))",
                     "(PP (IN with) (NP (DT a) (NN fork)))", "(PP (IN over) (NP (JJ low) (NN heat)))",
                     "(SBAR (IN until) (S (NP (DT the) {thing_food}) (VP (VBZ melts))))"),
    "news": phrases("(NP (NNP Fed))", "(NP (NN Government))", "(NP (NN Court))", "(NP (NN Mayor))", "(NP {last})",
                    "(NP {city} (NN man))", "(NP (NNP Senate))", "(NP (NN Study))", "(NP (NN Bank) (NN chief))"),
    "news_pl": phrases("(NP (NN Police))", "(NP (NN City) (NNS officials))", "(NP (NNS Doctors))",
                       "(NP (NNS Scientists))", "(NP {city} (NNS police))"),
    "crime": phrases("(NP (NN driver))", "(NP (NN suspect))", "(NP (NN body))", "(NP (NNS documents))",
                     "(NP (NN teenager))", "(NP (NN painting))", "(NP (NN bomb))", "(NP {city} (NN couple))",
                     "(NP (VBN missing) (NN girl))", "(NP {number} (NNS workers))"),
    "found": phrases("(VBN found)", "(VBN hidden)", "(VBN seen)", "(VBN left)"),
    "scene": phrases("(PP (IN in) (NP {city} {vessel_place}))", "(PP (IN near) (NP {vessel_place}))",
                     "(PP (IN after) (NP (NN crash)))", "(PP (IN at) (NP {group}))",
                     "(PP (IN outside) (NP (NN night) (NN club)))"),
    "vessel_place": tagged("NN", "park hotel airport school river church warehouse forest"),
    "cost": phrases("(VBD cost)", "(VBD paid)", "(VBD raised)", "(VBD lost)", "(VBD spent)"),
    "vbz_news": tagged("VBZ", "arrests finds seeks names rescues questions frees warns identifies"),
    "vbp_news": tagged("VBP", "arrest find seek rescue question free warn identify"),
    "gets": phrases("(VBZ gets)", "(VBZ becomes)", "(VBZ is)", "(VBZ seems)", "(MD will) (VP (VB be))"),
    "left": tagged("VBN", "stayed left waited helped died gone agreed failed won"),
    "more": tagged("RBR", "more longer harder faster sooner less further"),
    "kind": tagged("NN", "state tax family insurance business city"),
    "bare_noun": phrases("{mass_np}", "(NP {jj_nn})", "(NP {jj_nns})"),
    "bare": phrases("(NP {mass})", "(NP {plural})", "(NP {plural})", "(NP (DT a) {thing})",
                    "(NP (DT the) {plain} {thing})"),
    "mass_np": phrases("(NP {mass})"),
    "plain_ap": phrases("(ADJP {plain})", "(ADJP (RB very) {plain})", "(ADJP (RB too) {plain})"),
    "pp_of": phrases("(PP (IN of) {noun})", "(PP (IN for) {noun})", "(PP (IN in) (NP {city}))"),
    "pp_state": phrases("(PP (IN without) (NP {mass}))", "(PP (IN in) (NP (JJ good) (NN shape)))",
                        "(PP (IN under) (NP (NN pressure)))", "(PP (IN in) (NP {city}))",
                        "(PP (IN of) (NP (JJ poor) (NN quality)))", "(PP (IN at) (NP (NN risk)))",
                        "(PP (IN out) (PP (IN of) (NP (NN date))))"),
    "spot_np": phrases("(NP (DT the) {spot})", "(NP (DT the) {plain} {spot})", "(NP (PRP$ her) {group})",
                       "(NP (NP (DT the) {spot}) (PP (IN of) (NP (DT the) {group})))", "{noun}"),
    "town_np": phrases("(NP (NP (NNP Tucson)) (, ,) (NP (NNP Arizona)))",
                       "(NP (NP (NNP Akron)) (, ,) (NP (NNP Ohio)))", "(NP (NP (NNP Salem)) (, ,) (NP (NNP Oregon)))",
                       "(NP (NP (NNP Paris)) (, ,) (NP (NNP France)))"),
    "town_np_closed": phrases("(NP (NP (NNP Tulsa)) (, ,) (NP (NNP Oklahoma)) (, ,))",
                              "(NP (NP (NNP Reno)) (, ,) (NP (NNP Nevada)) (, ,))",
                              "(NP (NP (NNP Lima)) (, ,) (NP (NNP Peru)) (, ,))"),
    "thing_np": phrases("(NP (DT the) {thing})", "(NP (DT a) {plain} {thing})", "(NP (DT the) {group} {thing})",
                        "(NP (NP (DT the) {thing}) (PP (IN of) (NP (DT the) {group})))"),
    "name_only": phrases("(NP {first} {last})", "(NP {title} {last})", "(NP {first} {last})",
                         "(NP {office} {first} {last})"),
    "name": phrases("(NP {first})", "(NP {first} {last})", "(NP {title} {last})"),
    "he": phrases("(NP (PRP he))", "(NP (PRP she))"),
    "who": phrases("{he}", "{he}", "{name}", "{name}", "(NP (DT the) {role})", "(NP (DT the) {plain} {role})"),
    "who_object": phrases("{name}", "(NP (PRP him))", "(NP (PRP them))", "(NP (DT the) {role})"),
    "speaker": phrases("{name}", "{name}", "(NP (DT the) {role})", "(NP (DT a) {group} {role})", "{long_speaker}"),
    "long_speaker": phrases("(NP {name_only} (, ,) (NP (DT a) {role}))",
                            "(NP {name_only} (, ,) (NP (NP (DT the) {group} (POS 's)) {role}))",
                            "(NP {name_only} (, ,) (NP (NP {role}) (PP (IN of) (NP (DT the) {group}))))",
                            "(NP {name_only} (, ,) (SBAR (WHNP (WP who)) (S {pred_sg})))",
                            "(NP (NP (DT a) {role}) (PP (IN for) (NP (DT the) {group})))",
                            "(NP (NP (DT the) {role}) (PP (IN from) (NP {city})))"),
    "sg_late": phrases("{noun_sg}", "(NP (DT the) {plain} {thing})", "(NP {noun_sg} (PP (IN of) {noun}))",
                       "(NP {noun_sg} (PP (IN from) (NP {city})))", "(NP (NP (DT a) {role}) (PP (IN with) {noun}))"),
    "pl_late": phrases("{noun_pl}", "(NP {noun_pl} (PP (IN of) {noun}))",
                       "(NP (NP {number} {roles}) (PP (IN from) (NP {city})))", "(NP {noun} (CC and) {noun})"),
    "noun": phrases("{noun_sg}", "{noun_sg}", "{noun_pl}"),
    "np": phrases("{noun}", "{noun}", "{long_np}"),
    "said_speech": phrases("{s} (, ,)", "{s} (, ,)", "(S {s} (, ,) {but} {s}) (, ,)", "(S (VP {imperative}) (. !))",
                           "(S (VP {imperative})) (, ,)", "(S {clause} (. !))"),
    "asked_speech": phrases("(SQ {question} (. ?))", "(SBARQ {wh} (SQ {question}) (. ?))",
                            "(SBARQ (WHNP (WP Who)) (SQ {pred_past}) (. ?))"),
    "ask": phrases("(VBD asked)", "(VBZ asks)", "(VBD said)", "(VBD wondered)", "(VBD inquired)"),
    "wh": phrases("(WHADVP (WRB Why))", "(WHADVP (WRB How))", "(WHADVP (WRB When))", "(WHADVP (WRB Where))"),
    "and": tagged("CC", "and but"),
    "but": tagged("CC", "but and so"),
    "aside": phrases("(S (NP (PRP I)) (VP {think}))", "(S (NP (PRP it)) (VP (VBZ seems)))", "(S {who} (VP {says}))",
                     "(S {speaker} (VP {said}))", "(SINV (VP {say}) {speaker})", "(S (NP (PRP you)) (VP (VBP know)))",
                     "(S (NP (PRP we)) (VP {think}))"),
    "prn_quote": phrases("(PRN (, ,) ('' \") (SINV (VP {say}) {speaker}) (, ,)) (`` \")",
                         "(PRN (, ,) ('' \") (S {who} (VP {say})) (, ,)) (`` \")"),
    "cooking": phrases("{cook} {food}", "{cook} {food} {until}", "{pour} {food} (PP (IN into) (NP (DT the) {vessel}))",
                       "(VB Add) {food} (PP (IN to) (NP (DT the) {vessel}))", "(VB Stir) (PRT (RP in)) {food}",
                       "(VB Set) (ADVP (RB aside))", "(VB Serve) (ADVP (RB warm))",
                       "(VB Cover) (NP (DT the) {vessel})", "(VB Sprinkle) (PP (IN with) (NP {thing_food}))",
                       "(VB Put) {food} (PP (IN in) (NP (DT a) {vessel}))"),
    "s": phrases("(S {clause})"),
    "s_past": phrases("(S {past})"),
    "then_had": phrases("{who} (VP {would} (VP (VB have) {perfect}))",
                        "{who} (VP {would} (RB not) (VP (VB have) {perfect}))"),
    "only": phrases("(ADVP (RB Only) (RB then))", "(ADVP (RB Only) (RB later))", "(PP (RB Only) (IN in) (NP {city}))",
                    "(PP (RB Only) (IN after) {noun})", "(PP (RB Only) (IN by) (S {gerund}))",
                    "(PP (RB Only) (IN with) {noun})", "(PP (RB Not) (IN since) (NP {year}))",
                    "(ADVP (RB Never) (RB again))", "(ADVP (RB Only) (RB once))",
                    "(PP (IN At) (NP (DT no) (NN point)))", "(PP (IN By) (NP (DT no) (NNS means)))"),
    "be_glad": phrases("(VB be) (ADJP (JJ glad))", "(VB be) (ADJP (JJ sorry))", "(VB suffer)", "(VB complain)",
                       "(VB lose) (NP (NN money))"),
    "filler": phrases("(S (NP (PRP I)) (VP (VBP mean)))", "(S (NP (PRP you)) (VP (VBP know)))",
                      "(S (NP (PRP you)) (VP (VBP see)))", "(S (NP (PRP I)) (VP (VBP think)))"),
    "takes_pl": tagged("VBD", "wanted chose ordered brought") + tagged("VBP", "like prefer drink eat"),
    "likes": tagged("VBP", "like hate admire fear need avoid remember collect") + \
             tagged("VBD", "bought praised ignored hated loved"),
    "fast": tagged("RB", "fast far long hard early quickly often"),
    "more_mass": tagged("JJR", "more less"),
    "news_noun": tagged("NN", "storm strike tax budget flood trade fire heat election merger drought scandal"),
    "hits": tagged("VBZ", "hits divides sparks closes delays worries angers threatens"),
    "news_object": phrases("(NP {city})", "(NP (NN anger))", "(NP {city} (NN airport))", "(NP (NN oil) (NNS prices))",
                           "(NP (NN rail) (NNS passengers))"),
    "mass_crime": tagged("NN", "theft murder fraud arson assault"),
    "crime_noun": tagged("NN", "thief driver bomber gang gunman"),
    "vows": tagged("VBZ", "vows plans wants refuses agrees hopes"),
    "why": tagged("WRB", "why how when where"),
    "seems": tagged("VBZ", "seems appears") + tagged("VBD", "seemed appeared happened"),
    "seem": tagged("VBZ", "seems appears") + tagged("VBD", "seemed appeared"),
    "painted": tagged("VBD", "painted dyed"),
    "colour_only": tagged("JJ", "black white red green blue yellow brown grey"),
    "ate": tagged("VBD", "ate had cooked enjoyed ordered shared served tasted"),
    "dish": phrases("(DT the) (NN soup)", "(DT a) (NN salad)", "(NN spaghetti)", "(NN pizza)", "(DT the) (NN fish)",
                    "(NN rice)", "(DT the) (NN steak)", "(NNS pancakes)"),
    "side": tagged("NN", "cheese mustard garlic pepper cream bacon") + \
            tagged("NNS", "beans mushrooms onions anchovies nuts olives"),
    "cutlery": tagged("NN", "fork spoon knife ladle"),
    "feeling": tagged("NN", "delight care pleasure caution joy pride relief enthusiasm surprise patience"),
    "room": tagged("NN", "kitchen garden station attic office library museum airport cellar courtyard"),
    "watched": tagged("VBD", "watched saw spotted observed followed noticed"),
    "optic": tagged("NN", "telescope camera microscope lens mirror"),
    "garment": tagged("NN", "hat coat scarf uniform dress raincoat sweater suit"),
    "fitting": tagged("NN", "handle roof door lock window lid balcony"),
    "read_it": tagged("VBD", "read studied finished quoted found remembered"),
    "text": tagged("NN", "letter article book poem story essay report note novel song"),
    "vehicle": tagged("NN", "train bus plane boat tram ferry"),
    "lost": tagged("VBD", "lost found dropped forgot hid stole"),
    "object": tagged("NN", "key ticket lamp ring cup map wallet umbrella"),
    "of_which": tagged("IN", "to of for from behind"),
    "picture": tagged("NN", "picture painting portrait photograph map poster"),
    "sent": tagged("VBD", "sent mailed showed offered read lent"),
    "met_him": tagged("VBD", "met married interviewed visited questioned thanked"),
    "event": tagged("NN", "wedding party match concert trial meeting funeral dinner"),
    "is_sg": tagged("VBZ", "is") + tagged("VBD", "was"),
    "is_pl": tagged("VBP", "are") + tagged("VBD", "were"),
    "title_np": phrases("(NP (DT The) {title_jj} {title_nn})",
                        "(NP (NP (DT The) {title_nn}) (PP (IN of) (NP {title_nn})))",
                        "(NP {title_nn} (CC and) {title_nn})",
                        "(NP (NP {title_nn}) (PP (IN in) (NP (DT the) {title_nn})))",
                        "(NP (PRP$ My) {title_jj} {title_nn})"),
    "title_any": phrases("{title_np}", "{title_np}", "(S (VP (VB Remember) (NP (DT the) {title_nn})))",
                         "(S (NP (PRP We)) (VP (VBD Were) (NP (NNS Strangers))))",
                         "(PP (IN Under) (NP (DT the) {title_nn}))", "(PP (IN Beyond) (NP {title_nn}))",
                         "(S (VP (VBG Waiting) (PP (IN for) (NP {title_nn}))))",
                         "(S (VP (VB Call) (NP (PRP Me)) (PP (IN from) (NP {city}))))",
                         "(SBAR (WHADVP (WRB When)) (S (NP (DT the) {title_nn}) (VP (VBZ Sings))))",
                         "(SBARQ (WHNP (WP Who)) (SQ (VP (VBD Stole) (NP (DT the) {title_nn}))) (. ?))"),
    "title_jj": tagged("NNP", "Last Lost Blue Golden Hidden Broken Empty Secret"),
    "title_nn": tagged("NNP", "River Garden Winter Stranger Shadow Bridge Forest Mirror Harbor Rain Moon Journey"),
    "threw": tagged("VBD", "threw put gave took sent turned brought"),
    "throw": tagged("VB", "Throw Put Give Take Send Turn Bring"),
    "away": tagged("RP", "away back down out up"),
    "took": tagged("VBD", "took broke set woke went gave came blew"),
    "off": tagged("RP", "off down up out"),
    "called": tagged("VBN", "called turned taken torn thought sold"),
    "agency": tagged("NNP", "AP Reuters AFP UPI FP"),
    "day": tagged("CD", "3 7 12 18 21 28"),
    "about": tagged("RB", "about nearly almost roughly approximately"),
    "other": phrases("{he}", "{he}", "{name}", "{name}", "(NP (PRP they))", "(NP (PRP$ her) {role})", "(NP (PRP I))"),
    "indefinite": phrases("(NP (NN someone))", "(NP (NN somebody))", "(NP (DT a) {role})", "(NP (CD one) {role})"),
    "why_not_known": knowing("(WHADVP (WRB why))", "(WHADVP (WRB when))", "(WHADVP (WRB how))",
                             "(WHADVP (WRB where))"),
    "who_not_known": knowing("(WHNP (WP who))", "(WHNP (WDT which) (CD one))"),
    "what_not_known": knowing("(WHNP (WP what))"),
    "which_not_known": knowing("(WHNP (WDT which) (NNS ones))", "(WHNP (WHADJP (WRB how) (JJ many)))"),
    "with_not_known": knowing("(WHPP (IN with) (WHNP (WP whom)))", "(WHPP (IN for) (WHNP (WP what)))"),
    "liked": tagged("VBD", "treated helped trusted praised paid understood knew admired served"),
    "whom": phrases("(NP (DT the) {role})", "(NP (DT the) {roles})", "(NP (PRP$ her) {role})",
                    "(NP (PRP$ his) {roles})", "{name}", "(NP (JJ old) {roles})", "(NP (PRP$ his) {jj_person})",
                    "{noun}"),
    "edible": phrases("(NP {thing_food})", "(NP {plain} {thing_food})", "(NP {drink})", "(NP (DT the) {thing_food})",
                      "(NP (NNS apples))", "(NP (NNS eggs))", "(NP (NNS potatoes))", "(NP (NN tea))", "(NP (NN bread))",
                      "(NP (JJ white) (NN wine))", "(NP (JJ black) (NN coffee))", "(NP (DT any) (NN fish))"),
    "drinks": tagged("VB", "eat drink buy cook serve"),
    "wiped": tagged("VBD", "wiped scrubbed washed swept licked rubbed"),
    "clean": tagged("JJ", "clean dry smooth shiny bare"),
    "wiped_thing": tagged("NN", "table floor plate counter pan sink deck bench pot shelf blackboard spoon"),
    "pushed": tagged("VBD", "pushed pulled kicked slammed forced wrenched swung shoved pried held propped"),
    "open_shut": tagged("JJ", "open shut open closed"),
    "door": tagged("NN", "door gate window drawer lid box hatch trunk curtain cupboard shutter"),
    "hammered": tagged("VBD", "hammered pounded beat pressed rolled sanded stretched squashed"),
    "flat": tagged("JJ", "flat thin smooth tight"),
    "metal": tagged("NN", "metal dough iron foil clay wire copper leather sheet paste"),
    "cooked": tagged("VBD", "baked boiled fried burned squeezed roasted froze"),
    "crisp": tagged("JJ", "crisp solid hard black soft dry"),
    "knocked": tagged("VBD", "knocked struck beat shot shook"),
    "senseless": tagged("JJ", "unconscious senseless dead awake silly"),
    "shouted": tagged("VBD", "shouted laughed drank talked ran worried cried danced sang"),
    "hoarse": tagged("JJ", "hoarse sick silly tired ill blind awake"),
    "tore": tagged("VBD", "tore cut broke smashed chopped ripped"),
    "tearable": tagged("NN", "letter picture cloth map shirt loaf branch box envelope plate sheet"),
    "slid": tagged("VBD", "slid swung flew burst creaked slammed blew fell"),
    "broke_free": phrases("(VBD broke) (S (ADJP (JJ free)))", "(VBD broke) (S (ADJP (JJ loose)))",
                          "(VBD froze) (S (ADJP (JJ solid)))", "(VBD burned) (S (ADJP (JJ black)))",
                          "(VBD came) (S (ADJP (JJ loose)))", "(VBD snapped) (S (ADJP (JJ shut)))"),
    "ate_up": tagged("VBD", "ate served drank bought sold tasted preferred liked swallowed"),
    "raw": tagged("JJ", "raw cold hot warm fresh frozen plain uncooked whole neat"),
    "drink": tagged("NN", "meat fish soup coffee milk tea oyster carrot cabbage liver pie steak beer whisky"),
    "moody": tagged("JJ", "angry tired hungry happy sad alone drunk sober thirsty silent nervous empty-handed "
                          "penniless sick cheerful exhausted"),
    "came": phrases("(VBD left)", "(VBD arrived)", "(VBD returned)", "(VBD came) (ADVP (RB home))",
                    "(VBD went) (PP (IN to) (NP (NN bed)))", "(VBD woke) (PRT (RP up))", "(VBD came) (ADVP (RB back))",
                    "(VBD left) (NP (DT the) {thing})", "(VBD ran) (PP {way} (NP (DT the) {spot}))",
                    "(VBD sat) (ADVP (RB there))", "(VBD entered) (NP (DT the) {room})"),
    "lived": phrases("(VBD died) (S (ADJP (JJ young)))", "(VBD died) (S (ADJP (JJ rich)))",
                     "(VBD married) (S (ADJP (JJ young)))", "(VBD died) (S (NP (DT a) {role}))",
                     "(VBD returned) (S (NP (DT a) (NN hero)))", "(VBD left) (S (NP (DT a) (JJ broken) (NN man)))",
                     "(VBD was) (VP (VBN born) (S (ADJP (JJ poor))))",
                     "(VBD was) (VP (VBN buried) (S (ADJP (JJ alive))))"),
    "fronted": phrases("(NP (DT This) {thing})", "(NP (DT That) {thing})", "(NP (DT Those) {plural})",
                       "(NP (DT These) {plural})", "(NP (DT The) {plain} {thing})", "(NP {plural})", "(NP (DT That))",
                       "(NP (PRP$ His) {thing})", "(NP (NP (JJ Most)) (PP (IN of) (NP (DT the) {plural})))",
                       "(NP {mass})", "{np}"),
    "off_he": tagged("RB", "Away Off Back Down In Out Home Along"),
    "went_off": tagged("VBD", "went ran flew drove sailed rolled marched rode"),
    "turned_up": phrases("(VBD arrived)", "(VBD came)", "(VBD appeared)", "(VBD called)", "(VBD spoke)", "(VBD died)",
                         "(VBD entered)", "(VBD turned) (PRT (RP up))", "(VBD came) (ADVP (RB in))",
                         "(VBD sat) (PRT (RP down))", "(VBD stood) (PRT (RP up))", "(VBD showed) (PRT (RP up))",
                         "(VBD called) {when}", "(VBD came) (PP (IN to) (NP {city}))", "(VBD arrived) {when}",
                         "(VBD walked) (ADVP (RB in))", "(VBD was) (VP (VBN arrested))",
                         "(VBD was) (VP (VBN seen) {when})"),
    "some_one": phrases("(NP (DT A) {role})", "(NP (DT A) {role})", "(NP (NN Someone))", "(NP (NN Nobody))",
                        "(NP (DT Some) {role})", "(NP (DT An) (JJ old) {role})", "(NP (DT No) (NN one))",
                        "(NP (DT The) (JJ same) {role})", "(NP (CD One) {role})", "(NP (DT A) {jj_person})"),
    "jj_person": phrases("{plain} {role}", "{group} {role}", "{many} {role}"),
    "rumor": tagged("NN", "rumor report story claim suspicion hope fear idea warning belief"),
    "spread": phrases("(VBD spread)", "(VBD emerged)", "(VBD went) (PRT (RP around))", "(VBD arose)", "(VBD came)",
                      "(VBZ has) (VP (VBN appeared))", "(VBD was) (VP (VBN published))", "(VBD grew)",
                      "(VBD was) (VP (VBN heard))", "(VBD surfaced) {when}"),
    "a_tough": phrases("(DT a) {tough}", "(DT a) (JJ good)", "(DT the) (JJ right)", "(DT an) (JJ easy)"),
    "easy": phrases("{tough}", "{tough}", "(RB very) {tough}", "(RB so) {tough}", "(RB surprisingly) {tough}",
                    "(RB almost) (JJ impossible)"),
    "party": phrases("(NP (DT the) (NN tenant))", "(NP (DT the) (NN employer))", "(NP (DT the) (NN owner))",
                     "(NP (DT each) (NN party))", "(NP (DT the) (NN court))", "(NP (DT the) (NN licensee))",
                     "(NP (DT a) (NN person))", "(NP (DT the) (NN board))", "(NP (DT the) (NN secretary))",
                     "(NP (DT no) (NN member))", "(NP (DT the) (NN seller))", "(NP (DT any) (NN applicant))"),
    "shall": tagged("MD", "shall shall must may will"),
    "the_following": phrases("(NP (DT the) (NN following))", "(NP (DT the) (JJ following) {plural_law})",
                             "(NP (CD three) {plural_law})", "(NP (DT these) {plural_law})"),
    "plural_law": tagged("NNS", "conditions documents duties items costs rules facts parts payments persons"),
    "voc": phrases("{first_np}", "{first_np}", "(NP (NN sir))", "(NP (PRP$ my) (NN friend))", "(NP (NN madam))",
                   "(NP {title} {last})", "(NP (NNP Mom))", "(NP (NNP Dad))", "(NP (JJ dear))", "(NP (NNS folks))",
                   "(NP (NNS guys))", "(NP (NNP Doctor))", "(NP (NNP Grandma))", "(NP (PRP$ my) (NN dear))",
                   "(NP (PRP$ Your) (NNP Honor))", "(NP (NNS ladies) (CC and) (NNS gentlemen))", "(NP (NN boy))",
                   "(NP (NNS children))", "(NP (NN officer))"),
    "first_np": phrases("(NP {first})"),
    "oh": tagged("UH", "Oh Well Yes No Ah Hey Wow Okay Sure Alas Yeah Oops Yes No Well Gosh Hmm Right Hello Nope"),
    "um": tagged("UH", "uh um well oh er"),
    "thou": phrases("(VBP art) (ADJP {jj})", "(VBP art) (NP (DT a) {jj_nn})", "(VBP hast) (VP {participle} {noun})",
                    "(MD shalt) {base}", "(MD shalt) (RB not) {base}", "(MD wilt) {base}", "(VBP hast) {perfect}",
                    "(VBP dost) {base}", "(VBP art) (PP {way} {noun})", "(VBD wast) (ADJP {jj})",
                    "(VBP art) (RB not) (ADJP {jj})", "(VBP knowest) {noun}", "(VBP seest) {noun}",
                    "(VBD didst) {base}"),
    "hath": phrases("(VBZ hath) {perfect}", "(VBZ doth) {base}", "(VBZ hath) {noun}", "(VBZ doth) (RB not) {base}",
                    "(VBZ saith) (SBAR (IN that) {s})", "(VBZ hath) (RB not) {perfect}", "(VBZ cometh) {pp}",
                    "(VBZ maketh) (S {noun} (ADJP {jj}))", "(VBZ giveth) {noun}", "(VBZ loveth) {noun}",
                    "(VBZ goeth) {pp}"),
    "thy_one": phrases("(NP (PRP$ thy) {object})", "(NP (PRP$ thy) {thing})", "(NP (PRP$ thine) (JJ own) {thing})",
                       "(NP (PRP$ thy) {jj_nn})", "(NP (PRP$ thy) {role})", "(NP (PRP$ thy) (NN father))"),
    "thy": phrases("{thy_one}", "{thy_one}", "(NP (PRP$ thy) {jj_nns})", "(NP (PRP$ thy) {roles})",
                   "(NP (PRP$ thine) (NNS eyes))"),
    "stock": phrases("(NP (PRP$ Its) (NNS shares))", "(NP (DT The) (NNS shares))", "(NP (DT The) (NN stock))",
                     "(NP (NN Gold))", "(NP (NNS Sales))", "(NP (JJ Net) (NN income))", "(NP (NNS Profits))",
                     "(NP (NNS Prices))", "(NP (NNS Exports))", "(NP (NN Oil))", "(NP (NN Revenue))",
                     "(NP (DT The) (NN index))", "(NP {last})", "(NP (NNP Apex) (NNP Corp.))",
                     "(NP (NN Copper) (NNS futures))"),
    "closed": phrases("(VBD closed)", "(VBD ended)", "(VBD finished)", "(VBD traded)", "(VBD settled)", "(VBD stood)"),
    "rate": phrases("(NP {percent} (NN %))", "(NP {percent_point} (NN %))", "(NP {percent} (NN percent))",
                    "(NP ($ $) {decimal})", "(NP {number} (NNS cents))", "(NP (QP {about} {percent}) (NN %))",
                    "(NP {number} (NNS points))", "(NP (QP ($ $) {decimal} {scale}))",
                    "(NP (QP {about} ($ $) {decimal}))", "(NP (QP {about} ($ $) {decimal} {scale}))",
                    "(NP (QP (JJR more) (IN than) {percent}) (NN %))"),
    "percent_point": tagged("CD", "0.4 1.6 2.1 3.2 3.7 5.8 7.25 9.1 11.4 18.6"),
    "updown": tagged("RB", "up down up down off"),
    "year_ago": phrases("(PP (IN from) (ADVP (NP (DT a) (NN year)) (RBR earlier)))", "(PP (IN from) (NP {year}))",
                        "(PP (IN from) (NP (NP {rate_to}) (PP (IN in) (NP {month}))))", "(PP (IN in) (NP {month}))",
                        "(PP (IN from) (NP {month}))"),
    "price_to": phrases("(NP ($ $) {decimal})", "(NP ($ $) {price})", "(NP (QP ($ $) {decimal} {scale}))",
                        "(NP {price})"),
    "price": tagged("CD", "12.75 18.25 31.50 44.125 9.875 63.40 101.20 250.75 1,204 2,310.15"),
    "rate_to": phrases("(NP {percent} (NN %))", "(NP ($ $) {decimal})", "(NP (QP ($ $) {decimal} {scale}))"),
    "whose": phrases("(WHNP (WP$ whose) {thing})", "(WHNP (WP$ whose) {jj_nn})", "(WHNP (WP$ whose) {group})",
                     "(WHNP (WP$ whose) {plain} {thing})", "(WHNP (WP$ whose) {role})"),
    "which_sg": phrases("(WHNP (WDT which) {role})", "(WHNP (WDT whatever) {jj_nn})", "(WHNP (WDT what) {thing})",
                        "(WHNP (WHNP (WP who)) (PP (IN among) (NP (PRP us))))", "(WHNP (WDT which) {jj_nn})",
                        "(WHNP (WHNP (WDT which)) (PP (IN of) (NP (DT the) {roles})))", "(WHNP (WP whoever))",
                        "(WHNP (WHADJP (WRB how) (JJ much)) {mass})", "(WHNP (WP$ whose) {thing})"),
    "which_pl": phrases("(WHNP (WHADJP (WRB how) (JJ many)) {jj_nns})", "(WHNP (WHADJP (WRB how) (JJ many)) {plural})",
                        "(WHNP (WDT what) {jj_nns})", "(WHNP (WDT which) {roles})", "(WHNP (WP$ whose) {plural})",
                        "(WHNP (WHNP (WHADJP (WRB how) (JJ many))) (PP (IN of) (NP (DT the) {roles})))"),
    "asked_if": phrases("(VBD asked)", "(VBD wondered)", "(VBZ knows)", "(VBD knew)", "(VBD decided)", "(VBZ shows)",
                        "(VBD forgot)", "(VBD guessed)"),
    "if_clause": phrases("(SBAR (IN if) {s})", "(SBAR (IN although) {s})", "(SBAR (WHADVP (WRB when)) {s})",
                         "(SBAR (IN while) {s})", "(SBAR (IN before) {s})", "(SBAR (IN as) {s})",
                         "(SBAR (IN unless) {s})", "(SBAR (IN because) {s})", "(SBAR (IN after) {s})"),
    "complex": phrases("(S {if_clause} (, ,) {clause})", "(S {if_clause} (, ,) {clause})", "(S {if_clause} {clause})",
                       "(S {pp_front} (, ,) {clause})", "(S (PRN (, ,) {aside} (, ,)) {clause})",
                       "(S (SBAR (WHNP (WP what)) (S {object_gap})) (VP (VBZ is) {noun}))",
                       "(S (SBAR (WHNP (WP what)) (S {pred_past})) (VP (VBD was) (ADJP {jj})))",
                       "(S (INTJ {um}) (, ,) {clause})"),
    "news_thing": tagged("NN", "storm strike tax budget flood trade fire heat election merger drought scandal crime "
                               "health school police water housing bank hospital rail prison food energy climate army"),
    "news_what": tagged("NN", "damage fear warning crisis debate victim inquiry row plan shortage alert protest boom "
                              "probe deal reform chaos review cut scare dispute rescue"),
    "dead": tagged("JJ", "dead homeless injured missing safe angry unhappy ready free"),
    "bowl": phrases("(PP (IN in) (NP (DT a) (JJ large) {vessel}))", "(PP (IN in) (NP (DT a) {vessel}))",
                    "(PP (IN over) (NP (NN medium) (NN heat)))", "(PP (IN on) (NP (DT a) (VBN floured) (NN board)))",
                    "(PP (IN into) (NP (DT the) {vessel}))"),
    "minutes": phrases("(NP {number} (NNS minutes))", "(NP {few_np} (NNS minutes))", "(NP {digit} (NNS hours))",
                       "(NP (QP (RB about) {number}) (NNS minutes))", "(NP {number} (NNS seconds))"),
    "few_np": phrases("(QP {few})"),
    "done": phrases("(SBAR (IN until) (S (ADJP (JJ golden))))", "(SBAR (IN until) (S (ADJP (JJ tender))))",
                    "(SBAR (IN until) (S (ADJP (JJ golden) (NN brown))))", "(SBAR (IN until) (S (ADJP (JJ smooth))))",
                    "(SBAR (IN until) (S (NP (DT the) {thing_food}) (VP (VBZ is) (ADJP (JJ soft)))))",
                    "(SBAR (IN until) (S (VP (VBN melted))))", "(SBAR (IN until) (S (VP (VBN combined))))",
                    "(SBAR (IN until) (S (NP (DT the) {thing_food}) (VP (VBZ melts))))",
                    "(SBAR (IN until) (S (ADVP (RB just)) (VP (VBN set))))"),
    "three_foods": phrases("(NP (NN flour) (, ,) {thing_food} (CC and) {thing_food})",
                           "(NP (DT the) {thing_food} (, ,) {thing_food} (CC and) {thing_food})",
                           "(NP (NP (DT the) {thing_food}) (CC and) (NP (NP (NN half)) (PP (IN of) (NP (DT the) "
                           "{thing_food}))))", "(NP (NN salt) (CC and) (NN pepper))"),
    "clock": phrases("(NP {digit_clock} (NN a.m.))", "(NP {digit_clock} (NN p.m.))", "(NP (CD 7:30))",
                     "(NP (CD six) (RB o'clock))", "(NP (NN noon))", "(NP (NN midnight))"),
    "digit_clock": tagged("CD", "5 6 7 8 9 10 6:15 7:45 8:30 9:20 11:05"),
    "lights": phrases("(NP (DT the) (NNS lights))", "(NP (NP (DT the) (NNS lights)) (PP (IN in) (NP (DT the) {room})))",
                      "(NP (DT the) (NN radio))", "(NP (DT the) {room} (NNS lights))", "(NP (DT the) (NN heating))",
                      "(NP (DT the) (NN fan))", "(NP (DT all) (NNS alarms))", "(NP (DT the) (NN volume))",
                      "(NP (DT the) (NN television))", "(NP (DT the) (NN music))"),
    "song": phrases("(NP (DT some) (NN jazz))", "(NP (NP (DT a) (NN song)) (PP (IN by) (NP {first} {last})))",
                    "(NP (DT the) (JJ next) (NN song))", "(NP (JJ classical) (NN music))",
                    "(NP (PRP$ my) (NN playlist))", "(NP (DT the) (JJS latest) (NN news))",
                    "(NP (NP (DT the) (NN song)) (PP (IN from) (NP (DT the) (NN film))))",
                    "(NP (NP (NN something)) (ADJP {jj}))", "(NP (NN rock) (NN music))"),
    "asked_for": phrases("(NP (PRP$ my) (NNS messages))", "(NP (DT the) (NN weather) (NN forecast))",
                         "(NP (PRP$ my) (NN calendar))",
                         "(NP (NP (DT the) (NN score)) (PP (IN of) (NP (DT the) {event})))",
                         "(NP (NP (NNS flights)) (PP (IN from) (NP {city})) (PP (IN to) (NP {city})))",
                         "(NP (NP (NNS pictures)) (PP (IN of) (NP {plural})))",
                         "(NP (PRP$ my) (NN shopping) (NN list))",
                         "(NP (NP (DT all) (NNS flights)) (VP (VBG leaving) (NP {city}) (PP (IN before) {clock})))",
                         "(NP (NP (JJ cheap) (NNS hotels)) (PP (IN in) (NP {city})))",
                         "(NP (NP (DT the) (JJS nearest) {vessel_place}) (PP (IN to) (NP {city})))"),
    "this_when": phrases("(NP (NN today))", "(NP (NN tomorrow))", "(NP (NN tonight))", "(NP (DT this) (NN weekend))",
                         "(PP (IN on) (NP (NNP Friday)))", "(PP (IN at) {clock})", "(NP (NN tomorrow) (NN morning))"),
    "s_short": phrases("(S {short_clause})"),
    "jj": tagged("JJ", "old new large small quiet expensive strange cheap careful simple difficult happy tired angry "
                       "busy cold hot heavy light dark bright clear sad proud brave kind rude lazy clever stupid "
                       "polite shy"),
    "adverb": tagged("RB", "slowly quickly loudly softly carefully badly quietly gently rarely hard fast far"),
    "base_strand": phrases("(VP (VB work) (PP (IN with)))", "(VP (VB talk) (PP (IN to)))",
                           "(VP (VB live) (PP (IN with)))", "(VP (VB look) (PP (IN at)))",
                           "(VP (VB deal) (PP (IN with)))", "(VP (VB wait) (PP (IN for)))",
                           "(VP (VB get) (PP (IN to)))", "(VP (VB think) (PP (IN about)))"),
    "turned_up_it": phrases("(VBD arrived)", "(VBD appeared) {when}", "(VBD turned) (PRT (RP up))", "(VBD vanished)",
                            "(VBD came) (PRT (RP out))", "(VBD was) (VP (VBN found))", "(VBD fell)",
                            "(VBD was) (VP (VBN stolen) {when})", "(VBZ has) (VP (VBN been) (VP (VBN sold)))"),
    "pushed_n": tagged("VBN", "pushed pulled kicked slammed forced wrenched propped"),
    "whither": phrases("(WHADVP (WRB Whither))", "(WHADVP (WRB Whence))", "(WHADVP (WRB Where))", "(WHADVP (WRB Why))"),
    "goest": tagged("VBP", "goest comest dwellest weepest") + tagged("VBD", "camest"),
    "which_sg_front": phrases("(WHNP (WP Whoever))", "(WHNP (WDT Whatever) {thing})", "(WHNP (WDT Which) {role})"),
    "complex_short": phrases("(S {pp_front} (, ,) {clause})", "(S {pp_front} {clause})"),
    "when_day": phrases("(NP (NN today))", "(NP (NN tomorrow))", "(NP (JJ next) (NN week))", "(NP (NNP Friday))"),
    "degrees": tagged("CD", "325 350 375 400 425 180 200"),
    "asked_sg": phrases("(NP (DT the) {group} (NN address))",
                        "(NP (NP (DT the) (NN capital)) (PP (IN of) (NP {state})))", "(NP (DT the) (NN time))",
                        "(NP (NP (DT the) (NN price)) (PP (IN of) (NP {mass})))", "{noun_sg}",
                        "(NP (NP {first} (POS 's)) (NN number))", "(NP (PRP$ my) (JJ next) {event})"),
    "voc_call": phrases("(NP (NNP Mom))", "{name}", "(NP (PRP$ my) {role})", "(NP (DT a) (NN taxi))"),
    "wh_low": phrases("(WHADVP (WRB why))", "(WHADVP (WRB how))", "(WHADVP (WRB when))", "(WHADVP (WRB where))"),
    "oh_low": tagged("UH", "no yes well dear yeah ah oh"),
}

# What is made: trees with {slots}. {s} is a clause as an S, {clause} its subject and predicate; {np} any noun phrase,
# {noun} a short one; {who} a person; {base}, {gerund}, {perfect} a VP by the form of its verb.
#
# Where guidelines leave a choice, gold trees of the WSJ and of MASC decide: what is left of a clause after "but not" or
# before "too" is a FRAG; a question word alone is an SBAR; the complement of a verb that is left out stands in a VP of
# its own; a predicate of the subject or object ("left angry", "ate it raw") is an S; "so", "too" and "enough" have
# their clause in the ADJP or ADVP, an SBAR if something in it is missing; marks of items ("(a)") are an LST in the
# item; exclamations are an SBAR; vocatives and interjections at the end are in the VP.
PATTERNS = {
    "quotative-inversion": [
        "(SINV (`` \") {said_speech} ('' \") (VP {say}) {speaker} (. .))",
        "(SINV (`` \") {said_speech} ('' \") (VP {say}) {speaker} (. .))",
        "(SINV (`` \") {said_speech} ('' \") (VP {said}) {speaker} {when} (. .))",
        "(SINV (`` \") {said_speech} ('' \") (VP {said}) {speaker} {where} (. .))",
        "(SINV (`` \") {asked_speech} ('' \") (VP {ask}) {speaker} (. .))",
        "(SINV {s} (, ,) (VP {say}) {speaker} (. .))", "(SINV {s} (, ,) (VP {says}) {long_speaker} (. .))",
    ],
    "quotation": [
        "(S (`` \") {said_speech} ('' \") {who} (VP {say}) (. .))",
        "(S (`` \") {said_speech} ('' \") {speaker} (VP {said}) (. .))",
        "(S (`` \") {asked_speech} ('' \") {who} (VP {ask}) (. .))", "(S {s} (, ,) {speaker} (VP {say}) (. .))",
        "(S {who} (VP {say} (, ,) (`` \") {s}) (. .) ('' \"))",
    ],
    "negative-inversion": [
        "(SINV {never} {inverted} (. .))", "(SINV {never} {inverted} (. .))",
        "(S (S {negated}) (, ,) (CC nor) (SINV {inverted}) (. .))",
        "(SINV (SBAR (RB Only) (WHADVP (WRB when)) {s}) {inverted} (. .))",
        "(SINV (SBAR (RB Only) (IN after) {s}) {inverted} (. .))",
        "(SINV (PP (RB Not) (IN until) (NP {month})) {inverted} (. .))",
        "(S (SINV (CONJP (RB Not) (RB only)) {inverted}) (, ,) (CC but) {s} (. .))",
        "(S {who} (VP {say} (SBAR (IN that) (SINV {never} {inverted}))) (. .))",
        "(S (S {negated}) (, ,) (CC nor) (SINV (VBZ does) {he} {base}) (. .))",
        "(S (S {negated}) (, ,) (CC nor) (SINV (VBD did) {who} {base}) (. .))",
        "(SINV (NP (RB Not) (DT a) (JJ single) {thing}) (VBD did) {who} (VP (VB see)) (. .))",
        "(SINV (ADVP (RB Not) (RB once)) (VBD did) {who} {base} (. .))",
        "(SINV (PP (IN Under) (NP (DT no) (NNS circumstances))) (MD should) {who} {base} (. .))",
        "(SINV (ADVP (RB No) (RBR sooner)) (VBD had) {who} {perfect} (SBAR (IN than) {s_past}) (. .))",
        "(SINV (ADVP (RB Hardly)) (VBD had) {who} {perfect} (SBAR (WHADVP (WRB when)) {s_past}) (. .))",
        "(SINV (ADVP (RB Only) (RB rarely)) (VBZ does) {who} {base} (. .))",
        "(SINV {never} (VBD had) {who} {perfect} (. .))", "(SINV {never} (VBD did) {who} {base} (. .))",
        "(SINV {never} (MD will) {noun} {base} (. .))", "(SINV {never} (VBZ has) {noun_sg} {perfect} (. .))",
        "(SINV {only} (VBD did) {noun} {base} (. .))", "(SINV {only} (MD can) {noun} {base} (. .))",
        "(SINV {only} (VBD was) {noun_sg} (ADJP {plain}) (. .))",
        "(SINV (SBAR (RB Not) (IN until) {s_past}) (VBD did) {who} {base} (. .))",
        "(SINV (SBAR (RB Only) (IN if) {s}) (MD will) {noun} {base} (. .))",
        "(SINV (ADVP (RB Little)) (VBD did) {who} (VP (VB know) (SBAR (IN that) {s_past})) (. .))",
        "(SINV (CC Nor) (VBD did) {noun} {base} (. .))", "(SINV (CC Nor) (VBZ is) {noun_sg} (ADJP {plain}) (. .))",
        "(S (SINV (CONJP (RB Not) (RB only)) (VBD did) {who} {base}) (, ,) (CC but) (S {he} (ADVP (RB also)) "
        "{vp_past}) (. .))",
        "(SINV (ADJP (RB So) {plain}) (VP (VBD was)) {noun_sg} (SBAR (IN that) {s_past}) (. .))",
        "(SINV (ADVP (RB Hardly) (RB ever)) (VBZ does) {noun_sg} {base} (. .))",
    ],
    "locative-inversion": [
        "(SINV (PP {place_in} {spot_np}) (VP {stands_sg}) {sg_late} (. .))",
        "(SINV (PP {place_in} {spot_np}) (VP {stands_pl}) {pl_late} (. .))",
        "(SINV (PP (IN Among) (NP (DT the) {roles})) (VP (VBD was)) {long_speaker} (. .))",
        "(SINV (ADVP (RB Here)) (VP (VBZ comes)) {sg_late} (. .))",
        "(SINV (ADVP (RB There)) (VP (VBZ goes)) {sg_late} (. .))",
        "(SINV (ADJP (RBR More) {polysyllable}) (VP (VBZ is)) {sg_late} (. .))",
        "(SINV (ADJP (JJ Gone)) (VP (VBP are)) {pl_late} (. .))",
        "(SINV (VP (VBN Included) (PP (IN in) {noun})) (VP (VBZ is)) {sg_late} (. .))",
        "(SINV (VP (VBG Standing) (PP (IN behind) {noun})) (VP (VBD was)) {long_speaker} (. .))",
        "(SINV (ADVP (RB Then)) (VP (VBD came)) {sg_late} (. .))",
        "(SINV (PP (IN From) {spot_np}) (VP (VBD came)) {sg_late} (. .))",
        "(SINV (ADVP (RB Here)) (VP (VBP are)) {pl_late} (. .))", "(SINV (ADVP (RP Up)) (VP {went}) {sg_late} (. .))",
        "(SINV (ADJP (RB Equally) {polysyllable}) (VP (VBZ is)) {sg_late} (. .))",
        "(SINV (PP (PP {way} {spot_np}) (CC and) (PP {way} {spot_np})) (VP {stands_pl}) {pl_late} (. .))",
        "(SINV (VP (VBN Hidden) (PP {way} {spot_np})) (VP (VBD was)) {sg_late} (. .))",
    ],
    "conditional-inversion": [
        "(S (SBAR (SINV (VBD Had) {who} {perfect})) (, ,) {then_had} (. .))",
        "(S (SBAR (SINV (VBD Had) {noun} (RB not) (VP (VBN been) {plain_ap}))) (, ,) {then_had} (. .))",
        "(S (SBAR (SINV (MD Should) {who} {base})) (, ,) {who} (VP (MD will) {base}) (. .))",
        "(S (SBAR (SINV (MD Should) {noun} (VP (VB be) {plain_ap}))) (, ,) (VP (VB call) {noun}) (. .))",
        "(S (SBAR (SINV (VBD Were) {who} (S (VP (TO to) {base})))) (, ,) {who} (VP {would} {base}) (. .))",
        "(S (SBAR (SINV (VBD Were) {noun} {plain_ap})) (, ,) {who} (VP {would} {base}) (. .))",
        "(S {who} (VP {would} (VP (VB have) (VP {left} (SBAR (SINV (VBD had) {who} {perfect}))))) (. .))",
        "(S (SBAR (SINV (VBD Had) (NP (PRP it)) (RB not) (VP (VBN been) (PP (IN for) {noun})))) (, ,) {then_had} (. "
         ".))",
        "(S (SBAR (SINV (VBD Were) (NP (PRP it)) (RB not) (PP (IN for) {noun}))) (, ,) {who} (VP {would} {base}) (. "
         ".))",
        "(S (SBAR (SINV (VBD Had) {who} (ADVP (RB only)) {perfect})) (, ,) {then_had} (. .))",
        "(S (SBAR (SINV (VBD Had) {who} {perfect})) (, ,) {who} (VP {would} (RB not) {base}) (. .))",
        "(S (VP (VB Call) {noun} (SBAR (SINV (MD should) {who} {base}))) (. .))",
        "(S {who} (VP (MD will) (VP (VB be) {plain_ap} (SBAR (SINV (MD should) {noun} {base})))) (. .))",
        "(S (SBAR (SINV (MD Should) {who} {base})) (, ,) (VP (VB let) (S (NP (PRP me)) (VP (VB know)))) (. .))",
        "(S (SBAR (SINV (VBD Were) {who} (NP (DT a) {role}))) (, ,) {who} (VP {would} {base}) (. .))",
        "(SQ (SBAR (SINV (VBD Had) {who} {perfect})) (, ,) (MD would) {who} (VP (VB have) {perfect}) (. ?))",
        "(S (SBAR (SINV (VBD Had) {noun} {perfect})) (, ,) {noun} (VP {would} (VP (VB have) {perfect})) (. .))",
        "(S (SBAR (SINV (VBD Had) {noun} (RB not) {perfect})) (, ,) {noun} (VP {would} {base}) (. .))",
        "(S (SBAR (SINV (VBD Had) (NP (EX there)) (VP (VBN been) (NP (JJR more) {mass})))) (, ,) {then_had} (. .))",
        "(S (SBAR (SINV (MD Should) (NP (EX there)) (VP (VB be) (NP (DT any) {thing})))) (, ,) {noun} (VP (MD "
        "will) {base}) (. .))",
        "(S (SBAR (SINV (MD Should) {noun} (RB not) {base})) (, ,) {who} (VP (MD can) {base}) (. .))",
        "(S (SBAR (SINV (MD Should) (NP (PRP you)) {base})) (, ,) (VP {imperative}) (. .))",
        "(S (SBAR (SINV (MD Should) (NP (PRP you)) {base})) (, ,) (ADVP (RB simply)) (VP {imperative}) (. .))",
        "(S (SBAR (SINV (MD Should) {noun} {base})) (, ,) {noun_pl} {pred_pl} (. .))",
        "(S (SBAR (SINV (VBD Were) {noun} (S (VP (TO to) {base})))) (, ,) {noun} (VP {would} {base}) (. .))",
        "(S (SBAR (SINV (VBD Were) (NP (PRP I)) (NP (PRP you)))) (, ,) (NP (PRP I)) (VP {would} (RB not) {base}) "
        "(. .))",
        "(S (SBAR (SINV (VBD Were) {noun} (NP (DT a) {plain} {thing}))) (, ,) {noun} (VP {would} {base}) (. .))",
        "(S (SBAR (SINV (VBD Were) {noun} (ADJP {jjr}))) (, ,) {noun_pl} (VP {would} {base}) (. .))",
        "(S (SBAR (SINV (VBD Were) {noun_pl} (VP {participle} {pp}))) (, ,) {who} (VP {would} {base}) (. .))",
        "(S {noun} (VP {would} (VP (VB have) (VP (VBN been) (VP {participle} (, ,) (SBAR (SINV (VBD had) {noun} "
        "{perfect})))))) (. .))",
        "(S {who} (VP {would} (VP {be_glad} (SBAR (SINV (VBD were) {noun} (S (VP (TO to) {base})))))) (. .))",
        "(SBARQ (WHNP (WP What)) (SQ {would} {who} (VP (VB do) (, ,) (SBAR (SINV (VBD were) {noun} (S (VP (TO to) "
        "{base})))))) (. ?))",
    ],
    "comparative-inversion": [
        "(S {so_does} (. .))", "(S {so_does} (. .))", "(S {neither_does} (. .))", "(S {as_does} (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB as) {plain}) (SBAR (IN as) (SINV (VP (VBZ is)) {noun_sg})))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (ADJP {jjr}) (SBAR (IN than) (SINV (VP (VBD was)) {noun_sg})))) (. .))",
        "(S {noun_pl} (VP {fell} (PP {way} {noun}) (, ,) (SBAR (IN as) (SINV (VP (VBD did)) {pl_late}))) (. .))",
        "(S {name} (VP (VBZ works) (ADVP (ADVP {rbr}) (SBAR (IN than) (SINV (VP (VBZ does)) {sg_late})))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP {plain}) (, ,) (SBAR (IN as) (SINV (VP (VBD was)) {sg_late}))) (. .))",
        "(S {who} (VP {made} (NP (NP (JJR more) {plural}) (SBAR (IN than) (SINV (VP (VBD did)) {pl_late})))) (. .))",
        "(S {noun_pl} (VP {fell} (ADVP (ADVP (RBR faster)) (SBAR (IN than) (SINV (VP (VBD did)) {pl_late})))) (. .))",
        "(S {noun_pl} (VP {fell} (ADVP (ADVP (RB as) {adverb}) (SBAR (IN as) (SINV (VP (VBD did)) {pl_late})))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP {more_mass} {mass}) (SBAR (IN than) (SINV (VP (VBZ does)) {sg_late})))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RBR more) {polysyllable}) (SBAR (IN than) (SINV (VP (VBP are)) "
        "{pl_late})))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP (ADJP {jjr}) (SBAR (IN than) (SINV (VP (VBD were)) {pl_late})))) (. .))",
        "(S {who} (VP (MD will) (VP (VB earn) (NP (NP (JJR more)) (SBAR (IN than) (SINV (VP (MD will)) {sg_late}))))) "
        "(. .))",
        "(S {noun_sg} (VP (VBD cost) (NP (NP (JJR more)) (SBAR (IN than) (SINV (VP (VBD had)) {sg_late})))) (. .))",
    ],
    "interposed-clause": [
        "(S {subject_prn} (. .))", "(S {subject_prn} (. .))", "(S {auxiliary_prn} (. .))",
        "(S {pp_front} (PRN (, ,) {aside} (, ,)) {clause} (. .))", "(S {subject_bracket} (. .))",
        "(S {subject_dash} (. .))", "(S {subject_prn} (. .))", "(S {clause} (PRN (, ,) {aside}) (. .))",
    ],
    "broken-quotation": [
        "(S (`` \") {broken_subject} (. .) ('' \"))", "(S (`` \") {broken_subject} (. .) ('' \"))",
        "(S (`` \") {broken_auxiliary} (. .) ('' \"))", "(S (`` \") {s} {prn_quote} (CC and) {s} (. .) ('' \"))",
        "(S (`` \") {s} {prn_quote} (CC but) {s} (. .) ('' \"))",
        "(S (`` \") (VP (VP {imperative}) {prn_quote} (CC and) (VP {imperative})) (. .) ('' \"))",
        "(S (`` \") {pp_front} {prn_quote} {clause} (. .) ('' \"))",
        "(S (`` \") (SBAR (IN If) {s}) {prn_quote} {clause} (. .) ('' \"))",
        "(S (`` \") {broken_subject} (. .) ('' \"))", "(S (`` \") {s} {prn_quote} (CC and) {s} (. .) ('' \"))",
        "(S (`` \") (VP (VP {imperative}) {prn_quote} (CC and) (VP {imperative_low})) (. .) ('' \"))",
        "(S (`` \") (INTJ (UH No)) {prn_quote} {clause} (. .) ('' \"))",
        "(S (`` \") (SBAR (WHADVP (WRB When)) {s}) {prn_quote} {clause} (. .) ('' \"))",
        "(S (`` \") (NP {first}) {prn_quote} {clause} (. .) ('' \"))",
    ],
    "gapping": [
        "(S {gap_two} (. .))", "(S {gap_two} (. .))", "(S {gap_three} (. .))", "(S {gap_pp} (. .))",
        "(S {name} (VP (VP (VBD gave) {name} {noun}) (CC and) (VP {name} {noun})) (. .))",
        "(S {name} (VP (VP (VBD sent) {noun} (PP (IN to) {name})) (CC and) (VP {noun} (PP (IN to) {name}))) (. .))",
        "(S (S (NP (CD One) {role}) (VP (VBZ is) {plain_ap})) (, ,) (S (NP (DT the) (JJ other)) {plain_ap}) (. .))",
        "(S (S {name} (VP {takes} {bare})) (CC and) (S {name} {bare}) (. .))",
        "(S (S {he} (VP {takes} {bare})) (CC and) (S {he} {bare}) (. .))",
        "(S (S {who} (VP {takes} {bare})) (, ,) (CC and) (S {who} {bare}) (. .))",
        "(S (S {name} (VP {takes} {bare})) (, ,) (S {name} {bare}) (, ,) (CC and) (S {name} {bare}) (. .))",
        "(S (S (NP (DT Some)) (VP {went} (PP {way} {noun}))) (, ,) (S (NP (NNS others)) (PP {way} {noun})) (. .))",
        "(S (S {name} (VP (VBZ lives) (PP (IN in) (NP {city})))) (, ,) (CC and) (S {name} (PP (IN in) (NP {city}))) "
         "(. .))",
        "(S (S (NP (CD One) {role}) (VP {made} {noun})) (, ,) (S (NP (DT the) (JJ other)) {noun}) (. .))",
        "(S {who} (VP (VP (VBD gave) {name} {bare}) (CC and) (VP {name} {bare})) (. .))",
        "(S {who} (VP (VP (VBD put) {bare} (PP {way} (NP (DT the) {spot}))) (CC and) (VP {bare} (PP {way} (NP (DT the) "
        "{spot})))) (. .))",
        "(S {name} (VP (MD will) (VP (VP (VB visit) {name} {when}) (CC and) (VP {name} {when}))) (. .))",
        "(S (S {name} (VP (MD can) (VP (VB play) (NP (DT the) (NN piano))))) (, ,) (CC and) (S {name} (NP (DT the) (NN "
        "violin))) (. .))",
        "(S (S {name} (VP (VBD arrived) {when})) (, ,) (CC and) (S {name} {when}) (. .))",
        "(S (S {name} (VP (VBZ is) (NP (DT a) {role}))) (CC and) (S {name} (NP (DT a) {role})) (. .))",
        "(S (S (NP (PRP$ Her) {role}) (VP (VBD was) (NP (DT a) {role}))) (, ,) (S (NP (PRP$ her) {role}) (NP (DT "
        "a) {role})) (. .))",
        "(S (S {who} (VP (VBD seemed) (ADJP {plain}))) (CC and) (S {who} (ADJP {plain})) (. .))",
        "(S (S {noun_sg} (VP (VBD was) (ADJP {plain}))) (, ,) (S {noun_sg} (ADJP {plain})) (, ,) (CC and) (S "
        "{noun_sg} (ADJP {plain})) (. .))",
        "(S (S (NP (DT The) (JJ first)) (VP (VBD was) (ADJP {plain}))) (, ,) (S (NP (DT the) (JJ second)) (ADJP "
        "(RB very) {plain})) (. .))",
        "(S (S {name} (VP {went} (PP {way} {noun}))) (CC and) (S {name} (PP {way} {noun})) (. .))",
        "(S (S {name} (VP (VBD spoke) (ADVP (RB softly)))) (, ,) (CC and) (S {name} (ADVP (RB loudly))) (. .))",
        "(S (S {name} (VP (VBD sent) {noun} (PP (IN to) {name}))) (, ,) (CC and) (S {name} {noun} (PP (IN to) "
        "{name})) (. .))",
        "(S (S {name} (VP (VBD gave) {name} {bare})) (CC and) (S {name} {name} {bare}) (. .))",
        "(S (S {name} (VP (VBZ has) (VP (VBN read) {bare}))) (, ,) (CC and) (S {name} {bare}) (. .))",
        "(S (S {name} (VP (VBZ wants) (S (VP (TO to) (VP (VB buy) {bare}))))) (, ,) (CC but) (S {name} {bare}) (. .))",
        "(S (S {name} (VP (MD will) (VP (VB bring) {bare}))) (CC and) (S {name} {bare}) (. .))",
        "(S (S (NP {roles}) (VP (VBD wanted) {bare})) (, ,) (S (NP {roles}) {bare}) (. .))",
        "(S (S (NP (DT Some)) (VP {takes_pl} {bare})) (: ;) (S (NP (NNS others)) {bare}) (. .))",
        "(S (S (NP {plural}) (VP (VBD rose) (NP {percent} (NN %)))) (, ,) (CC and) (S (NP {plural}) (NP {percent} "
        "(NN %))) (. .))",
        "(S (S (PP (IN In) (NP {month})) {who} (VP {went} (PP (IN to) (NP {city})))) (, ,) (CC and) (S (PP (IN "
        "in) (NP {month})) (PP (IN to) (NP {city}))) (. .))",
        "(S (S (NP (JJ Last) (NN year)) {who} (VP (VBD lost) {bare})) (, ,) (CC and) (S (NP (DT this) (NN year)) "
        "{bare}) (. .))",
        "(S {who} (VP (VP (VBD paid) {name} (NP {number} (NNS dollars))) (CC and) (VP {name} (NP {number}))) (. .))",
        "(S {who} (VP (VP (VBD taught) {noun_pl} (NP {mass})) (, ,) (CC and) (VP {noun_pl} (NP {mass}))) (. .))",
        "(S {who} (VP (VP (VBZ speaks) (PP (IN to) {name}) (PP (IN on) (NP (NNPS Mondays)))) (CC and) (VP (PP (IN "
        "to) {name}) (PP (IN on) (NP (NNPS Fridays))))) (. .))",
        "(S {who} (VP (MD can) (VP (VP (VB lend) {name} {bare}) (CC or) (VP {name} {bare}))) (. .))",
        "(S (S (NP (PRP I)) (VP (VBD ordered) {bare})) (CC and) (S {who} {bare}) (. .))",
    ],
    "right-node-raising": [
        "(S {who} (VP {went} (PP (PP {way}) (, ,) {also} (PP {way}) (, ,) {noun})) (. .))",
        "(S {who} (VP {went} (PP (PP {way}) {also} (PP {way}) {noun})) (. .))",
        "(S {who} (VP {once} (, ,) (CC and) {still} (, ,) (NP (DT a) {plain} {role})) (. .))",
        "(S {noun_sg} (VP {once} (, ,) (CC and) {still} (, ,) {plain_ap}) (. .))",
        "(S (S {who} (VP {made})) (, ,) (CC but) (S {who} (VP (ADVP (RB never)) {made_too})) (, ,) {thing_np} (. .))",
        "(S (S {who} (VP (MD may) (VP (VB like)))) (, ,) (CC but) (S {who} (VP (MD will) (VP (VB hate)))) (, ,) "
        "{thing_np} (. .))",
        "(S {who} (VP (VP {made}) (, ,) (CC and) (VP (ADVP (RB later)) {made_too}) (, ,) {thing_np}) (. .))",
        "(S (S {name} (VP {made})) (, ,) (CC and) (S {name} (VP {made_too})) (, ,) {thing_np} (. .))",
        "(S (S (NP {first}) (VP (VBZ loves))) (, ,) (CC but) (S (NP {first}) (VP (VBZ hates))) (, ,) {noun} (. .))",
        "(S {who} (VP {transitive} {thing_np}) (. .))",
        "(S {name} (VP (VP (VBZ has) (VP (VBN been))) (, ,) (CC and) (VP (MD will) (VP (VB remain))) (, ,) "
         "{sg_late}) (. .))",
        "(S {name} (VP (VBD looked) (PP (PP (IN under)) (, ,) (CC and) (PP (IN behind)) (, ,) {noun})) (. .))",
        "(S {name} (VP (VBD talked) (PP (PP (IN about)) (, ,) (CC but) (PP (RB never) (IN to)) (, ,) {noun})) (. "
         ".))",
        "(S (S (NP (PRP I)) (VP {likes})) (, ,) (CC but) (S {noun_pl} (VP {likes})) (, ,) {np} (. .))",
        "(S (S {noun_pl} (VP {likes})) (, ,) (CC and) (S {noun_pl} (VP {likes})) (, ,) {np} (. .))",
        "(S (S {who} (VP (VBD suspected))) (, ,) (CC and) (S {who} (VP (VBD knew))) (, ,) (SBAR (IN that) "
        "{s_past}) (. .))",
        "(S (S {who} (VP {made})) (CC and) (S {who} (VP {made_too})) {thing_np} (. .))",
        "(S {who} (VP (MD can) (, ,) (CC and) (MD should) (, ,) {base}) (. .))",
        "(S {who} (VP (VBZ is) (ADJP (ADJP (JJ fond) (PP (IN of))) (, ,) (CC but) (ADJP (JJ afraid) (PP (IN of))) "
        "(, ,) {noun})) (. .))",
        "(S {noun_pl} (VP (VBD were) (ADJP (ADJP (JJ interested) (PP (IN in))) (CC and) (ADJP (VBN worried) (PP "
        "(IN about))) {noun})) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (ADJP (RB as) {plain}) (PP (IN as))) (, ,) (CC or) (ADJP (ADJP "
        "{jjr}) (PP (IN than))) (, ,) {noun})) (. .))",
        "(S {name} (VP (VBZ is) (NP (NP (NP (DT a) (NN lover)) (PP (IN of))) (, ,) (CC and) (NP (NP (DT an) (NN "
        "expert)) (PP (IN on))) (, ,) {noun})) (. .))",
        "(S {who} (VP (VP (VBD wrote) (PP (IN to))) (CC and) (VP (VBD heard) (PP (IN from))) {noun}) (. .))",
        "(S {who} (VP (VP (VBD looked) (PP (IN at))) (, ,) (CC but) (VP (VBD did) (RB not) (VP (VB buy))) (, ,) "
        "{thing_np}) (. .))",
        "(S {who} (VP (VP (MD can) (VP (VB see))) (, ,) (CC but) (VP (MD can) (RB not) (VP (VB reach))) (, ,) "
        "{noun}) (. .))",
        "(S (S {name} (VP (VBD had) (VP (VBN cooked)))) (, ,) (CC and) (S {name} (VP (VBD had) (VP (VBN "
        "served)))) (, ,) {noun} (. .))",
    ],
    "comparative": [
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP {jjr}) (PP (IN than) {noun}))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP (ADJP (RBR more) {polysyllable}) (PP (IN than) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (ADJP (RB as) {plain}) (PP (IN as) {noun}))) (. .))",
        "(S {name} (VP {made} (NP (NP (JJR more) (NNS books)) (PP (IN than) {name}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP {jjr}) (SBAR (IN than) (S {who} (VP (VBD thought)))))) (. .))",
        "(S {name} (VP (VBZ works) (ADVP (ADVP {rbr}) (SBAR (IN than) (S {name} (VP (VBZ does)))))) (. .))",
        "(S {name} (VP (VBD had) (NP (NP (JJR more) (NN money)) (SBAR (IN than) (S {who} (VP (MD could) (VP (VB "
         "spend))))))) (. .))",
        "(S {who} (VP {takes} (NP (NP (JJR more) {plural}) (PP (IN than) (NP {plural})))) (. .))",
        "(S {who} (VP (VBD had) (NP (NP (RB as) (JJ many) {plural}) (PP (IN as) {name}))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP (RB as) (JJ much) {mass}) (SBAR (IN as) (S {who} (VP (VBZ does)))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB twice) (RB as) {plain}) (PP (IN as) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (ADJP (RBR less) {polysyllable}) (SBAR (IN than) (S {who} (VP (VBD had) (VP "
        "(VBN hoped))))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB much) {jjr}) (PP (IN than) (ADVP (RB before))))) (. .))",
        "(S (NP (NP (JJR Fewer) {plural}) (PP (IN than) (ADVP (RB ever)))) {pred_pl} (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (ADJP {jjr}) (SBAR (IN than) (S (VP (VBN expected)))))) (. .))",
        "(S {who} (VP (VBD left) (ADVP (ADVP (RB as) (RB soon)) (PP (IN as) (ADJP (JJ possible))))) (. .))",
        "(S {who} (VP {went} (ADVP (ADVP {rbr}) (PP (IN than) {who_object}))) (. .))",
        "(S {who} (VP {went} (ADVP (ADVP (RB as) {fast}) (PP (IN as) {who_object}))) (. .))",
        "(S {who} (VP {went} (ADVP (ADVP (RB as) {fast}) (SBAR (IN as) (S {he} (VP (MD could)))))) (. .))",
        "(S {name} (VP (VBZ is) (NP (NP (DT a) {jjr} {role}) (PP (IN than) {noun}))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP {more_mass} {mass}) (PP (IN than) (NP {mass})))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP {more_mass} {mass}) (SBAR (IN than) (S {noun_sg} (VP (VBZ does)))))) (. .))",
        "(S {who} (VP (VBD bought) (NP (NP (JJR fewer) {plural}) (SBAR (IN than) (S {he} (VP (VBD had) (VP (VBN "
        "planned))))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (NP {number} (NNS inches)) {jjr}) (PP (IN than) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB no) {jjr}) (PP (IN than) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (RB not) (ADJP (ADJP (RB as) {plain}) (SBAR (IN as) (S (NP (PRP it)) (VP (VBZ "
        "looks)))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB as) {plain}) (SBAR (IN as) (S (NP (PRP it)) (VP (VBZ is) (ADJP "
        "{plain})))))) (. .))",
        "(S {noun_sg} (VP (VBZ costs) (NP (NP (RB twice) (RB as) (JJ much)) (PP (IN as) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RBR more) {polysyllable}) (SBAR (IN than) (S {noun_sg} (VP (VBZ "
        "is)))))) (. .))",
        "(S {who} (VP {made} (NP (NP (DT the) (JJ same) {thing}) (PP (IN as) {name}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (RB so) {plain} (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {takes} (NP {mass}) (ADVP (ADVP (RBR more)) (PP (IN than) (NP {mass})))) (. .))",
        "(S {who} (VP (VBZ works) (ADVP (ADVP {rbr}) (PP (IN than) (NP (NP (DT any)) (PP (IN of) {noun_pl}))))) "
        "(. .))",
        "(S {who} (VP (VBD knew) (NP (NP (JJR more)) (PP (IN about) {noun}) (SBAR (IN than) (S {noun} (VP (VBD "
        "did)))))) (. .))",
        "(S (ADVP (RBR More)) (NP {roles}) (VP (VBP live) (ADVP (RB here)) (PP (IN than) (PP (IN in) (NP "
        "{city})))) (. .))",
    ],
    "correlative-comparative": [
        "(S (SBAR (X (DT The) {more}) (S {short_clause})) (, ,) (X (DT the) {more}) {short_clause} (. .))",
        "(S (SBAR (X (DT The) {more}) (S {short_clause})) (, ,) (X (DT the) {jjr}) {noun_sg} (VP {gets}) (. .))",
        "(S (SBAR (X (DT The) {jjr}) (S {noun_sg} (VP {gets}))) (, ,) (X (DT the) {jjr}) {noun_sg} (VP {gets}) (. "
         ".))",
        "(S (SBAR (X (DT The) {jjr}) (S {noun_pl} (VP (VBP are)))) (, ,) (X (DT the) (RBR more) {polysyllable}) "
         "{noun_sg} (VP {gets}) (. .))",
        "(X (X (DT The) {jjr}) (, ,) (X (DT the) {jjr}) (. .))",
    ],
    "cleft": [
        "(S (NP (PRP It)) (VP (VBD was) {name} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S (NP (PRP It)) (VP (VBD was) {noun_sg} (SBAR (WHNP (WDT that)) (S {pred_past}))) (. .))",
        "(S (NP (PRP It)) (VP (VBZ is) {noun} (SBAR (WHNP (WDT that)) (S {object_gap}))) (. .))",
        "(S (NP (PRP It)) (VP (VBD was) (PP (IN in) (NP {month})) (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (PRP It)) (VP (VBD was) (ADVP (RB only) (RB then)) (SBAR (IN that) {s_past})) (. .))",
        "(S (SBAR (WHNP (WP What)) (S {object_gap})) (VP (VBZ is) {np}) (. .))",
        "(S (NP (NP (DT All)) (SBAR (S {who} (VP (VBD did))))) (VP (VBD was) {base}) (. .))",
        "(SQ (VBD Was) (NP (PRP it)) {name} (SBAR (WHNP (WP who)) (S {pred_past})) (. ?))",
    ],
    "tag-question": [
        "(SQ {tagged} (. ?))", "(SQ {tagged} (. ?))", "(SQ {tagged} (. ?))",
        "(SQ (S (VP {imperative})) (, ,) (SQ (MD will) (NP (PRP you))) (. ?))",
        "(SQ (S (VP (VB Let) (S (NP (PRP 's)) {base}))) (, ,) (SQ (MD shall) (NP (PRP we))) (. ?))",
        "(SQ (S (NP (EX There)) (VP (VBZ is) {noun_sg})) (, ,) (SQ (VBZ is) (RB n't) (NP (EX there))) (. ?))",
    ],
    "long-distance-question": [
        "(SBARQ (WHNP (WP What)) (SQ {do_np} (VP {thinks} (SBAR {that}(S {object_gap})))) (. ?))",
        "(SBARQ (WHNP (WP What)) (SQ {do_np} (VP {thinks} (SBAR {that}(S {object_gap})))) (. ?))",
        "(SBARQ (WHNP (WP Who)) (SQ {do_np} (VP {thinks} (SBAR (S {pred_sg})))) (. ?))",
        "(SBARQ (WHADVP (WRB Where)) (SQ {do_np} (VP {thinks} (SBAR {that}{s}))) (. ?))",
        "(SBARQ (WHADVP (WRB When)) (SQ {do_np} (VP {thinks} (SBAR {that}{s}))) (. ?))",
        "(SBARQ (WHNP (WDT Which) {role}) (SQ {do_np} (VP {thinks} (SBAR (S {pred_sg})))) (. ?))",
        "(SBARQ (WHNP (WP What)) (SQ {do_np} (VP (VB want) (S (VP (TO to) {base_gap})))) (. ?))",
        "(SBARQ (WHADVP (WRB Why)) (SQ {do_np} (VP {thinks} (SBAR {that}{s}))) (. ?))",
    ],
    "clausal-subject": [
        "(S (SBAR (IN That) {s}) (VP {moved} {noun}) (. .))",
        "(S (SBAR (IN That) {s}) (VP (VBZ is) (ADJP {state_of})) (. .))",
        "(S (SBAR (IN Whether) {s}) (VP (VBZ remains) (ADJP (JJ unclear))) (. .))",
        "(S (SBAR (WHNP (WP What)) (S {object_gap})) (VP {moved} {noun}) (. .))",
        "(S (SBAR (WHADVP (WRB Why)) {s}) (VP (VBZ is) (NP (DT another) (NN question))) (. .))",
        "(S (S (VP (TO To) {base})) (VP (MD would) (VP (VB be) (ADJP {state_of}))) (. .))",
        "(S (S {gerund}) (VP (VBZ is) (ADJP {state_of})) (. .))", "(S (S {gerund}) (VP {moved} {noun}) (. .))",
        "(S (SBAR (IN For) (S {who_object} (VP (TO to) {base}))) (VP (MD would) (VP (VB be) (ADJP {state_of}))) (. "
         ".))",
        "(S (SBAR (WHADVP (WRB How)) {s_past}) (VP (VBZ is) (NP (DT a) (NN mystery))) (. .))",
        "(S (SBAR (WHNP (WP Who)) (S {pred_past})) (VP (VBZ is) (RB not) (VP (VBN known))) (. .))",
        "(S (SBAR (WHNP (WP Whoever)) (S {pred_past})) (VP (MD will) {base}) (. .))",
        "(S (SBAR (WHADVP (WRB Where)) {s_past}) (VP (VBD did) (RB not) (VP (VB matter) (PP (IN to) "
        "{who_object}))) (. .))",
        "(S (NP (NP (DT The) (NN fact)) (SBAR (IN that) {s})) (VP {moved} {noun}) (. .))",
        "(S (SBAR (IN That) {s}) (VP (VBZ is) (SBAR (WHNP (WP what)) (S (VP (VBZ worries) {noun})))) (. .))",
        "(S (SBAR (IN Whether) {s}) (VP (VBZ depends) (PP (IN on) {noun})) (. .))",
        "(S (S {gerund}) (VP (MD can) (VP (VB be) (ADJP {state_of}))) (. .))",
        "(S (S {gerund}) (VP (VBD took) (NP {number} (NNS hours))) (. .))",
        "(S (S (VP (TO To) {base})) (VP (VBZ is) (S (VP (TO to) {base}))) (. .))",
    ],
    "headline": [
        "(S {headline})", "(S {headline})", "(S {headline})",
        "(S {news} (VP {vbz_news} {crime} (SBAR (IN after) (S {crime} (VP {found} {scene})))))",
        "(S {crime} (VP {found} {scene}))", "(S {news_pl} (VP {vbp_news} {crime} {scene}))",
        "(S {news_pl} (VP (TO to) {base_short}))", "(S {news} (VP (TO to) {base_short}))",
        "(S (S {crime} (VP {found} {scene})) (, ,) (NP (NN police)) (VP (VBP say)))",
        "(S (NP (CD Two)) (VP (VBN killed) {scene}))", "(S (NP {news_noun}) (VP {hits} (NP {plural})) {scene})",
        "(S (NP {news_noun}) (VP {hits} {news_object}))",
        "(S (NP (NP (NN Man)) (, ,) (NP {number}) (, ,)) (VP (VBN charged) (PP (IN with) (NP {mass_crime}))))",
        "(S {news} (VP {vows} (S (VP (TO to) {base_short}))))",
        "(S {news_pl} (VP (VBP vow) (S (VP (TO to) {base_short}))) (PP (IN after) (NP {news_noun})))",
        "(S (NP (NN Plan) (S (VP (TO to) {base_short}))) (VP {hits} (NP {roles})))",
        "(S (NP (NP (NNS Talks)) (PP (IN on) (NP {news_noun}))) (VP (VBP collapse)))",
        "(S {news} (VP (VBZ says) (SBAR (S (NP {news_noun}) (ADJP {plain})))))",
        "(S {news} (VP (VBZ rejects) (NP (NP (NN appeal)) (PP (IN over) (NP {news_noun})))))",
        "(S (NP {plural}) (VP (VBP rise) (SBAR (IN as) (S (NP {plural}) (VP (VBP fall))))))",
        "(S (NP {news_noun}) (VP (VBZ leaves) (S (NP {number}) (ADJP (JJ dead)))) {scene})",
        "(S (NP (NN City) (NN council) {news_noun}) (VP (VBN delayed)))",
        "(S {crime} (VP (VBN found) (ADJP (JJ alive)) (PP (IN after) (NP {number} (NNS days)))))",
        "(S {news_pl} (VP (VBP hunt) (NP {crime_noun}) (SBAR (IN as) (S (NP {news_noun}) (VP (VBZ spreads))))))",
    ],
    "instruction": [
        "(S (LST {label}) (VP {imperative}) (. .))", "(S (VP {imperative}) (. .))",
        "(S (LST {label}) (VP {cooking}) (. .))", "(S (VP {cooking}) (. .))", "(S (VP {cooking}) (. .))",
        "(S (VP (VP {cooking}) (CC and) (VP {cooking_low})) (. .))",
        "(S (VP (VP {cooking}) (, ,) (VP {cooking_low}) (CC and) (VP {cooking_low})) (. .))",
        "(S (LST {label}) (VP (VP {imperative}) (CC and) (VP {imperative_low})) (. .))",
        "(S (VP (VB Let) (S {food} (VP (VB cool) {until}))) (. .))", "(S (LST {label}) (VP {cooking}))",
    ],
    "elliptical-possessive": [
        "(S (S (NP (NP {first} (POS 's)) {thing}) (VP (VBZ is) {plain_ap})) (, ,) (CC but) (S (NP {first} (POS "
         "'s)) (VP (VBZ is) (RB not))) (. .))",
        "(S (S (NP (PRP$ Its) (NNS profits)) (VP (VBD rose) (NP {percent} (NN %)))) (, ,) (CC but) (S (NP (DT the) "
         "{group} (POS 's)) (VP (VBD fell))) (. .))",
        "(S (NP (PRP$ Her) {thing}) (VP (VBD was) (ADJP (ADJP {jjr}) (PP (IN than) (NP (PRP$ her) {role} (POS "
         "'s))))) (. .))",
        "(S (NP (DT That) {thing}) (VP (VBZ is) (NP {first} (POS 's))) (. .))",
        "(S (NP (DT This) {thing}) (VP (VBZ is) (NP (DT the) {role} (POS 's))) (. .))",
        "(S {who} (VP {made} (NP (NP (DT the) {role} (POS 's)) (, ,) (RB not) (NP {first} (POS 's)))) (. .))",
        "(S (S (NP (PRP$ Our) {thing}) (VP (VBZ is) {plain_ap})) (CC and) (S (NP (PRP$ their) {role} (POS 's)) "
         "{plain_ap}) (. .))",
    ],
    "amount": [
        "(S (NP (DT The) {group}) (VP {cost} (NP (QP ($ $) {decimal} {scale}))) (. .))",
        "(S (NP (DT The) {group}) (VP {cost} (NP (QP {about} ($ $) {decimal} {scale}))) (. .))",
        "(S (NP (QP (JJR More) (IN than) {number}) (NNS people)) {pred_pl} (. .))",
        "(S (NP (QP {about} {number}) {roles}) {pred_pl} (. .))",
        "(S (NP (NNS Sales)) (VP (VBD rose) (NP {percent} (NN %)) (PP (IN to) (NP (QP ($ $) {decimal} {scale}))) "
         "(PP (IN from) (NP (QP ($ $) {decimal} {scale})))) (. .))",
        "(S {name} (VP (VBD paid) (NP (QP (IN at) (JJS least) {digit} (CD hundred)) (NNS dollars)) (PP (IN for) "
         "(NP (DT the) {thing}))) (. .))",
        "(S (NP (NP (QP (RB Only) {number})) (PP (IN of) {noun_pl})) {pred_pl} (. .))",
        "(S (NP (DT The) {group}) (VP {made} (NP (DT a) (ADJP (QP ($ $) {decimal} {scale})) {thing})) (. .))",
        "(S (NP (DT The) {thing}) (VP (VBD took) (NP (QP {few}) (NNS years))) (. .))",
    ],
    "apposition": [
        "(S (NP {name_only} (, ,) (NP (NP {role}) (PP (IN of) (NP (DT the) {group}))) (, ,)) {pred_sg} (. .))",
        "(S (NP {name_only} (, ,) (NP (CD 52)) (, ,)) {pred_sg} (. .))",
        "(S (NP {name_only} (, ,) (NP (DT a) {plain} {role}) (, ,)) {pred_sg} (. .))",
        "(S (NP (PRP$ My) {role} {first}) {pred_sg} (. .))",
        "(S (NP (NP {name_only}) (PP (IN of) {town_np_closed})) {pred_sg} (. .))",
        "(S {who} (VP (VBD met) (NP (NP (DT the) {role}) (, ,) {name_only})) (. .))",
        "(S {who} (VP (VBD lived) (PP (IN in) {town_np})) (. .))",
        "(S (NP (JJ Former) {role} {first} {last}) {pred_sg} (. .))",
        "(S (NP {name_only} (, ,) (NP (NP (NN president) (CC and) (NN chief) (NN executive)) (PP (IN of) (NP (DT "
         "the) {group}))) (, ,)) {pred_sg} (. .))",
    ],
    "nx": [
        "(S {who} (VP {made} (NP (DT the) (NX (NX {jj_nn}) (CC and) (NX {jj_nn})))) (. .))",
        "(S {who} (VP {made} (NP (DT all) (NX (NX {jj_nns}) (CC and) (NX {jj_nns})))) (. .))",
        "(S (NP (DT The) (NX (NX {jj_nns}) (CC and) (NX {jj_nns}))) {pred_pl} (. .))",
        "(S (NP (NP (DT The) {group} (POS 's)) (NX (NX {jj_nns}) (, ,) (NX {jj_nns}) (CC and) (NX {jj_nns}))) "
         "{pred_pl} (. .))",
        "(S (NP (NP {first} (POS 's)) (NX (NX {jj_nn}) (CC and) (NX {jj_nn}))) (VP {moved} {noun}) (. .))",
        "(S (PP (IN In) (NP (PRP$ their) (NX (NX {jj_nn}) (CC or) (NX {jj_nn})))) (, ,) {clause} (. .))",
        "(S {who} (VP (VBD talked) (PP (IN about) (NP (DT these) (NX (NX {jj_nns}) (CC and) (NX {jj_nns}))))) (. "
         ".))",
    ],
    "nac": [
        "(S (NP (DT The) (NAC {town} (, ,)) {group}) {pred_sg} (. .))",
        "(S (NP (DT A) (NAC {town} (, ,)) {role}) {pred_sg} (. .))",
        "(S {who} (VP {said} (PP (IN to) (NP (DT a) (NAC {town} (, ,)) {role}))) (. .))",
        "(S {name} (VP (VBD worked) (PP (IN at) (NP (DT the) (NAC (NNP University) (PP (IN of) (NP {state}))) (NN "
         "hospital)))) (. .))",
        "(S {name} (VP (VBD left) (NP (DT the) (NAC (NNP Bank) (PP (IN of) (NP {state}))) (NN building)) {when}) "
         "(. .))",
        "(S (NP (DT The) (NAC (NNP Department) (PP (IN of) (NP (NNP Energy)))) {role}) {pred_sg} (. .))",
        "(S (NP (DT The) (NAC (NNP Chamber) (PP (IN of) (NP (NNP Commerce)))) (NN office)) {pred_sg} (. .))",
    ],
    "ucp": [
        "(S {noun_sg} (VP (VBZ is) (UCP (ADJP {plain}) (CC and) {pp_state})) (. .))",
        "(S {name} (VP (VBZ is) (UCP (NP (DT a) {role}) (CC and) (ADJP (RB very) {plain}))) (. .))",
        "(S (NP (UCP {kind} (CC and) (JJ local)) (NNS taxes)) (VP (MD will) {base_short}) (. .))",
        "(S (NP (UCP (JJ legal) (CC and) {kind}) (NNS experts)) {pred_pl} (. .))",
        "(S {name} (VP (VBD asked) (PP (IN about) (UCP {noun} (CC and) (SBAR (IN whether) {s})))) (. .))",
        "(S {name} (VP (VBD worked) (UCP (ADVP (RB slowly)) (CC and) (PP (IN without) (NP {mass})))) (. .))",
        "(S {name} (VP (VBZ knows) (UCP {noun} (CC and) (SBAR (WHADVP (WRB where)) {s}))) (. .))",
        "(S {noun_pl} (VP (VBD were) (UCP (ADJP {plain}) (, ,) (ADJP {plain}) (CC and) {pp_state})) (. .))",
    ],
    "fragment": [
        "(FRAG (RB Not) {pp} (. .))", "(FRAG (RB Not) {np} (. .))",
        "(FRAG (WHNP (WP What)) (PP (IN about) {np}) (. ?))", "(FRAG (WHADVP (WRB How)) (PP (IN about) {np}) (. ?))",
        "(FRAG (WHADVP (WRB Why)) {np} (. ?))", "(FRAG (WHADVP (WRB Why)) (RB not) {pp} (. ?))",
        "(FRAG (CC And) {np} {pp} (. ?))", "(FRAG {pp} (, ,) {np} (. .))", "(FRAG (ADVP (RB Probably)) {pp} (. .))",
        "(FRAG {np} (, ,) (RB not) {np} (. .))", "(FRAG (SBAR (IN If) (FRAG (ADJP (JJ necessary)))) (, ,) {pp} (. .))",
        "(FRAG (ADJP (RB So) {plain}) {pp} (. .))", "(FRAG (NP (DT No) {jj_nn}) (, ,) (NP (DT no) {jj_nn}) (. .))",
        "(FRAG (ADVP (RB Then)) {np} (. .))", "(FRAG (RB Not) (ADVP (RB now)) (. .))",
        "(FRAG (RB Not) (SBAR (IN if) {s}) (. .))", "(FRAG (SBAR (IN Because) {s}) (. .))",
        "(FRAG (RB Not) (SBAR (IN because) {s}) (. .))", 
        "(FRAG (WHNP (WP What)) (SBAR (IN if) {s}) (. ?))", "(FRAG (WHADVP (WRB Why)) {pp} (. ?))",
        "(FRAG (CC And) {pp} (. .))", "(FRAG (CC But) (RB not) {np} (. .))", "(FRAG (CC Or) {np} {pp} (. .))",
        "(FRAG (ADJP {plain}) (, ,) (CC but) (RB not) (ADJP {plain}) (. .))", "(FRAG {np} (, ,) {pp} (. .))",
        "(FRAG (ADVP (RB Maybe)) {np} (. .))", "(FRAG (ADVP (RB Perhaps)) {when} (. .))",
        "(FRAG (NP {number} (NNS years)) (ADVP (RB later)) (, ,) {np} (. .))",
        "(FRAG (SBAR (IN If) (FRAG (RB not))) (, ,) (WHADVP (WRB why)) (RB not) (. ?))",
        "(FRAG (ADVP (RB Never)) {pp} (. .))", "(FRAG (CC And) (ADVP (RB now)) {np} (. .))",
        "(FRAG (RB Not) (SBAR (IN that) {s}) (. .))", "(FRAG (NP (DT No) (NN wonder)) (SBAR {s}) (. .))",
        "(FRAG (SBAR (IN As) (IN if) {s}) (. .))", "(FRAG (ADVP (RB Hence)) {noun_sg} (. .))",
        "(FRAG (ADVP (RB So) (RB much)) (PP (IN for) {noun}) (. .))",
        "(FRAG (ADVP (RB Hardly)) (NP (DT a) {plain} {thing}) (. .))",
        "(FRAG (ADVP (RB Back)) (PP (IN to) {noun}) (. .))", "(FRAG (CC Or) (ADVP (RB maybe)) (RB not) (. .))",
        "(FRAG (PP (IN Of) (NP (NN course))) (RB not) (. .))", "(FRAG (CC And) (ADVP (RB then)) (NP {mass}) (. .))",
        "(FRAG (RB Not) (ADJP (RB very) {plain}) (. .))",
        "(FRAG (RB Not) (ADJP {plain}) (, ,) (CC but) (ADJP {plain}) (. .))",
        "(FRAG (RB Not) (S (VP (TO to) {base})) (. .))", "(FRAG (ADVP (RB Even)) {np} (. .))",
        "(FRAG (ADVP (RB Only)) {pp} (. .))", "(FRAG {np} (, ,) (ADVP (RB perhaps)) (. .))",
        "(FRAG {np} (, ,) (ADVP (RB too)) (. .))", "(FRAG (NP {first}) (: :) {np} (. .))",
        "(FRAG (ADVP (RB Sincerely)) (, ,) (NP {first} {last}))",
        "(FRAG (INTJ (UH Oh)) (, ,) (ADVP (RB really)) (. ?))", "(FRAG (ADVP (RB Almost)) {when} (. .))",
        "(FRAG (NP {number} (NNS years)) {pp} (, ,) (CC and) (ADVP (RB still)) (NP (DT no) {thing}) (. .))",
    ],
    "list": [
        "(S {who} (VP {made} (NP (NP (CD three) (NNS things)) (: :) (NP {noun} (, ,) {noun} (CC and) {noun}))) (. "
         ".))",
        "(NP (LST {label}) (NP {jj_nn}) {pp_of})",
        "(S (NP (DT The) {thing}) (VP (VBZ has) (NP (NP (LST (-LRB- -LRB-) (LS a) (-RRB- -RRB-)) {bare_noun}) (, "
         ",) (NP (LST (-LRB- -LRB-) (LS b) (-RRB- -RRB-)) {bare_noun}) (CC and) (NP (LST (-LRB- -LRB-) (LS c) "
         "(-RRB- -RRB-)) {bare_noun}))) (. .))",
        "(NP (LST {label}) {jj_nn})", "(NP (NP {jj_nn}) (: :) (NP {mass} (, ,) {mass} (CC and) {mass}))",
        "(S (LST {label}) {clause} (. .))",
    ],
    "extraposition": [
        "(S (NP (NP (PRP It))) (VP (VBZ is) (ADJP {state_of}) (SBAR (IN that) {s})) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD was) (ADJP {state_of}) (S (VP (TO to) {base}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (ADJP {state_of}) (SBAR (IN for) (S {who_object} (VP (TO to) "
         "{base})))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD took) (NP {number} (NNS hours)) (S (VP (TO to) {base}))) (. .))",
        "(S {who} (VP (VBD found) (S (NP (NP (PRP it))) (ADJP {state_of}) (SBAR (IN that) {s}))) (. .))",
        "(S {who} (VP (MD may) (VP (VB find) (S (NP (NP (PRP it))) (ADJP {state_of}) (S (VP (TO to) {base}))))) (. "
         ".))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (VP (VBN known) (SBAR (IN that) {s}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD was) (NP (DT a) (NN shame)) (SBAR (IN that) {s})) (. .))",
        "(S (NP (NP (PRP It))) (VP {seems} (SBAR (IN that) {s})) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD turned) (PRT (RP out)) (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (PRP It))) (VP {moved} {who_object} (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (PRP It))) (VP {moved} {who_object} (S (VP (TO to) {base}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ does) (RB not) (VP (VB matter) (SBAR (IN whether) {s}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (RB not) (ADJP (JJ clear)) (SBAR (WHADVP {why}) {s_past})) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (RB not) (VP (VBN known) (SBAR (WHNP (WP who)) (S {pred_past})))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD was) (NP (DT a) (NN mistake)) (S (VP (TO to) {base}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (NP (DT no) (NN use)) (S {gerund})) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD was) (ADJP (JJ nice)) (S {gerund})) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD was) (ADJP (RB very) {state_of}) (PP (IN of) {who_object}) (S (VP (TO to) "
        "{base}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBD made) (S {who_object} (ADJP (JJ sad))) (S (VP (TO to) {base}))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ has) (VP (VBN been) (VP (VBN claimed) (SBAR (IN that) {s})))) (. .))",
        "(S (NP (NP (PRP It))) (VP (MD may) (VP (VB be) (ADJP {state_of}) (SBAR (IN that) {s}))) (. .))",
        "(SQ (VBZ Is) (NP (NP (PRP it))) (ADJP {state_of}) (SBAR (IN that) {s}) (. ?))",
        "(S (NP (NP (DT A) {role})) (VP (VBD came) (ADVP (RB in)) (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S (NP (NP (DT A) {thing})) (VP (VBD appeared) {when} (SBAR (WHNP (WDT that)) (S (VP {moved} {noun})))) "
        "(. .))",
        "(S (NP (NP (DT The) (NN claim))) (VP (VBD was) (VP (VBN made) (SBAR (IN that) {s}))) (. .))",
        "(S (NP (NP (NNS Rumors))) (VP (VBD spread) (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (DT A) (NN review))) (VP (VBD appeared) (PP (IN of) {noun})) (. .))",
        "(S {who} (VP (VBD made) (S (NP (NP (PRP it))) (ADJP (JJ clear)) (SBAR (IN that) {s}))) (. .))",
        "(S {who} (VP (VBD considered) (S (NP (NP (PRP it))) (NP (DT a) {thing}) (S (VP (TO to) {base})))) (. .))",
    ],
    "small-clause": [
        "(S {who} (VP {judged} (S {noun} {plain_ap})) (. .))",
        "(S (NP {roles}) (VP (VBP consider) (S {noun} {plain_ap})) (. .))",
        "(S (NP (PRP I)) (VP (VBP find) (S {noun} {plain_ap})) (. .))",
        "(S {noun_pl} (VP {named} (S {noun_sg} {office_np})) (. .))",
        "(S (NP (PRP They)) (VP {named} (S {who_object} {office_np})) (. .))",
        "(S {who} (VP {heard} (S {who_object} {gerund})) (. .))", "(S {who} (VP {heard} (S {noun} {gerund})) (. .))",
        "(S {who} (VP {let} (S {who_object} {base})) (. .))",
        "(S {who} (VP (VBD wanted) (S {noun} (VP {participle}))) (. .))",
        "(S {who} (VP (VBZ makes) (S {noun} (VP (VB look) {plain_ap}))) (. .))",
        "(S (PP (IN With) (S {noun} {plain_ap})) (, ,) {clause} (. .))",
        "(S (S (NP (PRP$ His) (NNS arms)) (VP (VBN folded))) (, ,) {clause} (. .))",
        "(S {who} (VP (VBD had) (S (NP (DT the) {thing}) (VP {participle}))) (. .))",
        "(S {who} (VP {painted} (S (NP (DT the) {spot}) (ADJP {colour_only}))) (. .))",
        "(S {who} (VP (VBD was) (VP (VBN elected) (S {office_np}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (VP (VBN considered) (S {plain_ap}))) (. .))",
        "(S {who} (VP (VBP want) (S {noun} (PP {way} {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ makes) (S {noun} {plain_ap})) (. .))",
        "(S {who} (VP (MD will) (VP (VB let) (S {who_object} {base}))) (. .))",
        "(S {who} (VP {judged} (S {noun} (NP (DT a) {plain} {thing}))) (. .))",
        "(S {who} (VP (VBZ calls) (S {who_object} (NP (DT a) {plain} {role}))) (. .))",
        "(S {who} (VP (VBD watched) (S {noun} (VP (VB leave) (NP (DT the) {thing})))) (. .))",
    ],
    "infinitive": [
        "(S {noun_sg} (VP (VBZ is) (ADJP {tough} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP {tough} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S (NP (DT This) {thing}) (VP (VBD was) (ADJP (RB too) {plain} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {who} (VP (VBZ is) (ADJP {eager} (S (VP (TO to) {base})))) (. .))",
        "(S {who} (VP (VBD was) (ADJP {eager} (S (VP (TO to) {base})))) (. .))",
        "(S {noun} (VP (VBD seemed) (S (VP (TO to) {base}))) (. .))",
        "(S {who} (VP (VBD asked) {who_object} (S (VP (TO to) {base}))) (. .))",
        "(S {who} (VP (VBD promised) {who_object} (S (VP (TO to) {base}))) (. .))",
        "(S {who} (VP (VBD expected) (S {noun} (VP (TO to) {base}))) (. .))",
        "(S (NP (EX There)) (VP (VBD seemed) (S (VP (TO to) (VP (VB be) {noun})))) (. .))",
    ],
    "garden-path": [
        "(S (NP {noun_sg} (VP {participle} {pp})) (VP {fell}) (. .))",
        "(S (NP {noun_pl} (VP {participle} {noun})) (VP {fell} {pp}) (. .))",
        "(S (NP (DT The) {many}) (VP {mans} {noun_pl}) (. .))",
        "(S (NP (DT The) {many}) {pred_pl} (. .))",
        "(S (SBAR (IN While) (S {who} (VP (VBD was) (VP (VBG eating))))) (, ,) {noun} (VP {fell}) (. .))",
        "(S (SBAR (WHADVP (WRB When)) (S {who} (VP (VBD left)))) {noun} (VP {fell}) (. .))",
        "(S (SBAR (IN While) (S {who} (VP (VBD read)))) {noun} (VP {fell}) (. .))",
        "(S (SBAR (IN After) (S {who} (VP (VBD ate)))) {noun} (VP {fell}) (. .))",
        "(S (NP (NP (DT The) {role}) (SBAR (S {who} (VP (VBD knew))))) (VP {fell}) (. .))",
        "(S (NP (NP (DT The) {thing}) (SBAR (S {name} (VP {made})))) (VP {fell}) (. .))",
        "(S {who} (VP (VBD told) (NP (NP (DT the) {role}) (SBAR (WHNP (WP who)) (S {pred_past}))) (SBAR (IN that) "
        "{s})) (. .))",
        "(S {who} (VP (VBD knew) (SBAR (S (NP (DT the) {role}) {pred_past}))) (. .))",
    ],
    "attachment": [
        "(S {who} (VP {made_it} (NP (NP (DT the) {animal}) (PP (IN with) (NP (DT the) {colour} {part})))) (. .))",
        "(S {who} (VP {made_it} (NP (NP (DT a) {role}) (PP (IN with) (NP (DT a) {colour} {part})))) (. .))",
        "(S {who} (VP {made_it} (NP (DT the) {animal}) (PP (IN with) (NP (DT a) {tool}))) (. .))",
        "(S {who} (VP {made_it} (NP (DT the) {thing}) (PP (IN with) (NP (DT a) {plain} {tool}))) (. .))",
        "(S {who} (VP (VBD put) (NP (NP (DT the) {thing}) (PP {way} (NP (DT the) {spot}))) (PP (IN into) (NP (DT a) "
        "{vessel}))) (. .))",
        "(S {who} (VP (VBD put) (NP (NP (DT the) {plural}) (PP (IN from) (NP (DT the) {vessel}))) (PP (IN on) (NP "
         "(DT the) "
        "{spot}))) (. .))",
        "(S (NP (NP (DT The) {role}) (PP (IN of) (NP (NP (DT the) {role}) (PP (IN of) (NP {city}))))) {pred_sg} (. .))",
        "(S {who} (VP (VBD met) (NP (NP (DT the) {role}) (PP (IN of) (NP (NP (DT the) {role}) (SBAR (WHNP (WP who)) (S "
        "{pred_past})))))) (. .))",
        "(S {who} (VP (VBD saw) (NP (NP (DT the) {role}) (PP (IN from) (NP {city}))) {when}) (. .))",
        "(S {who} (VP (VBD read) (NP (NP (DT a) {thing}) (PP (IN about) {noun})) {when}) (. .))",
        "(S {who} (VP (VBD sent) (NP (NP (DT the) {thing}) (PP (IN of) (NP (DT the) {group}))) (PP (IN to) {name})) "
         "(. .))",
        "(S {who} (VP {ate} (NP (NP {dish}) (PP (IN with) (NP {side})))) (. .))",
        "(S {who} (VP {ate} (NP {dish}) (PP (IN with) (NP (DT a) {cutlery}))) (. .))",
        "(S {who} (VP {ate} (NP {dish}) (PP (IN with) (NP (PRP$ his) {role}))) (. .))",
        "(S {who} (VP {ate} (NP {dish}) (PP (IN with) (NP {feeling}))) (. .))",
        "(S {who} (VP {ate} (NP {dish}) (PP (IN in) (NP (DT the) {room}))) (. .))",
        "(S {who} (VP {watched} (NP (DT the) {role}) (PP (IN with) (NP (DT a) {optic}))) (. .))",
        "(S {who} (VP {watched} (NP (NP (DT the) {role}) (PP (IN with) (NP (DT the) {garment})))) (. .))",
        "(S {who} (VP {watched} (NP (NP (DT the) {role}) (PP (IN in) (NP (DT the) {colour_only} {garment})))) (. .))",
        "(S {who} (VP {watched} (NP (DT the) {role}) (PP (IN from) (NP (DT the) {room}))) (. .))",
        "(S {who} (VP {watched} (NP (DT the) {animal}) (PP (IN with) (NP {feeling}))) (. .))",
        "(S {who} (VP {made_it} (NP (DT the) {spot}) (PP (IN with) (NP (PRP$ her) {tool}))) (. .))",
        "(S {who} (VP {made_it} (NP (NP (DT the) {spot}) (PP (IN with) (NP (DT the) {colour} {fitting})))) (. .))",
        "(S {who} (VP {read_it} (NP (NP (DT the) {text}) (PP (IN about) {noun})) (PP (IN on) (NP (DT the) "
        "{vehicle}))) (. .))",
        "(S {who} (VP {read_it} (NP (DT the) {text}) (PP (IN on) (NP (DT the) {vehicle}))) (. .))",
        "(S {who} (VP {read_it} (NP (NP (DT the) {text}) (PP (IN on) (NP (DT the) {spot})))) (. .))",
        "(S {who} (VP {read_it} (NP (NP (DT the) {text}) (PP (IN from) (NP (PRP$ her) {role})))) (. .))",
        "(S {who} (VP {lost} (NP (NP (DT the) {object}) (PP {of_which} (NP (DT the) {spot})))) (. .))",
        "(S {who} (VP {lost} (NP (DT the) {object}) (PP (IN in) (NP (DT the) {room}))) (. .))",
        "(S {who} (VP {lost} (NP (NP (DT the) {object}) (PP (IN from) (NP {city}))) (PP (IN on) (NP (DT the) "
        "{vehicle}))) (. .))",
        "(S {who} (VP (VBD hung) (NP (NP (DT the) {picture}) (PP (IN of) (NP (PRP$ her) {role}))) (PP (IN over) "
        "(NP (DT the) {spot}))) (. .))",
        "(S {who} (VP (VBD hung) (NP (DT the) {picture}) (PP (IN on) (NP (NP (DT the) {spot}) (PP (IN of) (NP (DT "
        "the) {room}))))) (. .))",
        "(S {who} (VP {sent} (NP (NP (DT the) {text}) (PP (IN about) {noun})) (PP (IN to) (NP (NP (DT the) "
        "{role}) (PP (IN of) (NP (DT the) {group}))))) (. .))",
        "(S {who} (VP {sent} (NP (DT a) {text}) (PP (IN to) (NP (NP (DT the) {role}) (PP (IN in) (NP {city}))))) "
        "(. .))",
        "(S {who} (VP {met_him} (NP (NP (DT the) {role}) (PP (IN from) (NP {city}))) (PP (IN at) (NP (DT the) "
        "{event}))) (. .))",
        "(S {who} (VP {met_him} (NP (DT the) {role}) (PP (IN after) (NP (DT the) {event}))) (. .))",
        "(S {who} (VP {met_him} (NP (NP (DT the) {role}) (SBAR (WHNP (WP who)) (S (VP {made} (NP (DT the) "
        "{picture}))))) (PP (IN at) (NP (DT the) {event}))) (. .))",
        "(S {who} (VP (VBD arrived) (PP (IN at) (NP (DT the) {room})) (PP (IN with) (NP {number} {plural}))) (. .))",
        "(S {who} (VP (VBD lived) (PP (IN in) (NP (NP (DT a) {thing}) (PP (IN with) (NP (DT a) {colour_only} "
        "{fitting}))))) (. .))",
        "(S {who} (VP (VBD lived) (PP (IN in) (NP (DT a) {thing})) (PP (IN with) (NP (PRP$ her) {role}))) (. .))",
        "(S (NP (NP (DT The) {plural}) (PP (IN on) (NP (NP (DT the) {spot}) (PP (IN near) (NP (DT the) "
        "{room}))))) (VP (VBD were) (ADJP {plain})) (. .))",
        "(S (NP (NP (DT The) {role}) (PP (IN with) (NP (DT the) {garment}))) (VP {watched} (NP (DT the) "
        "{animal})) (. .))",
        "(S {who} (VP (VBD said) (SBAR (IN that) (S {who} (VP (VBD had) (VP (VBN left) {when}))))) (. .))",
        "(S {who} (VP (VBD cut) (NP (DT the) (NN bread)) (PP (IN with) (NP (DT the) {cutlery})) (PP (IN on) (NP "
        "(DT the) {spot}))) (. .))",
        "(S {who} (VP (VBD asked) (PP (IN for) (NP (NP (DT a) {text}) (PP (IN from) (NP (DT the) {group}))))) (. .))",
        "(S {who} (VP (VBD gave) (NP (NP (DT an) (NN answer)) (PP (IN to) (NP (DT the) (NN question)))) {when}) "
        "(. .))",
        "(S {who} (VP (VBD saw) (NP (NP (DT a) (NN film)) (PP (IN with) (NP {first}))) {when}) (. .))",
    ],
    "how-many": [
        "(SBARQ (WHNP (WHADJP (WRB How) (JJ many)) {roles}) (SQ {do_np} {knows}) (. ?))",
        "(SBARQ (WHNP (WHADJP (WRB How) (JJ much)) {mass}) (SQ {do_np} {knows}) (. ?))",
        "(SBARQ (WHADJP (WRB How) {plain}) (SQ (VBZ is) {noun_sg}) (. ?))",
        "(S {who} (VP (VBD asked) (SBAR (WHNP (WHADJP (WRB how) (JJ many)) {roles}) (S {pred_pl}))) (. .))",
        "(S {who} (VP (VBZ knows) (SBAR (WHADJP (WRB how) {plain}) (S {noun_sg} (VP (VBZ is))))) (. .))",
    ],
    "reduced-relative": [
        "(S (NP {noun_pl} (RRC (ADVP (RB now)) {pp})) {pred_pl} (. .))",
        "(S {who} (VP (VBD met) (NP (NP (DT a) {role}) (, ,) (RRC (ADVP (RB formerly)) (PP (IN of) (NP {city}))))) "
         "(. .))",
        "(S (NP (NP (DT the) {roles}) (, ,) (RRC (ADVP (RB mostly)) (PP (IN from) (NP {city}))) (, ,)) {pred_pl} "
         "(. .))",
        "(S (NP (NP (DT the) {role}) (VP (VBN seen) {pp})) {pred_sg} (. .))",
        "(S (NP (NP (DT the) {thing}) (VP (VBN sold) (PP (IN to) {name}))) (VP {moved} {noun}) (. .))",
    ],
    "conjunction-phrase": [
        "(S {who} (VP (VBZ is) (ADJP (RB not) {plain} (CC but) {plain})) (. .))",
        "(S {who} (VP {takes} (NP (RB not) {bare} (CC but) {bare})) (. .))",
        "(S {who} (VP {takes} (NP (CC either) {bare} (CC or) {bare})) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (CC neither) {plain} (CC nor) {plain})) (. .))",
        "(S {name} (VP {made} (NP {noun} (CONJP (RB as) (RB well) (IN as)) {noun})) (. .))",
        "(S {name} (VP {made} (NP {noun} (CONJP (RB rather) (IN than)) {noun})) (. .))",
        "(S {name} (VP {made} (NP (CONJP (RB not) (RB only)) {noun} (CONJP (CC but) (RB also)) {noun})) (. .))",
        "(S (NP {noun_sg} (CONJP (RB as) (RB well) (IN as)) {noun}) {pred_sg} (. .))",
        "(S {name} (VP (CONJP (RB not) (RB only)) {vp_past} (CONJP (CC but) (RB also)) {vp_past}) (. .))",
        "(S {name} (VP (VBD did) (RB n't) (VP (VB go) (PP (IN to) {noun}) (, ,) (CONJP (RB let) (RB alone)) (PP "
         "(IN to) {noun}))) (. .))",
    ],
    "existential": [
        "(S (NP (EX There)) (VP {is_sg} {noun_sg} {pp_place}) (. .))",
        "(S (NP (EX There)) (VP {is_pl} {noun_pl} {pp_place}) (. .))",
        "(S (NP (EX There)) (VP {is_pl} (NP (NP {number} {roles}) (VP (VBG waiting) (PP {way} {noun})))) (. .))",
        "(S (NP (EX There)) (VP {is_sg} (NP (NP (DT a) {thing}) (VP {participle} {pp_place}))) (. .))",
        "(S (NP (EX There)) (VP {is_sg} (NP (DT no) (NN reason) (S (VP (TO to) {base})))) (. .))",
        "(S (NP (EX There)) (VP {is_sg} (NP (NP (DT a) {role}) (SBAR (WHNP (WP who)) (S {pred_past})))) (. .))",
        "(S (NP (EX There)) (VP {is_sg} (NP (NP (NN nothing)) (SBAR (S (NP (PRP we)) (VP (MD can) (VP (VB "
        "do))))))) (. .))",
        "(S (NP (EX There)) (VP {is_sg} (NP (NP (DT no) (NN doubt)) (SBAR (IN that) {s}))) (. .))",
        "(S (NP (EX There)) (VP {seem} (S (VP (TO to) (VP (VB be) {noun_sg})))) (. .))",
        "(S (NP (EX There)) (VP (VBD appeared) {sg_late}) (. .))",
        "(S (NP (EX There)) (VP (VBD used) (S (VP (TO to) (VP (VB be) {noun_sg} {pp_place})))) (. .))",
        "(S (NP (EX There)) (VP {would} (VP (VB be) {noun_pl} {pp_place})) (. .))",
        "(S (NP (EX There)) (VP (VBZ has) (VP (VBN been) (NP (NP (DT a) {thing}) {pp_place}))) (. .))",
        "(SQ (VBZ Is) (NP (EX there)) (NP (NP (DT any) {mass}) (VP (VBN left))) (. ?))",
        "(SQ (VBP Are) (NP (EX there)) (NP (DT any) {plural}) {pp_place} (. ?))",
        "(S (S (NP (EX There)) (VP (VBG being) (NP (DT no) {mass}))) (, ,) {clause} (. .))",
    ],
    "quoted-title": [
        "(S {who} (VP {read_it} (`` \") {title_np} ('' \") (PP (IN in) {noun})) (. .))",
        "(S {who} (VP {read_it} (`` \") {title_np} ('' \") {when}) (. .))",
        "(S (NP (NP (PRP$ Her) {text}) (`` \") {title_np} ('' \")) (VP (VBD won) (NP (DT a) (NN prize))) (. .))",
        "(S (NP (NP (DT The) {text}) (`` \") {title_any} ('' \")) (VP {moved} {noun}) (. .))",
        "(S {who} (VP {read_it} (`` \") {title_any} ('' \") (PP (IN on) (NP (DT the) {vehicle}))) (. .))",
        "(S (PP (IN In) (`` \") {title_any} (, ,) ('' \")) (NP (DT a) {role}) {pred_sg} (. .))",
        "(S (NP (NP (PRP$ His) (JJ first) {text}) (, ,) (`` \") {title_np} (, ,) ('' \")) {pred_past} (. .))",
        "(S (NP (DT The) (NN word) (`` \") {mass} ('' \")) (VP (VBZ has) (NP {number} (NNS letters))) "
        "(. .))",
        "(S {who} (VP (VBD called) (S {who_object} (`` \") (NP (DT a) {plain} {role}) ('' \"))) (. .))",
        "(S (NP (PRP$ Their) (`` \") {plain} ('' \") {thing}) (VP (VBD was) (ADJP {plain})) (. .))",
        "(S (`` \") {title_np} ('' \") (VP (VBZ is) (NP (NP (DT a) {text}) (PP (IN about) {noun}))) (. .))",
    ],
    "phrasal-verb": [
        "(S {who} (VP {threw} (NP (DT the) {plain} {plural}) (PRT {away})) (. .))",
        "(S {who} (VP {threw} {who_object} (PRT {away}) {when}) (. .))",
        "(S {who} (VP {threw} (PRT {away}) (NP (DT the) {thing}) (PP {way} {noun})) (. .))",
        "(S {who} (VP {threw} (NP (PRP it)) (PRT {away})) (. .))",
        "(S (VP {throw} (NP (DT the) {thing}) (PRT {away}) (, ,) (INTJ (UH please))) (. .))",
        "(S (VP {throw} (PRT {away}) (NP (DT the) {thing})) (. .))", "(S {noun_sg} (VP {took} (PRT {off})) (. .))",
        "(S {noun_sg} (VP {took} (PRT {off}) (ADVP (NP {number} (NNS hours)) (RBR later))) (. .))",
        "(S {noun_sg} (VP {took} (PRT {off}) {when}) (. .))",
        "(S {who} (VP (MD could) (RB not) (VP (VB put) (PRT (RP up)) (PP (IN with) {noun}))) (. .))",
        "(S {who} (VP (VBZ looks) (ADVP (RB forward)) (PP (IN to) {noun})) (. .))",
        "(S (NP (DT The) {thing}) (VP (VBD was) (VP {called} (PRT (RP off)))) (. .))",
    ],
    "dateline": [
        "(FRAG (NP {city}) (PRN (-LRB- -LRB-) (NP {agency}) (-RRB- -RRB-)) (: --))",
        "(FRAG (NP {city}) (, ,) (NP {month} {day}) (PRN (-LRB- -LRB-) (NP {agency}) (-RRB- -RRB-)) (: --))",
        "(FRAG (NP {city}) (NP {month} {day}) (PRN (-LRB- -LRB-) (NP {agency}) (-RRB- -RRB-)) (: -))",
        "(FRAG {town_np} (PRN (-LRB- -LRB-) (NP {agency}) (-RRB- -RRB-)))",
        "(FRAG {town_np} (PRN (-LRB- -LRB-) (NP {agency}) (-RRB- -RRB-)) (: --))",
        "(FRAG (ADVP (RB Sincerely)) (, ,) (NP {first} {last}))",
        "(FRAG (ADVP (RB Respectfully)) (, ,) (NP (NP {first} {last}) (NP (NNP President))))",
    ],
    "colon": [
        "(FRAG (NP (PRP$ Their) {thing}) (: :) {s} (. .))", "(FRAG (NP (PRP$ My) {plain} {thing}) (: :) {s} (. .))",
        "(FRAG {np} (: :) {s} (. .))", "(FRAG (NP (NP (CD One) {thing}) (SBAR (S {object_gap}))) (: :) {s} (. .))",
        "(FRAG (NP (DT The) {thing}) (: :) (S (VP {imperative})) (. .))",
        "(FRAG (NP {first}) (: :) (SBARQ {wh} (SQ {question})) (. ?))",
    ],
    "filler": [
        "(S (PRN {filler}) {clause} (. .))", "(S (PRN {filler}) (, ,) {clause} (. .))", "(S {bare_prn} (. .))",
        "(S {bare_prn} (. .))", "(S {pp_front} (PRN {filler}) {clause} (. .))",
        "(S {who} (VP (VBZ is) (PRN {filler}) {gerund}) (. .))",
        "(S {who} (VP (VBD was) (ADJP {plain}) (PRN {filler}) {when}) (. .))",
        "(S (CC but) (PRN (: --) (INTJ (UH yeah)) (: --)) {clause})",
        "(S (CC But) (S (NP (PRP I)) (VP {think})) (PRN (: --) {s} (: --)) (SBAR (IN because) {s}) (. .))",
        "(S {clause} (PRN (: --) {s} (: --)) (SBAR (IN because) {s}) (. .))",
        "(S {noun} (PRN (: --) (INTJ (UH yes)) (: --)) {pred_past} (. .))",
        "(S {who} (VP (VBD thought) (PRN (: --) (FRAG (INTJ (UH Oh)) (, ,) (ADVP (RB really)) (. ?)) (: --)) "
        "(SBAR (IN that) {s})) (. .))",
    ],
    "stripping": [
        "(S (S {affirmed}) (, ,) (CC but) (FRAG (RB not) {other}) (. .))",
        "(S (S {affirmed}) (, ,) (CC and) (FRAG {other} (ADVP (RB too))) (. .))",
        "(S (S {affirmed}) (, ,) (CC and) (FRAG {other} (ADVP (RB as) (RB well))) (. .))",
        "(S (S {affirmed}) (, ,) (CC and) (FRAG (ADVP (RB perhaps)) {other} (ADVP (RB too))) (. .))",
        "(S (S {affirmed}) (, ,) (CC and) (FRAG (ADVP (RB probably)) {other}) (. .))",
        "(S (S {affirmed}) (, ,) (CC but) (FRAG (ADVP (RB never)) {other}) (. .))",
        "(S {s_short} (, ,) (CC but) (FRAG (RB not) {other}) (. .))",
        "(S {s_short} (, ,) (CC but) (FRAG (RB not) {noun}) (. .))",
        "(S {s_short} (, ,) (CC and) (FRAG {other} (ADVP (RB too))) (. .))",
        "(S {s_short} (CC and) (FRAG {noun} (ADVP (RB too))) (. .))",
        "(S {s_short} (, ,) (CC but) (FRAG (RB not) (ADVP (RB very) {adverb})) (. .))",
        "(S {s_short} (, ,) (CC but) (FRAG (ADVP (RB only)) {pp}) (. .))",
        "(S {s_short} (, ,) (CC but) (FRAG (RB not) {pp}) (. .))",
        "(S {s_short} (, ,) (CC and) (FRAG (RB not) (ADVP (RB only)) {pp}) (. .))",
        "(S (S {negated}) (, ,) (CC and) (FRAG (RB not) {other} (ADVP (RB either))) (. .))",
        "(S {who} (VP {takes} (NP {bare} (, ,) (CC but) (RB not) {bare})) (. .))",
        "(S {who} (VP {made} (NP {noun} (, ,) (RB not) {noun})) (. .))",
        "(S {who} (VP {made} (NP {noun} (, ,) (CC but) (RB not) {noun})) (. .))",
        "(S {who} (VP {went} (PP (PP {way} {noun}) (, ,) (CC but) (RB not) (PP {way} {noun}))) (. .))",
        "(S {who} (VP {went} (PP (PP {way} {noun}) (, ,) (RB not) (PP {way} {noun}))) (. .))",
        "(S (NP {noun_sg} (, ,) (RB not) {noun} (, ,)) {pred_sg} (. .))",
        "(S (NP {noun_sg} (, ,) (CC but) (RB not) {noun} (, ,)) {pred_sg} (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP {jj} (, ,) (CC but) (RB not) {jj})) (. .))",
    ],
    "sluicing": [
        "(S (S {indefinite} {pred_past}) (, ,) (CC but) (S {who_not_known}) (. .))",
        "(S (S (NP (NN someone)) {pred_past}) (, ,) (CC and) (S {who_not_known}) (. .))",
        "(S (S (NP (NN something)) (VP {moved} {noun})) (, ,) (CC but) (S {what_not_known}) (. .))",
        "(S (S {who} (VP {made} (NP (NN something)))) (, ,) (CC but) (S {what_not_known}) (. .))",
        "(S {s} (, ,) (CC but) (S {why_not_known}) (. .))", "(S {s} (, ,) (CC and) (S {why_not_known}) (. .))",
        "(S {s} (: ;) (S {why_not_known}) (. .))", "(S {s_short} (, ,) (CC but) (S {why_not_known}) (. .))",
        "(S {why_not_known} (. .))",
        "(S (S {who} (VP {made} (NP (NP (DT some)) (PP (IN of) (NP (DT the) {plural}))))) (, ,) (CC but) (S "
        "{which_not_known}) (. .))",
        "(S (S {who} (VP (VBD lost) (NP (DT some) {plural}))) (, ,) (CC but) (S {which_not_known}) (. .))",
        "(S (S {who} (VP (VBD spoke) (PP (IN with) (NP (NN someone))))) (, ,) (CC but) (S {with_not_known}) (. .))",
        "(S {who} (VP (VBD left) (PP (IN without) (S (VP (VBG saying) (SBAR (WHADVP {why})))))) (. .))",
        "(S {who} (VP (VBD was) (VP (VBN told) (SBAR (WHADVP {why})))) (. .))",
        "(SQ (MD Can) (NP (PRP you)) (VP (VB tell) (NP (PRP me)) (SBAR (WHADVP {why}))) (. ?))",
        "(S (VP (VB Tell) (NP (PRP me)) (SBAR (WHADVP {why}) (RB not))) (. .))",
    ],
    "pseudogapping": [
        "(S {name} (VP {liked} {whom} (ADVP (ADVP (RBR better)) (SBAR (IN than) (S {he} (VP (VBD did) (VP "
        "{noun})))))) (. .))",
        "(S {name} (VP {liked} {whom} (ADVP (ADVP (RBR more)) (SBAR (IN than) (S {name} (VP (VBD did) (VP "
        "{noun})))))) (. .))",
        "(S {name} (VP {liked} {whom} (, ,) (SBAR (IN as) (S {he} (VP (VBD did) (VP {whom}))))) (. .))",
        "(S {who} (VP {made} (NP (NP (JJR more) {plural}) (SBAR (IN than) (S {he} (VP (VBD did) (VP (NP "
        "{plural}))))))) (. .))",
        "(S (S {who} (VP (MD wo) (RB n't) (VP {drinks} {edible}))) (, ,) (CC but) (S {he} (VP (MD will) (VP "
        "{edible}))) (. .))",
        "(S (S {who} (VP (MD can) (RB not) (VP {drinks} {edible}))) (, ,) (CC but) (S {he} (VP (MD can) (VP "
        "{edible}))) (. .))",
        "(S (S {name} (VP (VBD did) (RB n't) (VP {drinks} {edible}))) (, ,) (CC but) (S {he} (VP (VBD did) (VP (NP "
        "{mass})))) (. .))",
        "(S (S {name} (VP (VBZ does) (RB n't) (VP {drinks} {edible}))) (, ,) (CC but) (S {he} (VP (VBZ does) (VP "
        "{edible}))) (. .))",
        "(S (SBAR (IN Although) (S {name} (VP (VBD did) (RB n't) (VP {drinks} {edible})))) (, ,) {he} (VP (VBD did) "
        "(VP {bare})) (. .))",
        "(S {name} (VP (VBD paid) {whom} (NP (NP (JJR more)) (SBAR (IN than) (S {he} (VP (VBD did) (VP {whom})))))) "
        "(. .))",
        "(S {noun_sg} (VP (VBZ works) (ADVP (ADVP (RBR better)) (PP (IN in) (NP {city})) (SBAR (IN than) (S (NP (PRP "
        "it)) (VP (VBZ does) (VP (PP (IN in) (NP {city})))))))) (. .))",
        "(S {name} (VP (VBD talked) (PP (IN to) {whom}) (, ,) (SBAR (IN as) (S {he} (VP (VBD did) (VP (PP (IN to) "
        "{noun})))))) (. .))",
        "(S {pseudogap} (. .))", "(S {pseudogap} (. .))", "(S {pseudogap} (. .))",
    ],
    "resultative": [
        "(S {who} (VP {wiped} (S (NP (DT the) {wiped_thing}) (ADJP {clean}))) (. .))",
        "(S {who} (VP {pushed} (S (NP (DT the) {door}) (ADJP {open_shut}))) (. .))",
        "(S {who} (VP {hammered} (S (NP (DT the) {metal}) (ADJP {flat}))) (. .))",
        "(S {who} (VP {cooked} (S (NP (DT the) {drink}) (ADJP {crisp}))) (. .))",
        "(S {who} (VP {knocked} (S {who_object} (ADJP {senseless}))) (. .))",
        "(S (NP (PRP He)) (VP {shouted} (S (NP (PRP himself)) (ADJP {hoarse}))) (. .))",
        "(S (NP (PRP She)) (VP {shouted} (S (NP (PRP herself)) (ADJP {hoarse}))) (. .))",
        "(S (NP (PRP They)) (VP {shouted} (S (NP (PRP themselves)) (ADJP {hoarse})) {when}) (. .))",
        "(S (NP (DT The) {door}) (VP {slid} (S (ADJP {open_shut}))) (. .))",
        "(S (NP (DT The) {door}) (VP {slid} (S (ADJP {open_shut})) {when}) (. .))",
        "(S {noun_sg} (VP {broke_free}) (. .))",
        "(S (NP (DT The) {door}) (VP (VBD was) (VP {pushed_n} (S (ADJP {open_shut})))) (. .))",
        "(S {who} (VP (MD will) (VP (VB paint) (S (NP (DT the) {door}) (ADJP {colour_only})))) (. .))",
        "(S (VP (VB Wipe) (S (NP (DT the) {wiped_thing}) (ADJP {clean}))) (. .))",
        "(S (VP (VB Push) (S (NP (DT the) {door}) (ADJP {open_shut}))) (. .))",
        "(S (NP (DT The) {role}) (VP {wiped} (S (NP (PRP$ her) {wiped_thing}) (ADJP {clean})) (PP (IN with) (NP (DT "
        "a) (NN cloth)))) (. .))",
        "(S {who} (VP {pushed} (S (NP (PRP$ their) {plain} {door}) (ADJP {open_shut})) (PP (IN with) (NP (DT a) "
        "{tool}))) (. .))",
        "(S {who} (VP (VBD cut) (S (NP (DT the) {event}) (ADJP (JJ short)))) (. .))",
        "(S {who} (VP {tore} (NP (DT the) {tearable}) (PP (IN into) (NP (NNS pieces)))) (. .))",
    ],
    "depictive": [
        "(S {who} (VP {ate_up} (NP (DT the) {drink}) (S (ADJP {raw}))) (. .))",
        "(S {who} (VP {ate_up} (NP (PRP$ his) {drink}) (S (ADJP {raw}))) (. .))",
        "(S {who} (VP {came} (S (ADJP {moody}))) (. .))", "(S {who} (VP {came} (S (ADJP {moody}))) (. .))",
        "(S {who} (VP {came} (S (ADJP {moody} (CC and) {moody}))) (. .))",
        "(S {who} (VP {came} (, ,) (S (ADJP {moody}))) (. .))",
        "(S {who} (VP {came} (, ,) (S (ADJP {moody} (CC and) {moody}))) (. .))",
        "(S {who} (VP {came} (, ,) (S (ADJP (JJ full) (PP (IN of) (NP {feeling}))))) (. .))",
        "(S {who} (VP {lived}) (. .))", "(S {who} (VP (VBD bought) (NP (DT the) {thing}) (S (ADJP (JJ new)))) (. .))",
        "(S {who} (VP (VBD sent) (NP (DT the) {text}) (ADVP (RB back)) (S (ADJP (JJ unopened)))) (. .))",
        "(S {who} (VP (VBD left) (S (NP (DT the) {door}) (ADJP {open_shut}))) (. .))",
        "(S {who} (VP (VBD found) (S (NP (DT the) {animal}) (ADJP {moody}))) (. .))",
        "(S (VP (VB Serve) (NP (DT the) {drink}) (S (ADJP {raw}))) (. .))",
    ],
    "fronting": [
        "(S {fronted} (, ,) {object_gap} (. .))", "(S {fronted} {object_gap} (. .))",
        "(S {fronted} {object_gap} (. .))", "(S {np} (, ,) {object_gap} (. .))",
        "(S (PP (IN To) {name}) {who} (VP (VBD left) {noun}) (. .))",
        "(S (PP (IN To) {who_object}) (, ,) {noun_sg} (VP (VBD meant) (NP (NN nothing))) (. .))",
        "(S (PP (IN Of) {noun}) (, ,) {who} (VP (VBD said) (NP (NN nothing))) (. .))",
        "(S (ADJP {jj}) {he} (VP (VBD was) (RB not)) (. .))",
        "(S (ADJP (RB Very) {jj}) {he} (VP (VBD was) (ADVP (RB indeed))) (. .))",
        "(S (S (ADJP {jj}) {he} (VP (MD may) (VP (VB be)))) (, ,) (CC but) (S (ADJP {jj}) {he} (VP (VBZ is) (RB "
        "not))) (. .))",
        "(S (NP (DT A) {role}) {he} (VP (VBZ is) (RB not)) (. .))",
        "(S (NP (DT A) {jj_nn}) (NP (PRP it)) (VP (VBD was) (RB not)) (. .))", "(S {fronted_vp} (. .))",
        "(S {fronted_vp} (. .))", "(S (SBAR (ADJP {jj}) (IN though) (S {who} (VP (VBD was)))) (, ,) {clause} (. .))",
        "(S (SBAR (ADJP {jj}) (IN though) (S {noun_sg} (VP (VBZ is)))) (, ,) {clause} (. .))",
        "(S (SBAR (ADJP {jj}) (IN as) (S {noun_sg} (VP (MD may) (VP (VB be))))) (, ,) {clause} (. .))",
        "(S (SBAR (ADJP {jj}) (IN as) (S (NP (PRP it)) (VP (MD may) (VP (VB seem))))) (, ,) {clause} (. .))",
        "(S (SBAR (ADVP {adverb}) (IN though) (S {who} (VP (VBD tried)))) (, ,) {clause} (. .))",
        "(S (SBAR (WHADJP (WRB However) {jj}) (S {noun_sg} (VP (VBZ is)))) (, ,) {clause} (. .))",
        "(S (SBAR (WHADVP (WRB However) {adverb}) (S {who} (VP (VBD tried)))) (, ,) {clause} (. .))",
        "(S (ADVP {off_he}) {he} (VP {went_off}) (. .))",
        "(S (ADVP {off_he}) {he} (VP {went_off} (PP {way} {noun})) (. .))",
        "(S (NP (PRP$ My) {role}) (, ,) (NP (PRP he)) {pred_past} (. .))",
        "(S (NP (DT That) {thing}) (, ,) (NP (PRP it)) (VP {moved} {noun}) (. .))",
        "(S (SBAR (WHNP (WP What)) (S {object_gap})) (, ,) (NP (PRP I)) (VP (VBP do) (RB not) (VP (VB know))) (. .))",
        "(S (SBAR (WHADVP {why}) {s_past}) (, ,) (NP (NN nobody)) (VP (MD could) (VP (VB say))) (. .))",
        "(S (SBAR (IN That) {s_past}) (, ,) {who} (VP (VBD did) (RB not) (VP (VB doubt))) (. .))",
        "(S {fronted} {who} (VP (VBD said) (SBAR (S {object_gap}))) (. .))",
        "(S {fronted} (NP (PRP I)) (VP (VBP think) (SBAR (S {object_gap}))) (. .))",
        "(S (PP (IN With) (NP {plain} {plural})) {who} (VP {made} {noun}) (. .))",
        "(S (S (VP (TO To) {base})) (, ,) {who} (VP (VBD left) (NP {city})) (. .))",
        "(S (S (ADJP {moody} (CC and) {moody})) (, ,) {who} (VP {came}) (. .))",
        "(S (S (ADJP {moody})) (, ,) {who} {pred_past} (. .))",
        "(S (S (ADJP (JJ Unable) (S (VP (TO to) {base})))) (, ,) {who} (VP {came}) (. .))",
        "(S {who} (, ,) (S (ADJP {moody} (PP (IN after) (NP {number} (NNS hours))))) (, ,) (VP {came}) (. .))",
    ],
    "extraposed-relative": [
        "(S (NP {some_one}) (VP {turned_up} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S (NP {some_one}) (VP {turned_up} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S (NP {some_one}) (VP {turned_up} (SBAR (WHNP (WP whom)) (S {object_gap}))) (. .))",
        "(S (NP {some_one}) (VP {turned_up} (SBAR (WHNP (WP$ whose) {thing}) (S (VP {moved} {noun})))) (. .))",
        "(S (NP (NP (DT A) {thing})) (VP {turned_up_it} (SBAR (WHNP (WDT that)) (S {object_gap}))) (. .))",
        "(S (NP (NP (DT A) {jj_nn})) (VP {turned_up_it} (SBAR (WHNP (WDT which)) (S (VP {moved} {noun})))) (. .))",
        "(S (NP (NP (NN Nothing))) (VP (VBD happened) (SBAR (WHNP (WDT that)) (S (VP {moved} {noun})))) (. .))",
        "(S (NP (NP (NN Something))) (VP (VBD happened) {when} (SBAR (WHNP (WDT that)) (S (VP {moved} {noun})))) (. "
        ".))",
        "(S (NP (NP (DT The) (NN day))) (VP (MD will) (VP (VB come) (SBAR (WHADVP (WRB when)) {s}))) (. .))",
        "(S (NP (NP (DT The) (NN time))) (VP (VBZ has) (VP (VBN come) (S (VP (TO to) {base})))) (. .))",
        "(S (NP (NP (DT A) {rumor})) (VP {spread} (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (DT The) {rumor})) (VP {spread} (SBAR (IN that) {s})) (. .))",
        "(S (NP (NP (NN Word))) (VP (VBD came) (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (NN News))) (VP (VBD reached) {name} (SBAR (IN that) {s_past})) (. .))",
        "(S (NP (NP (NN Evidence))) (VP (VBZ has) (VP (VBN emerged) (SBAR (IN that) {s}))) (. .))",
        "(S (NP (NP (DT The) (NN question))) (VP (VBD arose) (SBAR (IN whether) {s})) (. .))",
        "(S (NP (NP (DT A) {text})) (VP (VBD appeared) {when} (PP (IN about) {noun})) (. .))",
        "(S (NP (NP (DT A) {text})) (VP (VBZ has) (VP (VBN been) (VP (VBN written) (PP (IN about) {noun})))) (. .))",
        "(S (NP (NP (DT No) (NN proof))) (VP (VBZ has) (VP (VBN been) (VP (VBN found) (PP (IN of) {noun})))) (. .))",
        "(S {who} (VP {read_it} (NP (NP (DT a) {text})) {when} (SBAR (WHNP (WDT that)) (S (VP {moved} {noun})))) (. "
        ".))",
        "(S {who} (VP (VBD met) (NP (NP (DT a) {role})) {when} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S {who} (VP (VBD saw) (NP (NP (DT the) {role})) {when} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S {who} (VP (VBD told) (NP (NP (NN someone))) {when} (SBAR (WHNP (WP who)) (S {pred_past}))) (. .))",
        "(S {who} (VP (VBD saw) (NP (NP (DT the) {role}) (SBAR (WHNP (WP who)) (S {pred_past})))) (. .))",
        "(S (NP (NP (DT The) {role}) (SBAR (WHNP (WP who)) (S {pred_past}))) (VP {turned_up}) (. .))",
    ],
    "tough": [
        "(S {noun_sg} (VP (VBZ is) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S (NP (DT This) {thing}) (VP (VBD was) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP {easy} (SBAR (S (VP (TO to) {base_strand}))))) (. .))",
        "(S {noun_pl} (VP (VBD were) (ADJP {easy} (SBAR (S (VP (TO to) {base_strand}))))) (. .))",
        "(S {who} (VP (VBZ is) (ADJP {easy} (SBAR (S (VP (TO to) {base_strand}))))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP {easy} (SBAR (IN for) (S {who_object} (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP {easy} (SBAR (IN for) (S {noun} (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (MD will) (VP (VB be) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap})))))) (. .))",
        "(S {noun_pl} (VP (VBP have) (VP (VBN become) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap})))))) (. .))",
        "(S {noun_sg} (VP (VBZ seems) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {who} (VP (VBD found) (S {noun} (ADJP {easy} (SBAR (S (VP (TO to) {base_gap})))))) (. .))",
        "(S {noun_sg} (VP (VBZ makes) (S {noun} (ADJP {easy} (SBAR (S (VP (TO to) {base_gap})))))) (. .))",
        "(SQ (VBZ Is) {noun_sg} (ADJP {easy} (SBAR (S (VP (TO to) {base_gap})))) (. ?))",
        "(S {noun_sg} (VP (VBZ is) (NP (NP {a_tough} {thing}) (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S (NP (DT This)) (VP (VBZ is) (NP (NP {a_tough} {thing}) (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (NP (NP (DT a) (NN pleasure)) (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP {easy} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {who} (VP (VBZ is) (ADJP {eager} (S (VP (TO to) {base})))) (. .))",
        "(S {who} (VP (VBD seemed) (ADJP {eager} (S (VP (TO to) {base})))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (JJ worth) (S (VP (VBG reading))))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (ADJP {easy}) (S (VP (TO to) {base}))) (. .))",
        "(S (S (VP (VBG Pleasing) {noun})) (VP (VBZ is) (ADJP {tough})) (. .))",
    ],
    "degree": [
        "(S {noun_sg} (VP (VBD was) (ADJP (RB so) {jj} (SBAR (IN that) {s_past}))) (. .))",
        "(S {noun_pl} (VP (VBP are) (ADJP (RB so) {jj} (SBAR (IN that) {s}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (RB so) {jj} (SBAR {s_past}))) (. .))",
        "(S {who} (VP {went} (PP {way} {noun}) (ADVP (RB so) {adverb} (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {fell} (ADVP (RB so) {adverb} (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {made} (NP (NP (ADJP (RB so) (JJ many)) {plural}) (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {takes} (NP (NP (ADJP (RB so) (JJ much)) {mass}) (SBAR (IN that) {s}))) (. .))",
        "(S {noun_sg} (VP (VBD was) (NP (NP (PDT such) (DT a) {jj_nn}) (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {made} (NP (NP (PDT such) (DT a) {jj_nn}) (SBAR (IN that) {s_past}))) (. .))",
        "(S {who} (VP {made} (NP (NP (JJ such) {jj_nns}) (SBAR (IN that) {s_past}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (JJ such) (SBAR (IN that) {s}))) (. .))",
        "(S {who} (VP (VBZ is) (ADJP (RB too) {jj} (S (VP (TO to) {base})))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP (RB too) {jj} (S (VP (TO to) {base})))) (. .))",
        "(S {noun_pl} (VP (VBD were) (ADJP (RB too) {jj} (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (RB too) {jj} (SBAR (IN for) (S {who_object} (VP (TO to) {base_gap}))))) (. "
        ".))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (RB too) {jj} (PP (IN for) {noun}))) (. .))",
        "(S {who} (VP {went} (ADVP (RB too) {adverb} (S (VP (TO to) {base})))) (. .))",
        "(S {who} (VP (VBD had) (NP (NP (ADJP (RB too) (JJ many)) {plural}) (SBAR (S (VP (TO to) {base_gap}))))) (. "
        ".))",
        "(S {who} (VP (VBZ has) (NP (NP (ADJP (RB too) (JJ much)) {mass}) (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (NP (NP (ADJP (RB too) {jj}) (DT a) {thing}) (SBAR (S (VP (TO to) {base_gap}))))) "
        "(. .))",
        "(S {who} (VP (VBZ is) (ADJP {jj} (RB enough) (S (VP (TO to) {base})))) (. .))",
        "(S {noun_pl} (VP (VBD were) (ADJP {jj} (RB enough) (S (VP (TO to) {base})))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP {jj} (RB enough) (SBAR (S (VP (TO to) {base_gap}))))) (. .))",
        "(S {noun_sg} (VP (VBD was) (ADJP {jj} (RB enough) (SBAR (IN for) (S {who_object} (VP (TO to) {base_gap}))))) "
        "(. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP {jj} (RB enough) (PP (IN for) {noun}))) (. .))",
        "(S {who} (VP {went} (ADVP {adverb} (RB enough) (S (VP (TO to) {base})))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP (JJ enough) {mass}) (SBAR (S (VP (TO to) {base}))))) (. .))",
        "(S {who} (VP {made} (NP (NP (JJ enough) {plural}) (SBAR (S (VP (TO to) {base}))))) (. .))",
        "(S {who} (VP (VBZ has) (NP (NP (JJ enough) {mass}) (PP (IN for) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (ADJP (ADJP (RB as) {jj}) (PP (IN as) {noun}))) (. .))",
        "(S {noun_sg} (VP (VBZ is) (RB not) (ADJP (ADJP (RB so) {jj}) (SBAR (IN as) (S {who} (VP (VBD thought)))))) "
        "(. .))",
        "(S {who} (VP (VBZ is) (NP (NP (ADJP (RB as) {jj}) (DT a) {role}) (PP (IN as) {name}))) (. .))",
        "(S {who} (VP {went} (ADVP (ADVP (RB as) {adverb}) (PP (IN as) {who_object}))) (. .))",
        "(S (ADVP (ADVP (RB As) (RB far)) (SBAR (IN as) (S (NP (PRP I)) (VP (VBP know))))) (, ,) {clause} (. .))",
        "(S (ADVP (ADVP (RB So) (RB long)) (SBAR (IN as) {s})) (, ,) {clause} (. .))",
    ],
    "law-list": [
        "(S {party} (VP {shall} {law_vps}) (. .))", "(S {party} (VP {shall} (: :) {law_vps}) (. .))",
        "(S {party} (VP {shall} (VP (VB provide) (NP {the_following} (: :) {law_nps}))) (. .))",
        "(S {party} (VP {shall} (VP (VB pay) {law_nps})) (. .))",
        "(S {party} (VP {shall} (VP (VB keep) (NP {the_following} (: :) {law_nps}))) (. .))", "(S {law_clauses} (. .))",
        "(S {party} (VP {shall} (VP (VB pay) (NP (DT the) {thing}) {law_ifs})) (. .))",
        "(S {party} (VP {shall} {base} {law_ifs}) (. .))", "(S {law_ifs} (, ,) {party} (VP {shall} {base}) (. .))",
        "(S (LST {law_mark}) {party} (VP {shall} {base}) (. .))",
        "(S (LST {law_mark}) {party} (VP {shall} {base}) (: ;))", "(S (LST {law_mark}) {clause} (. .))", "{law_one}",
        "{law_one}", "{law_one}", "(S (NP (DT The) (NN board)) (VP {shall} (VP (VB decide) {law_whethers})) (. .))",
        "(S (NP (DT The) (NN court)) (VP (VBD found) {law_thats}) (. .))",
        "(S (PP (IN In) (NP (DT this) (NN section))) (, ,) (`` \") (NP (DT the) {thing}) ('' \") (VP (VBZ means) "
        "{law_nps}) (. .))",
    ],
    "exclamative": [
        "(WHNP (WDT What) (DT a) {jj_nn} (. !))", "(WHNP (WDT What) {jj_nns} (. !))", "(WHADJP (WRB How) {jj} (. !))",
        "(WHADJP (WRB How) {jj} (. !))", "(WHNP (WDT What) (DT a) {thing} (. !))",
        "(SBAR (WHNP (WDT What) (DT a) {jj_nn}) (S {object_gap}) (. !))",
        "(SBAR (WHNP (WDT What) (DT a) {plain} {thing}) (S {who} (VP (VBZ is))) (. !))(SBAR (WHNP (WDT What) (DT a) "
        "{plain} {role}) (S {he} (VP (VBZ is))) (. !))",
        "(SBAR (WHNP (WDT What) {jj_nns}) (S {object_gap}) (. !))",
        "(SBAR (WHNP (WDT What) {mass}) (S {object_gap}) (. !))",
        "(SBAR (WHNP (WDT What) (DT a) {plain} {thing}) (S (NP (PRP it)) (VP (VBD was))) (. !))",
        "(SBAR (WHADJP (WRB How) {jj}) (S {noun_sg} (VP (VBZ is))) (. !))",
        "(SBAR (WHADJP (WRB How) {jj}) (S {noun_pl} (VP (VBP are))) (. !))",
        "(SBAR (WHADJP (WRB How) {jj}) (S {who} (VP (VBD was) (S (VP (TO to) {base})))) (. !))",
        "(SBAR (WHADJP (WRB How) {jj}) (S {who} (VP (VBZ looks))) (. !))",
        "(SBAR (WHADVP (WRB How) {adverb}) (S {short_clause}) (. !))",
        "(SBAR (WHADVP (WRB How) {fast}) (S {short_clause}) (. !))",
        "(SBAR (WHADVP (WRB How)) (S {short_clause}) (. !))",
        "(SBAR (WHADVP (WRB How)) (S {noun_pl} (VP {likes} {noun})) (. !))",
        "(SBAR (WHNP (WHADJP (WRB How) (JJ many)) {plural}) (S {object_gap}) (. !))",
        "(SBAR (WHADJP (WRB How) {jj}) (PP (IN of) {who_object}) (S (VP (TO to) {base})) (. !))",
        "(WHADJP (WRB How) {jj} (PP (IN of) {who_object}) (. !))", "(NP (PDT Such) (DT a) {jj_nn} (. !))",
        "(S (NP (DT That)) (VP (VBZ is) (ADJP (RB so) {jj})) (. !))",
        "(SQ (VBZ Is) (RB n't) {noun_sg} (ADJP {jj}) (. !))", "(S {clause} (. !))",
        "(SBAR (WHNP (WDT What) (DT a) {thing}) (S (NP (PRP you)) (VP (VBP have))) (. !))",
        "(S (INTJ (UH Oh)) (, ,) (SBAR (WHADJP (WRB how) {jj}) (S (NP (PRP it)) (VP (VBZ is)))) (. !))",
    ],
    "vocative": [
        "(S {voc} (, ,) {clause} (. .))", "(S {voc} (, ,) {clause} (. .))", "(S {voc} (, ,) (VP {imperative}) (. .))",
        "(S {voc} (, ,) (VP {imperative}) (. !))", "(S (VP {imperative} (, ,) {voc}) (. .))",
        "(S (VP {imperative} (, ,) {voc}) (. !))", "(S (VP {imperative} (, ,) {voc}) (. .))", "(S {clause_voc} (. .))",
        "(S {clause_voc} (. .))", "(S {clause_voc} (. !))", "(S (INTJ {oh}) (, ,) {voc} (, ,) {clause} (. .))",
        "(S (INTJ {oh}) (, ,) {voc} (, ,) (VP {imperative}) (. .))", "(SQ {voc} (, ,) {question} (. ?))",
        "(SQ {question_voc} (. ?))", "(SBARQ {wh} (SQ {question_voc}) (. ?))",
        "(SBARQ {voc} (, ,) {wh_low} (SQ {question}) (. ?))", "(FRAG (INTJ {oh}) (, ,) {voc} (. .))",
        "(FRAG (INTJ (UH Hello)) (, ,) {voc} (. !))", "(FRAG (INTJ (JJ Good) (NN morning)) (, ,) {voc} (. .))",
        "(S (VP (VB Thank) (NP (PRP you)) (, ,) {voc}) (. .))", "(S {pp_front} (, ,) {voc} (, ,) {clause} (. .))",
        "(S {voc} (, ,) (NP (PRP you)) {pred_pl} (. .))",
    ],
    "interjection": [
        "(S (INTJ {oh}) (, ,) {clause} (. .))", "(S (INTJ {oh}) (, ,) {clause} (. !))",
        "(S (INTJ {oh}) (, ,) (VP {imperative}) (. .))", "(SQ (INTJ {oh}) (, ,) {question} (. ?))",
        "(SBARQ (INTJ {oh}) (, ,) {wh_low} (SQ {question}) (. ?))", "(INTJ {oh} (. .))",
        "(FRAG (INTJ {oh}) (, ,) {np} (. .))", "(FRAG (INTJ {oh}) (, ,) (RB not) {pp} (. .))",
        "(S (VP {imperative} (, ,) (INTJ (UH please))) (. .))", "(SQ {question_please} (. ?))",
        "(S {clause_yes} (. .))", "(S (INTJ (UH Please)) (VP {imperative}) (. .))", "(S {subject_um} (. .))",
        "(S {subject_um} (. .))", "(S {auxiliary_um} (. .))",
        "(S (INTJ {oh}) (, ,) (INTJ {oh_low}) (, ,) {clause} (. .))", "(S (INTJ {oh}) (: --) {clause} (. .))",
        "(FRAG (INTJ {oh}) (, ,) (ADJP {jj}) (. !))", "(S (CC And) (, ,) (INTJ {um}) (, ,) {clause} (. .))",
    ],
    "archaic": [
        "(S (NP (PRP Thou)) (VP {thou}) (. .))", "(S (NP (PRP Thou)) (VP {thou}) (. .))",
        "(S (NP (PRP Thou)) (VP {thou}) (. .))", "(S {noun_sg} (VP {hath}) (. .))", "(S {who} (VP {hath}) (. .))",
        "(S {thy_one} (VP {hath}) (. .))", "(S (NP (NNP God)) (VP {hath}) (. .))", "(S {who} (VP {made} {thy}) (. .))",
        "(S (NP (PRP I)) (VP {likes} (NP (PRP thee))) (. .))",
        "(SBARQ {whither} (SQ (VP {goest}) (NP (PRP thou))) (. ?))",
        "(SQ (VBP Art) (NP (PRP thou)) (NP (DT a) {role}) (. ?))", "(SQ (VBP Hast) (NP (PRP thou)) {perfect} (. ?))",
        "(SQ (VBP Dost) (NP (PRP thou)) {base} (. ?))", "(SBARQ {wh} (SQ (VBP dost) (NP (PRP thou)) {base}) (. ?))",
        "(S (VP (VB Fear) (RB not)) (. .))", "(S (VP (VB Speak) (RB not) (PP (IN of) {thy})) (. .))",
        "(S (VP (VB Forsake) (RB not) {thy}) (. .))",
        "(S (NP (PRP I)) (VP (VBP know) (RB not) (SBAR (WHADVP {why}) {s})) (. .))",
        "(S (NP (PRP We)) (VP (VBD knew) (RB not) (NP {mass})) (. .))", "(S (VP (VB Give) (NP (PRP me)) {thy}) (. .))",
        "(S (SBAR (IN If) (S (NP (PRP thou)) (VP {thou}))) (, ,) (NP (PRP thou)) (VP (MD shalt) {base}) (. .))",
        "(S (NP (PRP He)) (SBAR (WHNP (WDT that)) (S (VP {hath}))) (VP (MD shall) {base}) (. .))(S (NP (PRP Ye)) (VP "
        "(VBP are) (NP (NP (DT the) {plural}) (PP (IN of) {thy}))) (. .))",
        "(S (NP (PRP 'T)) (VP (VBZ is) (NP (DT a) {jj_nn})) (. .))",
        "(S (SBAR (IN Lest) (S {noun} {base})) (, ,) (VP {imperative}) (. .))",
        "(S {noun_sg} (VP (VBZ is) (VP (VBN come) {pp})) (. .))",
        "(S (PP (IN With) {thy}) (NP (PRP thou)) (VP {thou}) (. .))",
    ],
    "price-change": [
        "(S {stock} (VP {closed} (PP (IN at) {price_to}) (, ,) (ADVP {updown} {rate})) (. .))",
        "(S {stock} (VP {closed} (PP (IN at) {price_to}) {when} (, ,) (ADVP {updown} {rate})) (. .))",
        "(S {stock} (VP {closed} (PP (IN at) {price_to}) (, ,) (ADVP {updown} {rate} {year_ago})) (. .))",
        "(S {stock} (VP {closed} (PP (IN at) {price_to}) (, ,) (ADVP {updown} (PP (IN from) {price_to}))) (. .))",
        "(S {stock} (VP (VBD was) {price_to} (, ,) (ADVP {updown} {rate})) (. .))",
        "(S (NP (NNS Sales)) (VP (VBP are) (ADVP {updown} {rate} {year_ago})) (. .))",
        "(S (NP (NNS Profits)) (VP (VBD were) (ADVP {updown} {rate})) (. .))",
        "(S {stock} (VP (VBD rose) {rate}) (. .))", "(S {stock} (VP (VBD fell) {rate} (PP (IN to) {price_to})) (. .))",
        "(S {stock} (VP (VBD rose) {rate} (PP (IN to) {price_to}) (PP (IN from) {price_to})) (. .))",
        "(S {stock} (VP (VBD climbed) (PP (IN to) {price_to}) {year_ago}) (. .))",
        "(S (NP (DT The) {thing}) (VP (VBZ costs) (NP (QP {about} ($ $) {decimal}))) (. .))",
        "(S (NP (DT The) {thing}) (VP (VBD cost) (NP (QP {about} ($ $) {decimal} {scale}))) (. .))",
        "(S {who} (VP (VBD paid) (NP (QP {about} ($ $) {decimal})) (PP (IN for) (NP (DT the) {thing}))) (. .))",
        "(S {who} (VP (VBD paid) (NP (NP (QP {about} ($ $) {decimal})) (NP (DT a) (NN share)))) (. .))",
        "(S {stock} (VP (VBD fell) (NP (NP {number} (NNS cents)) (NP (DT a) (NN share)))) (. .))",
        "(S (NP (DT The) {group}) (VP (VBD earned) (NP (NP (QP ($ $) {decimal} {scale})) (, ,) (CC or) (NP (NP "
        "{number} (NNS cents)) (NP (DT a) (NN share))))) (. .))",
        "(S (NP (DT The) {group}) (VP (VBD reported) (NP (NP (DT a) (ADJP {percent} (NN %)) (NN increase)) (PP (IN "
        "in) (NP (NNS sales))))) (. .))",
        "(S (NP (NP (DT An) (NN increase)) (PP (IN of) {rate})) {pred_sg} (. .))",
        "(S (NP (NN Unemployment)) (VP (VBZ is) (ADVP (RB down) {rate})) (. .))",
        "(S (PP (IN At) (NP (NP (QP {about} ($ $) {decimal})) (NP (DT a) (NN pound)))) (, ,) {noun_sg} (VP (VBZ is) "
        "(ADJP {jj})) (. .))",
        "(S (NP (NP (NN Oil)) (, ,) (ADVP {updown} {rate}) (, ,)) {pred_sg} (. .))",
        "(S (NP (NP (QP (RB Nearly) {percent}) (NN %)) (PP (IN of) (NP {roles}))) {pred_pl} (. .))",
    ],
    "wh-subject": [
        "(S {who} (VP (VBD met) (NP (NP (DT a) {role}) (SBAR {whose} (S {pred_sg})))) (. .))",
        "(S {who} (VP (VBD knew) (NP (NP (DT a) {role}) (SBAR {whose} (S (VP {moved} {noun}))))) (. .))",
        "(S (NP (NP (DT The) {role}) (SBAR {whose} (S (VP (VBD was) (ADJP {jj}))))) {pred_sg} (. .))",
        "(S (NP {name_only} (, ,) (SBAR {whose} (S (VP {moved} {noun}))) (, ,)) {pred_sg} (. .))",
        "(S (NP (NP (DT The) {group}) (, ,) (SBAR (WHNP (WP$ whose) {plural}) (S {pred_pl})) (, ,)) {pred_sg} (. .))",
        "(S {who} (VP (VBD bought) (NP (NP (DT a) {thing}) (SBAR (WHNP (WP$ whose) {fitting}) (S (VP {fell}))))) (. "
        ".))",
        "(S {who} (VP {asked_if} (SBAR {which_sg} (S {pred_sg}))) (. .))",
        "(S {who} (VP {asked_if} (SBAR {which_sg} (S {pred_past}))) (. .))",
        "(S {who} (VP {asked_if} (SBAR {which_pl} (S {pred_pl}))) (. .))",
        "(S {who} (VP {asked_if} (SBAR {which_pl} (S {pred_pl}))) (. .))",
        "(S (SBAR {which_sg_front} (S {pred_past})) (VP {moved} {noun}) (. .))",
        "(S (SBAR (WHNP (WP What)) (S (VP {moved} {noun}))) (VP (VBD was) {np}) (. .))",
        "(S (SBAR (WHNP (WP What)) (S (VP (VBZ worries) {noun}))) (VP (VBZ is) (SBAR (IN that) {s})) (. .))",
        "(SBARQ (WHNP (WP$ Whose) {thing}) (SQ (VP {moved} {noun})) (. ?))",
        "(SBARQ (WHNP (WDT Which) {role}) (SQ {pred_past}) (. ?))",
        "(SBARQ (WHNP (WHADJP (WRB How) (JJ many)) {roles}) (SQ {pred_pl}) (. ?))",
        "(S {who} (VP (VBZ wants) (S (VP (TO to) (VP (VB know) (SBAR {which_sg} (S {pred_sg})))))) (. .))",
        "(S (NP (NP (PRP It))) (VP (VBZ is) (RB not) (ADJP (JJ clear)) (SBAR {which_pl} (S {pred_pl}))) (. .))",
        "(S {who} (VP (VBD saw) (NP (NP (DT a) {thing}) (SBAR (WHNP (NP (DT the) {fitting}) (WHPP (IN of) (WHNP (WDT "
        "which)))) (S (VP (VBD was) (ADJP {jj})))))) (. .))",
    ],
    "clause-in-clause": [
        "(S {who} (VP {say} (SBAR (IN that) {complex})) (. .))",
        "(S {who} (VP {say} (SBAR (IN that) {complex})) (. .))", "(S {who} (VP {say} (SBAR {complex})) (. .))",
        "(S {noun_sg} (VP {moved} {noun} (SBAR (IN because) {complex})) (. .))",
        "(S {who} (VP (VBD left) (SBAR (IN because) {complex})) (. .))",
        "(S (NP (PRP I)) (VP {think} (SBAR {complex})) (. .))",
        "(S {who} (VP (VBD knew) (SBAR (IN that) (, ,) (S {if_clause} (, ,) {clause}))) (. .))",
        "(S (NP (DT The) (NN problem)) (VP (VBZ is) (SBAR (IN that) {complex})) (. .))",
        "(S (S (ADVP (RB even)) (VP (VBG knowing) (SBAR (IN that) {s}))) (, ,) {clause} (. .))",
        "(S {who} (VP {came} (, ,) (S (ADVP (RB just)) (VP (TO to) {base}))) (. .))",
        "(S {who} (VP {came} (S (ADVP (RB just)) (VP (TO to) {base}))) (. .))",
        "(S {who} (VP {came} (, ,) (S (ADVP (RB basically)) {gerund})) (. .))",
        "(S {who} (VP {fell} (, ,) (S (ADVP (RB apparently)) (VP (VBG hoping) (SBAR (IN that) {s})))) (. .))",
        "(S (CC But) {if_clause} (, ,) {clause} (. .))", "(S (SBAR (IN If) {complex_short}) (, ,) {clause} (. .))",
        "(S {who} (VP {say} (SBAR (SBAR (IN that) {s}) (CC and) (SBAR (IN that) {complex}))) (. .))",
        "(S (SBAR (IN That) {s}) (VP (VBZ is) (SBAR (WHADVP (WRB why)) {complex})) (. .))(SBAR (IN Because) {complex} "
        "(. .))",
        "(S {who} (VP (VBD asked) (SBAR (IN whether) {complex})) (. .))",
    ],
    "verbless-headline": [
        "(NP (NP {news_thing} {news_what}) (PP (IN in) (NP {city})))",
        "(NP (NP (JJ New) (NN hope)) (PP (IN for) (NP {roles})))",
        "(NP (NP (DT No) (NN end)) (PP (IN to) (NP {news_thing} {news_what})))", "(NP {city} {news_thing} {news_what})",
        "(NP (NP {plain} {news_what}) (PP (IN over) (NP {news_thing} (NN plan))))",
        "(S (NP (NNS Thousands)) (ADJP {dead}) (PP (IN after) (NP {news_thing})))",
        "(S (NP {number} {roles}) (ADJP {dead}) {scene})", "(S (NP {roles}) (PP (IN on) (NP (NN strike))))",
        "(S {news} (PP (IN in) (NP (NN court))) (PP (IN over) (NP {news_thing} {news_what})))",
        "(S (NP {news_thing} (NNS prices)) (ADVP {updown} {rate}))", "(S (NP {city} {roles}) (ADJP {dead}))",
        "(S {news} (ADJP (JJ ready) (S (VP (TO to) {base_short}))))",
        "(S (NP {news_thing} {news_what}) (ADJP (JJ likely)))",
        "(S {news} (PP (IN under) (NP (NN fire))) (PP (IN over) (NP {news_thing} {news_what})))",
        "(NP (NP {number} {roles}) (, ,) (NP (CD one) {group}))", "(NP (NP {roles}) (CC and) (NP {roles}))",
        "(NP (NP (NN Man)) (PP (IN on) (NP (NN run))))", "(S {headline_np} (VP (VBN delayed)))",
        "(NP (NP {city}) (: :) {headline_np})", "{headline_np}", "{headline_np}", "{headline_np}",
        "(S {headline_np} (ADJP {dead}))", "(NP (NP (JJS Best) {plural}) (PP (IN of) (NP {year})))",
        "(NP (NP (CD 10) (NNS ways)) (SBAR (S (VP (TO to) {base_short}))))", "(SBAR (WHADVP (WRB Why)) (S {headline}))",
        "(SBAR (WHADVP (WRB How)) (S (VP (TO to) {base_short})))",
        "(S (NP {news_thing} {news_what}) (VP (VBN expected) (NP {when_day})))",
        "(S (NP (NP (NN Inquiry)) (PP (IN into) (NP {news_thing} {news_what}))) (VP (VBN delayed)))",
        "(NP (NP {city}) (: :) (NP {news_thing} {news_what}))",
        "(FRAG (NP {news_thing} {news_what}) (: :) (S {headline}))",
        "(NP (NP {group} (NN chief)) (PP (IN in) (NP {news_thing} (NN row))))",
    ],
    "recipe": [
        "(S (VP (VB Preheat) (NP (DT the) (NN oven)) (PP (IN to) (NP {degrees} (NNS degrees)))) (. .))",
        "(S (VP (VB Combine) {three_foods} {bowl}) (. .))",
        "(S (VP (VB Mix) (ADVP (RB together)) {three_foods}) (. .))",
        "(S (VP (VB Bake) (UCP (PP (IN for) {minutes}) (, ,) (CC or) {done})) (. .))",
        "(S (VP (VB Cook) (UCP (PP (IN for) {minutes}) (CC or) {done})) (. .))",
        "(S (VP (VP (VB Add) {food}) (CC and) (VP (VB cook) (, ,) (S (VP (VBG stirring) (ADVP (RB often)))) (, ,) "
        "{done})) (. .))",
        "(S {bowl} (, ,) (VP (VB whisk) (ADVP (RB together)) {three_foods}) (. .))",
        "(S (S (VP (VBG Using) (NP (DT a) (JJ sharp) (NN knife)))) (, ,) (VP (VB cut) {food} (PP (IN into) (NP "
        "{plain} (NNS pieces)))) (. .))",
        "(S (VP (VP (VB Remove) (PP (IN from) (NP (NN heat)))) (CC and) (VP (VB let) (S (VP (VB stand) (PP (IN for) "
        "{minutes}))))) (. .))",
        "(S (SBAR (WHADVP (WRB When)) (S (NP (DT the) {thing_food}) (VP (VBZ boils)))) (, ,) (VP (VB add) {food}) (. "
        ".))",
        "(S (VP (VB Serve) (ADVP (RB immediately)) (PP (IN with) (NP {mass}))) (. .))",
        "(S (VP (VB Do) (RB not) (VP (VB let) (S {food} (VP (VB burn))))) (. .))",
        "(S (VP (VB Repeat) (PP (IN with) (NP (DT the) (VBG remaining) {thing_food}))) (. .))",
        "(S (S (VP (TO To) (VP (VB make) (NP (DT the) (NN sauce))))) (, ,) (VP (VB melt) {food} {bowl}) (. .))",
        "(S (VP {cook} {food} {done}) (. .))", "(S (LST {label}) (VP {cook} {food} {done}) (. .))",
        "(S (VP (VP {cook} {food}) (, ,) (ADVP (RB then)) (VP (VB add) {food}) (CC and) (VP (VB stir) {done})) (. .))",
        "(S (ADVP (RB Meanwhile)) (, ,) (VP (VB heat) {food} {bowl}) (. .))",
        "(S (VP (VB Bring) (PP (IN to) (NP (DT a) (NN boil)))) (. .))",
        "(S (VP (VB Bring) {food} (PP (IN to) (NP (DT a) (NN boil)))) (. .))",
        "(S (VP (VP (VB Cover)) (CC and) (VP (VB simmer) (PP (IN for) {minutes}))) (. .))",
        "(S (VP (VB Season) (PP (IN with) (NP (NN salt) (CC and) (NN pepper)))) (. .))",
        "(S (SBAR (IN Once) (S (NP (DT the) {thing_food}) (VP (VBZ is) (ADJP (JJ hot))))) (, ,) (VP (VB pour) {food} "
        "(PP (IN into) (NP (DT the) {vessel}))) (. .))",
        "(NP (NP (CD 2) (NNS cups)) (PP (IN of) (NP {thing_food})) (, ,) (VP (VBN divided)))",
        "(NP (NP {digit} (NNS eggs)) (, ,) (ADJP (RB lightly) (VBN beaten)))(S (VP (VB Store) (PP (IN in) (NP (DT "
        "the) (NN fridge))) (PP (IN for) (NP (QP (IN up) (IN to) {number}) (NNS days)))) (. .))",
    ],
    "device": [
        "(S (VP (VB Play) {song}))", "(S (VP (VB Play) {song}) (. .))", "(S (VP (VB Turn) (PRT (RP off)) {lights}))",
        "(S (VP (VB Turn) {lights} (PRT (RP on))) (. .))", "(S (VP (VB Turn) (PRT (RP up)) {lights}) (. .))",
        "(S (VP (VB Show) (NP (PRP me)) {asked_for}))", "(S (VP (VB Show) (NP (PRP me)) {asked_for}) (. .))",
        "(S (VP (VB Read) (NP (PRP me)) {asked_for}) (. .))", "(S (VP (VB List) {asked_for}))",
        "(S (VP (VB Find) {asked_for}))",
        "(S (VP (VB Remind) (NP (PRP me)) (S (VP (TO to) {base_short})) {this_when}) (. .))",
        "(S (VP (VB Remind) (NP (PRP me)) {this_when} (S (VP (TO to) {base_short}))))",
        "(S (VP (VB Wake) (NP (PRP me)) (PRT (RP up)) (PP (IN at) {clock})))",
        "(S (VP (VB Add) (NP {mass}) (PP (IN to) (NP (PRP$ my) (NN list)))))", "(S (VP (VB Call) {voc_call}))",
        "(S (VP (VB Send) (NP (DT a) (NN message)) (PP (IN to) (NP {first}))) (. .))",
        "(S (VP (VB Text) (NP {first}) (SBAR (IN that) {s})))",
        "(S (VP (VB Tell) (NP {first}) (SBAR (S (NP (PRP I)) (VP (VBP am) (ADJP (JJ late)))))))",
        "(S (VP (VB Set) {lights} (PP (IN to) (NP {number} (NN percent)))) (. .))",
        "(S (VP (VB Skip) (NP (DT this) (NN song))))", "(S (VP (VB Open) (NP (DT the) {door})))",
        "(S (VP (VB Stop) (NP (DT the) (NN music)) (PP (IN in) {minutes})))",
        "(SBARQ (WHNP (WP What)) (SQ (VP (VBZ is) {asked_sg})) (. ?))",
        "(SBARQ (WHNP (WP What)) (SQ (VP (VBZ 's) {asked_sg})))",
        "(SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (DT the) (NN weather)) (PP (IN like)) {this_when}) (. ?))",
        "(SBARQ (WHNP (WDT What) (NN time)) (SQ (VBZ does) (NP (DT the) {group}) (VP (VB open) {this_when})) (. ?))",
        "(SBARQ (WHADVP (WRB How) (RB far)) (SQ (VBZ is) (NP (PRP it)) (PP (IN to) (NP {city}))) (. ?))",
        "(SBARQ (WHADVP (WRB How)) (SQ (VBP do) (NP (PRP I)) (VP (VB get) (PP (IN to) (NP {city})))) (. ?))",
        "(SBARQ (WHADVP (WRB How) (RB long)) (SQ (VBZ does) (NP (PRP it)) (VP (VB take) (S (VP (TO to) "
        "{base_short})))) (. ?))",
        "(SBARQ (WHADVP (WRB How)) (SQ (VBP do) (NP (PRP I)) {base_short}) (. ?))",
        "(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (PRP$ my) {object})) (. ?))",
        "(SBARQ (WHNP (WP Who)) (SQ (VP (VBD wrote) (NP (DT the) {text}))) (. ?))",
        "(SQ (VBZ Is) (NP (EX there)) (NP (DT a) {jj_nn}) (ADVP (RB nearby)) (. ?))",
        "(SQ (MD Will) (NP (PRP it)) (VP (VB rain) {this_when}) (. ?))",
        "(SQ (VBP Do) (NP (PRP I)) (VP (VB need) (NP (DT a) {garment}) {this_when}) (. ?))",
        "(SQ (MD Can) (NP (PRP you)) {base_short} (. ?))",
        "(SQ (MD Could) (NP (PRP you)) (VP (VB turn) {lights} (PRT (RP off))) (. ?))",
        "(S (NP (PRP I)) (VP (MD would) (VP (VB like) (S (VP (TO to) {base_short})))) (. .))",
        "(S (NP (PRP I)) (VP (VBP need) (NP (NP (DT a) (NN flight)) (PP (IN from) (NP {city})) (PP (IN to) (NP "
        "{city})))) (. .))",
        "(SBARQ (WHNP (WDT Which) (NNS flights)) (SQ (VP (VBP leave) (NP {city}) (PP (IN before) {clock}))) (. ?))",
    ],
}

# Constructions that may begin with "But", "In fact," and the like.
EMBEDDED = {"negative-inversion", "interposed-clause", "gapping", "comparative", "cleft", "clausal-subject", "amount",
            "nx", "nac", "ucp", "apposition", "extraposition", "conjunction-phrase", "locative-inversion"}
GOOD_WORD = re.compile(r"[A-Za-z]?[a-z]+([-.][A-Za-z][a-z]*)*\.?|([A-Z]\.){1,2}|[AI]|[0-9][0-9.,]*|[$%,']|n't|"
                       r"'(s|re|ve|ll|d|m)")
SLIPS = set("s re m ve ll nt na ta u ur ya yeah ok okay um uh er like lol etc".split())
VERB = {"VBD", "VBZ", "VBP", "MD"}
VAGUE = set("lot bit kind sort thing things way ones one part rest other others same following behalf addition order "
            "fact".split())
NEGATIVE = set("no not never any anymore nor neither nothing none nobody even also still already too only".split())
NO_BASES = set("do let excuse please see thank like consider look be".split())
NO_PARTICIPLES = set("wrote went did came took saw ran ate gave knew".split())
NO_MANNER = set("really only likely early recently currently finally usually actually basically immediately daily "
                "probably completely lately personally directly simply apparently monthly weekly yearly differently "
                "accordingly respectively certainly entirely mostly mainly nearly partly solely fully".split())
POINTING = set("this that these those one ones each every".split())
TIMES = set("second minute hour day night week month year morning evening today yesterday tomorrow time times weekend "
            "monday tuesday wednesday thursday friday saturday sunday years days hours weeks months minutes".split())
BEFORE_NOUNS = set("same other such own few many last next first only more most less several certain various "
                   "much".split())


def is_plain(tree, least, most):
    """Whether a phrase has least to most words and nothing odd in it."""
    words = leaves(tree)
    if not least <= len(words) <= most or {t for t, _ in words} & ODD:
        return False
    if not all(GOOD_WORD.fullmatch(w) and w.lower() not in SLIPS for _, w in words):
        return False
    return not {p for p in phrase_labels(tree)} & ODD_PHRASES and words[-1][0] not in (",", "CC")


def phrase_labels(tree):
    return [] if is_word(tree) else [tree[0]] + [p for c in tree[1:] for p in phrase_labels(c)]


def lowered(tree):
    """The text of a tree without the capital of its first word."""
    first = leaves(tree)[0]
    if not first[0].startswith("NNP") and first[1] != "I" and not first[1].startswith("I'"):
        first[1] = first[1][0].lower() + first[1][1:]
    return show(tree)


def join(trees):
    return " ".join(map(show, trees))


def number_of(subject):
    """sg, pl or 1 (I), or None where it is not clear."""
    words = leaves(subject)
    if len(words) == 1:
        return PRONOUNS.get(words[0][1].lower(), {"NNP": "sg", "NNS": "pl"}.get(words[0][0]))
    if "CC" in labels(subject) or "," in labels(subject):
        return None
    head = subject
    while not is_word(head):
        head = head[1] if head[0] == "NP" and not is_word(head[1]) and head[1][0] == "NP" and len(head) > 2 \
            and head[2][0] in ("PP", "SBAR", "VP") else head[-1]
    return {"NN": "sg", "NNP": "sg", "NNS": "pl"}.get(head[0])


class Clause:
    """A subject and a predicate."""

    def __init__(self, subject, predicate):
        self.subject, self.predicate, self.number = subject, predicate, number_of(subject)
        first, verb = leaves(subject)[0][1].lower(), predicate[1]
        self.personal = subject[-1][0] == "PRP" and first != "it" or labels(subject) == ["NNP"]
        inner = labels(predicate)[1:]
        self.auxiliary = verb[0] == "MD" or word(verb) in BE or word(verb) in HAVE | DO and "VP" in inner
        self.negated = any(word(c) in ("not", "n't") for c in predicate[2:])
        self.rest = [c for c in predicate[2:] if word(c) not in ("not", "n't")]

    def text(self):
        return show(self.subject) + " " + show(self.predicate)

    def agrees(self):
        """Whether the verb has the number of its subject, and a modal its verb."""
        verb, plural = word(self.predicate[1]), self.number == "pl"
        wrong = {"was", "is", "has", "does", "'s"} if plural else {"were", "are", "'re", "have", "'ve", "do"} - \
            ({"have", "'ve", "do"} if self.number == "1" else set())
        modal = self.predicate[1][0] == "MD" and "VP" not in labels(self.predicate)
        return verb not in wrong and not modal and (verb != "am" or self.number == "1")

    def tag_verb(self):
        """The auxiliary of a tag question or of "so did", or None."""
        verb = self.predicate[1]
        if self.auxiliary:
            return show(verb)
        return {"VBD": "(VBD did)", "VBZ": "(VBZ does)", "VBP": "(VBP do)"}[verb[0]] if verb[1][0] != "'" else None

    def inverted(self):
        """Auxiliary, subject, rest; None if there is no auxiliary."""
        if not self.auxiliary or self.negated or not self.rest or self.predicate[1][1].startswith("'"):
            return None
        return show(self.predicate[1]) + " " + show(self.subject) + " " + join(self.rest)


class Maker:
    """Pools of phrases by name, and the slots that need more than a choice from one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pools = {name: list(lines) for name, lines in WORDS.items()}
        self.clauses, self.objects, self.places, self.lacking = [], {}, {}, set()

    def add(self, pool, text):
        self.pools.setdefault(pool, []).append(text)

    # ---- phrases of treebanks
    def take(self, tree, parent=None, above=None):
        if is_word(tree):
            return
        getattr(self, "take_" + tree[0], lambda *_: None)(tree, parent, above)
        for child in tree[1:]:
            self.take(child, tree, parent)

    def take_S(self, tree, parent, above):
        marked = tree[-1][0] == "."
        body = tree[1:-1] if marked else tree[1:]
        if tree[1][0] == "VP" and len(body) == 1 and parent[0] == "TOP" and tree[1][1][0] == "VB":
            self.take_imperative(body[0])
        names = labels(tree)
        if names[0] == "PP" and names[1:4] in (["NP", "VP", "."], [",", "NP", "VP"]) and is_plain(tree[1], 2, 6):
            self.add("pp_front", lowered(tree[1]))
        in_clause = parent[0] == "SBAR" and above is not None and above[0] in ("VP", "S") and \
            (len(parent) == 2 or word(parent[1]) in ("that", "because", "if", "while", "although", "since"))
        if not (parent[0] == "TOP" and marked or in_clause):
            return
        if [c[0] for c in body] != ["NP", "VP"] or not is_plain(body[0], 1, 7) or not is_plain(body[1], 1, 11):
            return
        verb = body[1][1]
        if verb[0] not in VERB or leaves(body[0])[0][0] in ("EX", "WDT", "WP") or len(leaves(tree)) < 3:
            return
        lowered(tree)
        clause = Clause(*body)
        if clause.number and clause.agrees():
            self.take_clause(clause)

    def take_imperative(self, predicate):
        if is_plain(predicate, 2, 9) and not any(w == "'s" and t == "PRP" for t, w in leaves(predicate)):
            first = leaves(predicate)[0]
            first[1] = first[1].lower()
            self.add("imperative", join(predicate[1:]))
            if first[1] not in NO_BASES:
                self.add("base", show(predicate))

    def take_clause(self, clause):
        verb, predicate, number = clause.predicate[1], clause.predicate, clause.number
        self.clauses.append(clause)
        self.add("clause", clause.text())
        if verb[0] == "VBD":
            self.add("past", clause.text())
        if clause.negated:
            self.add("negated", clause.text())
        if clause.personal:
            if number == "sg" and not verb[1].startswith("'"):
                self.add("pred_sg", show(predicate))
            if verb[0] == "VBD" and number == "sg":
                self.add("pred_past", show(predicate))
                if not clause.auxiliary and word(verb) not in DO:
                    self.add("vp_past", show(predicate))
        if number == "pl" and word(clause.subject[-1]) != "you" and not verb[1].startswith("'"):
            self.add("pred_pl", show(predicate))
        inverted = clause.inverted()
        if inverted and len(leaves(predicate)) > 2:
            self.add("question", inverted)
            if not {w.lower() for _, w in leaves(predicate)} & NEGATIVE:
                self.add("inverted", inverted)
        self.take_short(clause)
        self.take_headline(clause)
        self.take_object(clause)
        if len(clause.rest) == 1 and clause.rest[0][0] == "VP":
            self.take_complement(clause, clause.rest[0])

    def take_complement(self, clause, inner):
        tag, verb = inner[1][0], word(clause.predicate[1])
        unfit = word(inner[1]) in NO_BASES | NO_PARTICIPLES
        if clause.negated or not clause.personal or unfit or not is_plain(inner, 2, 8):
            return
        if tag == "VB" and (clause.predicate[1][0] == "MD" or verb in DO):
            self.add("base", show(inner))
            if labels(inner)[1:2] == ["NP"] and word(inner[1]) not in ("have", "make", "take") and \
                    labels(inner)[2:] in ([], ["PP"], ["ADVP"]):
                self.add("base_gap", show(["VP", inner[1]] + inner[3:]))
            if labels(inner)[1:] == ["PP"] and labels(inner[2]) == ["IN", "NP"] and \
                    word(inner[2][1]) in ("with", "to", "at", "about", "for"):
                self.add("base_strand", "(VP %s (PP %s))" % (show(inner[1]), show(inner[2][1])))
            if len(leaves(inner)) < 6 and inner[1][1] != "have":
                self.add("base_short", show(inner))
        elif tag == "VBN" and verb in HAVE and inner[1][1] != "got":
            self.add("perfect", show(inner))
        elif tag == "VBG" and verb in BE and inner[1][1] != "going":
            self.add("gerund", show(inner))

    def take_short(self, clause):
        """A few words with a verb that has no object."""
        predicate = clause.predicate
        inner = predicate[2] if labels(predicate) == ["MD", "VP"] else predicate
        short = len(leaves(predicate)) < 4 and len(leaves(clause.subject)) < 4
        full = word(inner[1]) not in BE | HAVE | DO | {"be", "'s", "'re", "'m"}
        if short and full and labels(inner)[1:] in ([], ["PP"]):
            self.add("short_clause", clause.text())

    def take_headline(self, clause):
        """The clause without articles and auxiliaries, in the present."""
        words = leaves(clause.subject)
        verb, rest = clause.predicate[1], clause.rest
        if clause.negated or words[-1][0] not in ("NN", "NNS", "NNP") or len(leaves(clause.predicate)) < 3:
            return
        if any(tag in ("PRP", "PRP$") or w.lower() in POINTING for tag, w in words):
            return
        passive = len(rest) == 1 and rest[0][0] == "VP" and rest[0][1][0] in ("VBN", "VBG") and word(verb) in BE
        future = len(rest) == 1 and rest[0][0] == "VP" and verb[1] == "will"
        present = verb[0] in ("VBZ", "VBP") and not clause.auxiliary and word(verb) not in HAVE | DO
        if not passive and not future and not present:
            return
        predicate = rest[0] if passive else ["VP", ["TO", "to"], rest[0]] if future else clause.predicate
        trees = [without_articles(clause.subject), without_articles(predicate)]
        if None not in trees:
            self.add("headline", join(trees))

    def take_object(self, clause):
        """Verbs with their objects and places."""
        verb, predicate = clause.predicate[1], clause.predicate
        kinds = labels(predicate)[1:]
        if clause.auxiliary or word(verb) in BE | DO or verb[1].startswith("'") or not clause.personal:
            return
        if kinds[:1] == ["NP"] and set(kinds[1:]) <= {"PP", "ADVP"} and len(kinds) < 3:
            thing = predicate[2]
            words = leaves(thing)
            if words[-1][1].lower() in TIMES | VAGUE or words[0][1].lower() in NEGATIVE:
                return
            self.add("object_gap", show(clause.subject) + " " + show(["VP", verb] + predicate[3:]))
            if words[-1][0] in ("NN", "NNS") and len(words) < 5 and len(kinds) == 1 and clause.number == "sg":
                self.objects.setdefault(show(verb), []).append(show(thing))
        elif kinds == ["PP"] and clause.number == "sg" and labels(predicate[2]) == ["IN", "NP"]:
            preposition, thing = predicate[2][1:]
            if leaves(thing)[-1][0].startswith("NN") and len(leaves(thing)) < 5:
                self.places.setdefault((show(verb), show(preposition)), []).append(show(thing))

    def take_NP(self, tree, parent, _):
        if not is_plain(tree, 2, 9):
            return
        tags, words = [t for t, _ in leaves(tree)], [w for _, w in leaves(tree)]
        if words[-1].lower() in VAGUE | TIMES or words[0].lower() in POINTING | {"all", "both", "some", "no", "any"}:
            return
        flat = all(map(is_word, tree[1:])) and "." not in words[-1]
        if flat and len(words) < 5 and tags[0] in ("DT", "PRP$") and set(tags[1:]) <= {"JJ", "NN", "NNS", "VBN", "VBG"}:
            if words[0].lower() not in ("either", "another") and tags[-1] in ("NN", "NNS"):
                self.add("noun_sg" if tags[-1] == "NN" else "noun_pl", lowered(tree))
            if tags[1:] in (["JJ", "NN"], ["JJ", "NNS"]) and words[1].lower() not in BEFORE_NOUNS:
                self.add("jj_nn" if tags[-1] == "NN" else "jj_nns", join(tree[2:]))
        if labels(tree) == ["NP", "PP"] and tags[0] in ("DT", "PRP$") and parent[0] in ("VP", "PP", "S") and \
                len(words) > 3 and tags[-1].startswith("NN"):
            self.add("long_np", lowered(tree))
            short = without_articles(tree)
            if short and not {t for t, _ in leaves(short)} & {"DT", "PRP", "PRP$"}:
                self.add("headline_np", lowered(short))

    def take_ADJP(self, tree, parent, _):
        """Adjectives that have degrees."""
        if [c[0] for c in tree[1:]] == ["RB", "JJ"] and word(tree[1]) in ("very", "so", "too", "quite", "rather") and \
                GOOD_WORD.fullmatch(tree[2][1]) and word(tree[2]) not in BEFORE_NOUNS | {"late", "likely"}:
            self.add("jj", show(tree[2]))

    def take_ADVP(self, tree, parent, _):
        """Adverbs of manner, which stand last."""
        last = labels(tree) == ["RB"] and parent[0] == "VP" and tree is parent[-1]
        if last and re.fullmatch("[a-z]+ly", tree[1][1]) and tree[1][1] not in NO_MANNER:
            self.add("adverb", show(tree[1]))

    def take_PP(self, tree, parent, _):
        if labels(tree) == ["IN", "NP"] and is_plain(tree, 3, 6) and word(tree[1]) in \
                ("in", "on", "at", "for", "with", "from", "by", "after", "before") and parent[0] == "VP":
            self.add("pp", lowered(tree))
            if word(tree[1]) in ("in", "on", "at") and leaves(tree)[-1][1].lower() not in TIMES:
                self.add("pp_place", lowered(tree))

    # ---- slots
    def fill(self, pattern):
        """The pattern with phrases in its slots, or None."""
        while "{" in pattern:
            begin = pattern.index("{")
            end = pattern.index("}", begin)
            name = pattern[begin + 1:end]
            method = getattr(self, "slot_" + name, None)
            if method is None and name not in self.pools:
                self.lacking.add(name)
                return None
            text = method() if method else self.random.choice(self.pools[name])
            if text is None:
                return None
            pattern = pattern[:begin] + text + pattern[end + 1:]
        return pattern

    def choose(self, wanted):
        """A clause of which wanted(clause) is true, or None."""
        for _ in range(40):
            clause = self.random.choice(self.clauses) if self.clauses else None
            if clause and wanted(clause):
                return clause
        return None

    def slot_tagged(self):
        """A statement and its tag."""
        unfit = HAVE | {"'s", "'d", "may", "am", "might"}
        clause = self.choose(lambda c: c.tag_verb() and word(c.predicate[1]) not in unfit)
        if clause is None:
            return None
        subject = leaves(clause.subject)
        pronoun = {"1": "I"}.get(clause.number) or ("they" if clause.number == "pl" else "it")
        if len(subject) == 1 and subject[0][0] == "PRP":
            pronoun = subject[0][1] if subject[0][1] == "I" else subject[0][1].lower()
        elif labels(clause.subject) == ["NNP"]:
            pronoun = self.random.choice(["he", "she"])
        verb = {"(MD 'll)": "(MD will)", "(VBP 're)": "(VBP are)", "(MD ca)": "(MD can)", "(MD wo)": "(MD will)",
                "(VBP 'm)": None}.get(clause.tag_verb(), clause.tag_verb())
        if verb is None:
            return None
        negative = verb.replace("(MD can)", "(MD ca)").replace("(MD will)", "(MD wo)") + " (RB n't)"
        return "(S %s) (, ,) (SQ %s (NP (PRP %s)))" % (clause.text(), verb if clause.negated else negative, pronoun)

    def other_subject(self, verb):
        """A subject for the auxiliary of "so did"."""
        plural = verb in ("(VBP do)", "(VBP are)", "(VBD were)", "(VBP have)")
        return self.fill("{noun_pl}" if plural else self.random.choice(["{name}", "(NP (DT the) {role})", "{sg_late}"]))

    def slot_affirmed(self):
        """A short clause that may have an answer."""
        c = self.choose(lambda c: not c.negated and c.rest and len(leaves(c.predicate)) < 6 > len(leaves(c.subject)))
        return c and c.text()

    def slot_so_does(self):
        c = self.choose(lambda c: not c.negated and c.tag_verb() and c.number != "1" and "'" not in c.predicate[1][1])
        return c and "(S %s) (, ,) (CC and) (SINV (ADVP (RB so)) (VP %s) %s)" % (
            c.text(), c.tag_verb(), self.other_subject(c.tag_verb()))

    def slot_neither_does(self):
        c = self.choose(lambda c: c.negated and c.tag_verb() and c.number != "1" and "'" not in c.predicate[1][1])
        verb = c and {"(MD ca)": "(MD can)", "(MD wo)": "(MD will)"}.get(c.tag_verb(), c.tag_verb())
        return c and "(S %s) (, ,) (CC and) (SINV (ADVP (RB neither)) (VP %s) %s)" % (
            c.text(), verb, self.other_subject(verb))

    def slot_as_does(self):
        c = self.choose(lambda c: not c.negated and c.tag_verb() and not c.auxiliary and c.number != "1")
        return c and "%s %s (, ,) (SBAR (IN as) (SINV (VP %s) %s)))" % (
            show(c.subject), show(c.predicate)[:-1], c.tag_verb(), self.other_subject(c.tag_verb()))

    def broken(self, pattern, in_predicate):
        """The clause with the pattern after its subject or its auxiliary."""
        c = self.choose(lambda c: (c.auxiliary and c.rest or not in_predicate) and c.predicate[1][1][0] != "'")
        inside = self.fill(pattern)
        if c is None or inside is None:
            return None
        if not in_predicate:
            return "%s %s %s" % (show(c.subject), inside, show(c.predicate))
        before = 3 if word(c.predicate[2]) in ("n't", "not") else 2
        return "%s (VP %s %s %s)" % (show(c.subject), join(c.predicate[1:before]), inside, join(c.predicate[before:]))

    def slot_subject_prn(self):
        return self.broken("(PRN (, ,) {aside} (, ,))", False)

    def slot_bare_prn(self):
        return self.broken("(PRN {filler})", False)

    def slot_auxiliary_prn(self):
        return self.broken("(PRN (, ,) {aside} (, ,))", True)

    def slot_subject_um(self):
        return self.broken("(, ,) (INTJ {um}) (, ,)", False)

    def slot_auxiliary_um(self):
        return self.broken("(, ,) (INTJ {um}) (, ,)", True)

    def slot_subject_bracket(self):
        return self.broken("(PRN (-LRB- -LRB-) (S {clause}) (-RRB- -RRB-))", False)

    def slot_subject_dash(self):
        return self.broken("(PRN (: --) (S {clause}) (: --))", False)

    def slot_broken_subject(self):
        return self.broken("{prn_quote}", False)

    def slot_broken_auxiliary(self):
        return self.broken("{prn_quote}", True)

    def slot_imperative_low(self):
        return self.fill("{imperative}")

    def slot_cooking_low(self):
        text = self.fill("{cooking}")
        tree = read_trees("(VP %s)" % text)[0]
        tree[1][1] = tree[1][1].lower()
        return join(tree[1:])

    def different(self, table, count):
        """A verb and count of its objects that differ, or None."""
        for _ in range(40):
            verb = self.random.choice(sorted(table)) if table else None
            things = sorted(set(table[verb])) if verb else []
            if len(things) >= count:
                return verb, self.random.sample(things, count)
        return None

    def slot_gap_two(self):
        got = self.different(self.objects, 2)
        return got and self.fill("(S {name} (VP %s %s)) %s (S {name} %s)" % (
            got[0], got[1][0], self.random.choice(["(CC and)", "(, ,) (CC and)", "(, ,) (CC but)"]), got[1][1]))

    def slot_gap_three(self):
        got = self.different(self.objects, 3)
        return got and self.fill("(S {name} (VP %s %s)) (, ,) (S {name} %s) (CC and) (S {name} %s)" % (got[0], *got[1]))

    def slot_gap_pp(self):
        got = self.different(self.places, 2)
        return got and self.fill("(S {name} (VP %s (PP %s %s))) (CC and) (S {name} (PP %s %s))" % (
            got[0][0], got[0][1], got[1][0], got[0][1], got[1][1]))

    def slot_pseudogap(self):
        past = {v: things for v, things in self.objects.items() if v.startswith("(VBD") and v != "(VBD had)"}
        got = self.different(past, 2)
        return got and self.fill("{name} (VP %s %s (, ,) (SBAR (IN %s) (S {who} (VP (VBD did) (VP %s)))))" % (
            got[0], got[1][0], self.random.choice(["as", "before", "although"]), got[1][1]))

    def slot_fronted_vp(self):
        """A predicate, and the same one before its subject and auxiliary."""
        predicate, he = self.fill("{base_short}"), self.random.choice(["he", "she", "they"])
        return predicate and "(S (NP (PRP %s)) (VP (VBD said) (SBAR (S (NP (PRP %s)) (VP (MD would) %s))))) (, ,) " \
            "(CC and) (S %s (NP (PRP %s)) (VP (VBD did)))" % (he, he, predicate, predicate, he)

    def closed(self, pool, label, closing):
        """Words of a pool with a comma and a phrase at the end of their predicate, or None."""
        tree = read_trees("(%s %s)" % (label, self.fill("{%s}" % pool)))[0]
        if tree[-1][0] != "VP":
            return None
        tree[-1] += read_trees("(, ,) %s" % self.fill(closing))
        return join(tree[1:])

    def slot_clause_voc(self):
        return self.closed("clause", "S", "{voc}")

    def slot_clause_yes(self):
        return self.closed("clause", "S", "(INTJ {oh_low})")

    def slot_question_voc(self):
        return self.closed("question", "SQ", "{voc}")

    def slot_question_please(self):
        return self.closed("question", "SQ", "(INTJ (UH please))")

    # ---- lists with marks
    def slot_law_mark(self):
        return "(-LRB- -LRB-) (LS %s) (-RRB- -RRB-)" % self.random.choice("a b c d e i ii iii iv 1 2 3".split())

    def marked(self, mark, pattern):
        """A phrase that begins with the mark of an item."""
        text = self.fill(pattern)
        label, _, rest = text.partition(" ")
        return "%s (LST (-LRB- -LRB-) (LS %s) (-RRB- -RRB-)) %s" % (label, mark, rest)

    def law(self, pattern):
        """Two to four phrases with marks, which are one of the same kind."""
        marks = self.random.choice(["a b c d", "i ii iii iv", "1 2 3 4", "A B C D"]).split()
        items = [self.marked(mark, pattern) for mark in marks[:self.random.choice([2, 2, 3, 3, 4])]]
        between = self.random.choice(["(: ;)", "(: ;)", "(, ,)"])
        last = self.random.choice(["(CC and)", "(CC or)", between + " (CC and)", between + " (CC or)"])
        return "%s %s %s %s)" % (items[0].partition(" ")[0], (" %s " % between).join(items[:-1]), last, items[-1])

    def slot_law_vps(self):
        return self.law("{base}")

    def slot_law_nps(self):
        return self.law("{np}")

    def slot_law_ifs(self):
        return self.law("(SBAR (IN if) {s})")

    def slot_law_whethers(self):
        return self.law("(SBAR (IN whether) {s})")

    def slot_law_thats(self):
        return self.law("(SBAR (IN that) {s})")

    def slot_law_clauses(self):
        return self.law("(S {clause})")[3:-1]

    def slot_law_one(self):
        """An item alone, with a semicolon."""
        kind = self.random.choice(["{np}", "{np}", "(PP (IN for) {np})", "(S (VP (TO to) {base}))",
                                   "(SBAR (IN if) {s})"])
        return self.marked(self.random.choice("abcd123"), kind)[:-1] + " (: ;)" + \
            self.random.choice(["", "", " (CC and)", " (CC or)"]) + ")"

    # ---- sentences
    def make(self, name):
        """A tree of the construction, or None."""
        text = self.fill(self.random.choice(PATTERNS[name]))
        if text is None:
            return None
        tree = read_trees(text)[0]
        if name in EMBEDDED and tree[0] in ("S", "SINV") and tree[1][0] != "CC" and self.random.random() < 0.2:
            first = leaves(tree)[0]
            if first[0] not in ("NNP", "LS") and first[1] != "I":
                first[1] = first[1][0].lower() + first[1][1:]
            tree[1:1] = read_trees(self.fill("{surely}" if tree[0] == "S" else "{and}"))
        finish(tree)
        return ["TOP", tree] if len(leaves(tree)) < 60 else None


def without_articles(tree):
    """The tree without a, an, the; None if nothing is left of a phrase."""
    if is_word(tree):
        return tree
    kept = [without_articles(c) for c in tree[1:] if word(c) not in ("a", "an", "the")]
    return None if not kept or None in kept else [tree[0]] + kept


def finish(tree):
    """Capitals at the beginning of a sentence, of a quotation and after the number of an item; a or an."""
    words = leaves(tree)
    begin, quoted = True, False
    for w in words:
        if w[0] == "``" and not quoted:
            begin = quoted = True
        elif w[0] in ("LS", "-LRB-", "-RRB-", "``"):
            pass
        elif begin:
            w[1] = w[1][0].upper() + w[1][1:]
            begin = False
    for at, w in enumerate(words[:-1]):
        if w[1].lower() in ("a", "an"):
            after = words[at + 1][1].lower()
            vowel = after[0] in "aeiou" and not after.startswith(("uni", "use", "one", "eu"))
            vowel = vowel or after in ("hour", "honest", "8", "11")
            w[1] = w[1][0] + ("n" if vowel else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--only", default=",".join(PATTERNS))
    parser.add_argument("--without", default="")
    parser.add_argument("--not", dest="excluded", action="append", default=[])
    args = parser.parse_args()
    without = args.without.split(",") if args.without else []
    for name in args.only.split(",") + without:
        if name not in PATTERNS:
            sys.exit("no construction %s; there are %s" % (name, ", ".join(PATTERNS)))
    names = [name for name in args.only.split(",") if name not in without]
    maker, made = Maker(args.seed), set()
    for file in args.files:
        for tree in load_trees(file):
            harmonise(tree)
            maker.take(tree)
    for file in args.excluded:
        made |= {sentence(t) for t in load_trees(file)}
    for name in names:
        count = 0
        for _ in range(50 * args.each):
            tree = maker.make(name) if count < args.each else None
            if tree and sentence(tree) not in made:
                made.add(sentence(tree))
                for leaf in leaves(tree):  # the Penn Treebank's only tag of the word
                    leaf[0] = "TO" if leaf[0] == "IN" and word(leaf) == "to" else leaf[0]
                print(show(tree))
                count += 1
        if count == 0:
            sys.exit("%s: found no phrases for it in %s%s" % (
                name, " ".join(args.files), "".join(", none for {%s}" % n for n in sorted(maker.lacking))))
        print("%s: %d sentences" % (name, count), file=sys.stderr)


def sentence(tree):
    return " ".join(w[1].lower() for w in leaves(tree))


if __name__ == "__main__":
    main()
