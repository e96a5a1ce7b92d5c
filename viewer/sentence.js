// A sentence: its words, its tree and arcs, and why the parser decided so: a selected decision in words, then its
// numbers, the second-best parse, and last the attention of all heads.

const KINDS = { span: 'phrase', arc: 'arc', type: 'type', tag: 'tag' };

// ---- decisions in words

function wordsOf(sentence, begin, end, most = 24) {
    const words = sentence.tokens.slice(begin, end), half = Math.floor(most / 2);
    return (words.length > most ? [...words.slice(0, half), '...', ...words.slice(-half)] : words).join(' ');
}

const governorOf = (sentence, w) => (w < 0 ? 'root' : sentence.tokens[w]);
const decisionName = d => (d.label || 'arc') + (d.against ? ` over ${d.against}` : '');
const decisionWords = (sentence, d, most) => (d.kind === 'span' ? wordsOf(sentence, d.begin, d.end, most)
    : d.kind === 'tag' ? sentence.tokens[d.word] : `${sentence.tokens[d.word]} ← ${governorOf(sentence, d.governor)}`);

// All decisions by number: first those of the parse, then the gold phrases that it lacks.
function decisionsOf(sentence) {
    return sentence.decisions.concat((sentence.missed || []).map(d => ({ ...d, isMissed: true })));
}

const findDecision = (all, kind, a, b) => all.findIndex(d => d.kind === kind && !d.isMissed
    && (kind === 'span' ? d.begin === a && d.end === b : d.word === a && d.governor === b));

// What gold has in the place of a wrong decision.
function goldOf(sentence, d) {
    if (d.right !== false) return null;
    if (d.kind === 'span') return d.gold || 'no such phrase';
    if (d.kind === 'tag') return d.gold;
    if (d.kind === 'type') return sentence.gold.types[d.word];
    return governorOf(sentence, sentence.gold.governors[d.word]);
}

// The decision that is selected at first: of those that are set against another parse, of the wrong and missing ones,
// or of all phrases and arcs, the least certain one.
function firstDecision(sentence) {
    const all = decisionsOf(sentence), wrong = d => d.isMissed || d.right === false;
    const order = [...all.keys()].sort((a, b) => all[a].p - all[b].p);
    const tests = [d => d.contrast && wrong(d), d => d.contrast, wrong, d => d.kind === 'span', () => true];
    const test = tests.find(one => order.some(k => one(all[k])));
    return test ? order.find(k => test(all[k])) : null;
}

// "heads 51 · verb phrases (+0.352), ...", those for the decision or those against it.
function headsFor(heads, against, most = 3) {
    const some = heads.filter(x => (x.part < 0) === against && x.part !== 0).slice(0, most);
    return some.length ? `${some.length === 1 ? 'head' : 'heads'} ${headList(some)}` : '';
}

// What decided between a wrong label and the gold one, by the parts of the difference of their scores.
const SHOWN = 0.0005; // smaller numbers are shown as 0.000
const headsOf = x => x.score - x.bias - (x.rest || 0); // the part of a score that heads have in sum
function verdictOf(lead, label) {
    const parts = [['the heads', headsOf(lead)], [`the ${restName()}`, lead.rest || 0], ['the biases', lead.bias]];
    const least = Math.min(SHOWN, Math.max(...parts.map(([, part]) => part)));
    const named = test => parts.filter(([, part]) => test(part)).map(([name]) => name);
    const by = named(part => part >= least), against = named(part => part <= -SHOWN);
    if (Math.abs(lead.score) < SHOWN) return 'Both labels have the same score.';
    if (lead.score < 0) return 'The parse cannot have the gold label, which only other treebanks of the model use.';
    if (by.length > 1 && !against.length)
        return `${by.length > 2 ? 'All of ' : 'Both '}${listed(by).replace('the heads', 'the heads in sum')} are for ${
            label}.`;
    return `T${listed(by).slice(1)} decided for ${label}${against.length ? `, against ${listed(against)}` : ''}.`;
}

function sideOf(parts, label) {
    const number = parts.length, all = signed(sum(parts));
    if (!number) return `none is for ${label}`;
    return `${number} ${number === 1 ? 'is' : 'are'} for ${label} (${all}${number === 1 ? '' : ' in sum'})`;
}

function differenceOf(d) {
    const lead = d.lead, parts = lead.parts.filter((part, h) => hasHead(h));
    return el('p', null, `The score of the gold label, ${d.gold}, is ${lead.score < 0 ? 'higher' : 'lower'} by `,
        `${fixed(Math.abs(lead.score))}. Of the ${parts.length} contributions of heads to this `,
        term('difference', 'difference'), `, ${sideOf(parts.filter(part => part > 0), d.label)} and `,
        `${sideOf(parts.filter(part => part < 0), d.gold)}; `,
        lead.rest !== undefined && ['the ', restTerm(), ` add ${signed(lead.rest)}; `],
        `the biases add ${signed(lead.bias)}. The largest are those of the heads ${headList(lead.heads.slice(0, 3))}. `,
        verdictOf(lead, d.label));
}

const rivalName = (sentence, d) => (d.kind === 'arc' ? `the head “${governorOf(sentence, d.rival.governor)}”`
    : d.rival.label || 'no phrase');

// Is a span a phrase of the parse? One that was asked for (--span) need not be.
const isPhrase = (sentence, d) => phrasesOf(sentence.tree).some(phrase =>
    phrase.begin === d.begin && phrase.end === d.end && phrase.label === d.label.split('::')[0]);

// The decision in one or two sentences: what it is, what gold has, by how much it leads, and who did it.
function proseOf(sentence, d) {
    if (d.contrast) return d.contrast.reason;
    const gold = goldOf(sentence, d), name = el(d.right === false ? 'strong.bad' : 'strong', null, d.label || 'arc');
    const has = d.isMissed ? 'lacks ' : d.kind !== 'span' || isPhrase(sentence, d) ? 'has ' : 'does not have ';
    const what = d.kind === 'span' ? ['The parse ', has, name, ' over ', quoted(wordsOf(sentence, d.begin, d.end, 12))]
        : d.kind === 'arc' ? [quoted(sentence.tokens[d.word]), ' depends on ', quoted(governorOf(sentence, d.governor))]
            : d.kind === 'tag' ? [quoted(sentence.tokens[d.word]), ' is tagged ', name]
                : [quoted(sentence.tokens[d.word]), ' is ', name, ' of ', quoted(governorOf(sentence, d.governor))];
    const judged = d.isMissed ? ', which gold has' : gold ? [', where ', el('strong.good', null, `gold has ${gold}`)]
        : d.right ? ', as gold has' : '';
    const apart = (score, more, less) => `${fixed(Math.abs(score))} ${score < 0 ? less : more}`;
    const scores = (score, other) => `: ${d.label} scores ${apart(score, 'more', 'less')} than ${other}`;
    const tag = d.kind === 'tag' ? '' : tagNote(sentence, d);
    const heads = (d.heads || []).filter(x => x.part !== 0).slice(0, 3);
    const most = heads.length > 0 && `. Heads ${headList(heads)} count most`;
    if (d.lead && d.heads) {
        const forIt = headsFor(d.lead.heads, false), forGold = headsFor(d.lead.heads, true);
        return [what, judged, scores(d.lead.score, d.gold), forIt && `, most of it by ${forIt}`,
            forGold && `, against ${forGold}`, '. ', verdictOf(d.lead, d.label), tag];
    }
    if (d.against) return [what, judged, scores(d.score, d.against), most, '.', tag];
    const ahead = d.rival && d.score - d.rival.score;
    return [what, judged, !d.rival ? `: its score is ${signed(d.score)}` : `: its score, ${signed(d.score)}, is `
        + `${apart(ahead, 'above', 'below')} that of the best alternative, ${rivalName(sentence, d)}`,
    ahead < 0 && has === 'has ' && ', but the whole parse scores best with it', most, '.', tag];
}

// Where a decision is about a word, or a tag differs from gold: the tags.
function tagNote(sentence, d) {
    const tags = sentence.tags, gold = sentence.gold && sentence.gold.tags;
    if (!tags) return '';
    const [begin, end] = d.kind === 'span' ? [d.begin, d.end] : [d.word, d.word + 1];
    const differs = w => gold && gold[w] !== tags[w];
    for (let w = begin; w < end && end - begin < 6; w++)
        if (differs(w) || end - begin === 1)
            return [' ', quoted(sentence.tokens[w]), ` is tagged ${tags[w]}`, differs(w) && `; gold has ${gold[w]}`,
                '.'];
    return '';
}

// ---- the drawings

function markPhrases(structure, sentence, all, other, missed) {
    for (const phrase of structure.phrases) {
        const k = missed ? all.findIndex(d => d.isMissed && d.begin === phrase.begin && d.end === phrase.end)
            : findDecision(all, 'span', phrase.begin, phrase.end);
        const judged = k >= 0 && (missed || all[k].right === false) && other;
        // of a unary chain, what is in the other tree is not marked
        if (judged && !other.some(one => samePhrase(one, phrase))) phrase.mark = missed ? 'right' : 'wrong';
        if (phrase.mark === 'wrong') phrase.gold = all[k].gold;
        if (live && live.isSet(sentence, { kind: 'phrase', ...phrase })) phrase.mark = 'set';
        if (k >= 0) phrase.target = `${sentence.id}/${k}`;
        phrase.about = `${phrase.label}, ${wordsOf(sentence, phrase.begin, phrase.end, 8)}`
            + (phrase.mark === 'wrong' ? `, wrong${phrase.gold ? `, gold has ${phrase.gold}` : ''}` : '');
    }
}

// An arc leads to the decision on its head, or, where that is right or not explained, on its wrong type.
function markArcs(structure, sentence, all) {
    const gold = sentence.gold && sentence.gold.governors ? sentence.gold : null, dashed = [];
    for (const item of structure.arcs) {
        const w = item.to, arc = findDecision(all, 'arc', w, item.from), type = findDecision(all, 'type', w, item.from);
        const wrong = gold && gold.governors[w] !== item.from;
        const otherType = gold && !wrong && gold.types[w] !== item.type;
        const k = arc >= 0 && (wrong || type < 0 || !otherType) ? arc : type;
        if (wrong || otherType) item.mark = 'wrong';
        if (otherType) item.gold = gold.types[w];
        if (live && live.isSet(sentence, { kind: 'arc', token: w })) item.mark = 'set';
        if (k >= 0) item.target = `${sentence.id}/${k}`;
        item.about = `${item.type}, ${sentence.tokens[w]} from ${governorOf(sentence, item.from)}`
            + (item.mark ? `, wrong${item.gold ? `, gold has ${item.gold}` : ''}` : '');
        if (wrong && gold.governors[w] !== w)
            dashed.push({ from: gold.governors[w], to: w, type: gold.types[w], dashed: true });
    }
    structure.arcs.push(...dashed);
}

// ---- Universal Dependencies, which rules make of the model's arcs

let ownArcs = null; // are the model's own arcs drawn? null: nobody has chosen
const showsUd = sentence => Boolean(sentence.ud) && !(ownArcs ?? Boolean(sentence.gold && sentence.gold.governors));

// The dependents of the model's arcs between two words (-1: the root), by which the arc of another scheme follows.
function pathBetween(governors, a, b) {
    const depth = word => (word < 0 ? 0 : 1 + depth(governors[word])), path = [];
    let above = depth(a) - depth(b);
    while (a !== b) {
        if (above >= 0) {
            path.push(a);
            a = governors[a];
            above--;
        } else {
            path.push(b);
            b = governors[b];
            above++;
        }
    }
    return path;
}

// An arc leads to the least certain of the model's arcs that it follows from.
function markUd(structure, sentence, all) {
    for (const item of structure.arcs) {
        const path = pathBetween(sentence.governors, item.to, item.from);
        const found = path.map(w => findDecision(all, 'arc', w, sentence.governors[w])).filter(k => k >= 0);
        const [least] = found.sort((x, y) => all[x].p - all[y].p);
        if (least !== undefined) item.target = `${sentence.id}/${least}`;
        item.about = `${item.type}, ${sentence.tokens[item.to]} from ${governorOf(sentence, item.from)}, follows from `
            + listed(path.map(w => `${sentence.tokens[w]} ← ${governorOf(sentence, sentence.governors[w])}`));
        if (live && path.some(w => live.isSet(sentence, { kind: 'arc', token: w }))) item.mark = 'set';
    }
}

// Arcs of another parse, in the scheme that is shown; its own arcs are given.
function otherArcs(sentence, changes, own) {
    if (!showsUd(sentence) || !changes) return own;
    const arcs = structureOf(sentence.tokens, sentence.ud).arcs;
    for (const x of changes) arcs[x.word] = { from: x.governor, to: x.word, type: x.type, mark: 'other' };
    return arcs;
}

const arcChoice = sentence => sentence.ud && el('label', null, 'Arcs: ', el('select', { id: 'scheme', change: event => {
    ownArcs = event.target.value === 'own';
    show(location.hash.slice(1));
} }, el('option', { value: 'ud', selected: showsUd(sentence) }, 'Universal Dependencies'),
el('option', { value: 'own', selected: !showsUd(sentence) }, 'as the model decides them')));

function parseSection(sentence, all) {
    const ud = showsUd(sentence), gold = sentence.gold;
    const structure = structureOf(sentence.tokens, ud ? { ...sentence, ...sentence.ud } : sentence);
    markPhrases(structure, sentence, all, gold && gold.tree && phrasesOf(gold.tree), false);
    if (ud) markUd(structure, sentence, all);
    else markArcs(structure, sentence, all);
    structure.wordLinks = sentence.tokens.map((word, w) => `${sentence.id}/w${w}`);
    return el('section', { id: 'parse', 'aria-label': 'Parse' }, arcChoice(sentence), drawing('Parse', structure),
        ud && el('p.legend', null, 'These arcs follow by rule from the model’s own; each leads to the least certain '
            + 'one that it follows from.'),
        el('p.legend', null, 'Select a phrase, an arc or a word to see why it is so; arrow keys go from one to the '
            + 'next.', gold && ' Red with a cross: not in gold, which is beside it in green; dashed: gold arcs.'));
}

function goldSection(sentence, all) {
    if (!(sentence.missed || []).length) return null;
    const structure = structureOf(sentence.tokens, { tree: sentence.gold.tree, tags: sentence.gold.tags });
    markPhrases(structure, sentence, all, phrasesOf(sentence.tree), true);
    return section('gold', 'Gold tree', el('p', null, 'Green with a plus sign: phrases that the parse lacks.'),
        drawing('Gold tree', structure));
}

function secondSection(sentence) {
    const second = sentence.second;
    if (!second) return null;
    const structure = structureOf(sentence.tokens, second), own = phrasesOf(sentence.tree);
    for (const phrase of structure.phrases) if (!own.some(one => samePhrase(one, phrase))) phrase.mark = 'other';
    for (const arc of structure.arcs) if (arc.from !== sentence.governors[arc.to]) arc.mark = 'other';
    structure.arcs = otherArcs(sentence, second.ud, structure.arcs);
    return section('second', 'Second-best parse',
        say(`Its [score](second) is ${fixed(second.margin)} lower. What differs:`), differenceTables(second, sentence),
        el('details', null, el('summary', null, 'Its tree and arcs'), drawing('Second-best parse', structure)));
}

// ---- words, underlined by values and coloured by doubt

const DOUBTS = [0.95, 0.8, 0.5]; // a word is doubtful below these probabilities
const phraseSure = (sure, w) => (sure.phrases ? sure.phrases[w] : 1);

function wordsLine(sentence) {
    const sure = sentence.confidence;
    return el('p', { id: 'words' }, sentence.tokens.map((word, w) => {
        const least = sure ? Math.min(sure.arcs[w], phraseSure(sure, w)) : 1;
        const doubt = DOUBTS.filter(limit => least < limit).length;
        return [w ? ' ' : '', el('a', { href: `#${sentence.id}/w${w}`, 'data-doubt': doubt || null, title: doubt
            && `arc ${percent(sure.arcs[w], 1, 0)}, phrase ${percent(phraseSure(sure, w), 1, 0)}` }, word)];
    }));
}

function doubtLegend(sentence) {
    const sure = sentence.confidence;
    return sure && el('p.legend', null, sure.expected_f1 !== undefined
        && [term('doubt', 'Expected F1'), ` ${percent(sure.calibrated_f1 ?? sure.expected_f1)}. `],
    sure.expected_las !== undefined && `Expected LAS ${percent(sure.expected_las)}. `,
    sure.p_tree !== undefined
        && `Probability of the whole parse ${Number((100 * sure.p_tree).toPrecision(3))}\u00a0%. `,
    'Doubtful words, by the probability of the arc or of the smallest phrase:',
    DOUBTS.map((limit, k) => [' ', el('span.key', { 'data-doubt': k + 1 }), ` below ${percent(limit, 1, 0)}`]));
}

// Underlines words by value: solid for positive, dashed for negative ones, in three steps of the largest.
function underline(values, about) {
    const most = Math.max(...values.map(Math.abs), 0.001);
    document.querySelectorAll('#words a').forEach((word, k) => {
        const size = Math.abs(values[k]) / most, step = [0.05, 0.2, 0.5].filter(least => size > least).length;
        word.className = step ? `s${step} ${values[k] > 0 ? 'plus' : 'minus'}` : '';
    });
    document.getElementById('hint').textContent = about;
}

// ---- the selected decision

function headTable(sentence, d) {
    const span = d.kind === 'span', names = ['head', 'contribution', 'attends most to'];
    const some = d.heads.filter(x => x.part !== 0);
    if (!some.length) return el('p', null, 'No word lies between the two, so no head has a part in this score.');
    const rows = some.map(x => {
        const click = () => chooseHead(x, sentence.attention);
        const button = el('button', { type: 'button', click }, headName(headNumber(x.head)));
        const at = x.attends.word;
        return [button, signed(x.part),
            [at >= 0 && [quoted(sentence.tokens[at]), ' ' + percent(x.attends.weight, 1, 0)], { class: 'word' }],
            ...(span ? [percent(x.attends.inside, 1, 0)] : [])];
    });
    return table('Heads with the largest contributions', span ? [...names, term('inside', 'inside')] : names, rows,
        { rowHead: true });
}

// Through what words count: all that a head has of a phrase is its view, where it attends inside phrases.
const through = (one, all) => `through ${inPhrases() ? '' : all ? 'the views of ' : 'the view of '}${one}`;

// Underlines the words by the view of one head, or by its attention, and frames it in the map.
function chooseHead(x, attention) {
    const h = headNumber(x.head), name = headName(h);
    if (x.words) underline(x.words, `Underlined: contributions of words ${through(`head ${name}`)}; ${SOLID}`);
    else underline(attention[x.head], `Underlined: the words that head ${name} attends to.`);
    frameHead(h);
}

const SOLID = 'solid: positive, dashed: negative.';

// A table of what only one of two parses has, and one of the parts of the difference of their scores, which add up.
function differenceTables(c, sentence) {
    const row = side => d => [side, KINDS[d.kind], decisionName(d), [decisionWords(sentence, d, 12), { class: 'word' }],
        signed(d.score)];
    const parts = [['phrases', c.phrases], ['nodes without a label', c.groups], ['arcs', c.arcs],
        ['grammar of phrases', c.grammar || 0]].filter(([, part]) => Math.abs(part) >= SHOWN);
    const heads = (sign, name) => c.heads.filter(x => sign * x.part > 0).slice(0, 3).map(x =>
        [`head ${headName(headNumber(x.head))}`, signed(x.part), name]);
    return [table('What differs', ['only in', 'kind', 'decision', 'words', 'score'],
        [...c.lost.map(row('this parse')), ...c.gained.map(row('the other'))]),
    table('Parts of the difference', ['part', 'of the difference', 'for'], [...parts.map(([name, part]) =>
        [name, signed(part), part > 0 ? 'this parse' : 'the other']), ['all', signed(c.margin), ''],
    ...heads(1, 'this parse'), ...heads(-1, 'the other')], { rowHead: true })];
}

// The structure of the other parse: this one without what only it has, and with what the other one has, marked.
function otherOf(sentence, c) {
    const structure = structureOf(sentence.tokens, sentence), spans = list => list.filter(d => d.kind === 'span')
        .flatMap(d => d.label.split('::').map(label => ({ label, begin: d.begin, end: d.end })));
    const lost = spans(c.lost), kept = structure.phrases.filter(one => !lost.some(phrase => samePhrase(phrase, one)));
    structure.phrases = [...kept, ...spans(c.gained).map(phrase => ({ ...phrase, mark: 'other' }))]
        .sort((a, b) => a.begin - b.begin || b.end - a.end);
    for (const d of c.gained.filter(one => one.kind === 'arc'))
        structure.arcs[d.word] = { from: d.governor, to: d.word, type: d.governor < 0 ? 'root' : '', mark: 'other' };
    structure.arcs = otherArcs(sentence, c.ud, structure.arcs);
    return structure;
}

// Against the best parse that decides otherwise.
function contrastOf(sentence, d) {
    const c = d.contrast;
    return [el('h3', null, 'Against the best parse ', c.with ? 'with it' : 'without it'),
        drawing('The other parse', otherOf(sentence, c)), say(`[The other
        parse](contrast) is the best one that decides otherwise. Positive parts are for this parse. Those of phrases, of
        nodes without a label, of arcs and of the grammar add up to all; those of heads and [biases](bias) make up all
        but the grammar.`), differenceTables(c, sentence)];
}

// What enters the network at each word, for a tag and against the next best or gold's one.
function tagDetails(sentence, d) {
    const lead = d.lead, list = lead ? lead.input : d.input, most = largestParts(list, 6);
    const other = lead && (d.right === false ? d.gold : d.rival.label);
    return [el('h2', null, decisionName(d), ' ', quoted(sentence.tokens[d.word])),
        say(`[Probability](probability) ${fixed(d.p)} among all tags. The tagger reads what enters label attention, so
            its parts are not of heads but of words, as they enter the network${lead ? `; those of the difference to the
            score of ${other}, ${signed(lead.score)}:` : ':'}`),
        el('p', null, most.map((w, i) => [i ? ', ' : '', quoted(sentence.tokens[w]), ' ' + signed(list[w], 2)]), '.')];
}

function detailsOf(sentence, all, k) {
    const d = all[k];
    if (d.kind === 'tag') return tagDetails(sentence, d);
    const words = largestParts(d.words || [], 6).filter(w => Math.abs(d.words[w]) >= SHOWN);
    const relative = d.kind === 'span' ? -1 : findDecision(all, d.kind === 'arc' ? 'type' : 'arc', d.word, d.governor);
    return [el('h2', null, decisionName(d), ' ', quoted(decisionWords(sentence, d))), d.contrast
        && contrastOf(sentence, d), d.contrast && el('h3', null, 'Its own score'),
        say(`Score ${signed(d.score)} = heads ${signed(headsOf(d))} + ${d.rest === undefined ? ''
            : `[${restName()}](${restTermOf()}) ${signed(d.rest)} + `}biases ${signed(d.bias)};
            [probability](probability) ${fixed(d.p)} among its alternatives.`),
        d.parts && bars(d.parts, `Contributions of all heads to ${decisionName(d)}; the table has the largest`),
        headTable(sentence, d),
        relative >= 0 && el('p', null, link(`${sentence.id}/${relative}`,
            d.kind === 'arc' ? `Its type: ${all[relative].label}` : 'Its arc')),
        d.lead && differenceOf(d),
        words.length > 0 && el('p', null, `Largest contributions of words, ${through('all heads', true)}: `, words.map(
            (w, i) => [i ? ', ' : '', quoted(sentence.tokens[w]), ' ' + signed(d.words[w])]), '.'),
        namesNote(overview().names_note, overview().names)];
}

// What is known of a word: its tag, its arc, the phrases around it, and the heads that look at it most.
function wordDetails(sentence, all, w) {
    const attention = sentence.attention;
    const most = Object.keys(attention).sort((a, b) => attention[b][w] - attention[a][w]);
    const around = d => (d.kind === 'span' ? d.begin <= w && w < d.end : d.word === w);
    const row = k => [(all[k].isMissed ? 'missing ' : '') + KINDS[all[k].kind], link(`${sentence.id}/${k}`,
        decisionName(all[k])), [decisionWords(sentence, all[k], 12), { class: 'word' }], fixed(all[k].p)];
    return [el('h2', null, 'Word ', quoted(sentence.tokens[w])), table('Decisions on the word',
        ['kind', 'decision', 'words', 'probability'], [...all.keys()].filter(k => around(all[k])).map(row)),
    el('p', null, 'Heads that attend to it most: ', most.slice(0, 6).map(name =>
        `${headName(headNumber(name))} ${percent(attention[name][w], 1, 0)}`).join('; '), '.')];
}

function wordProse(sentence, w) {
    const sure = sentence.confidence, governors = sentence.governors;
    const ud = sentence.ud, other = ud && (ud.governors[w] !== governors[w] || ud.types[w] !== sentence.types[w]);
    return [tagNote(sentence, { kind: 'arc', word: w }), governors && [' It is ', el('strong', null, sentence.types[w]),
        ' of ', quoted(governorOf(sentence, governors[w])), sure && `; probability of this arc `
            + percent(sure.arcs[w]),
        sure && sure.phrases && `, of the smallest phrase around the word ${percent(sure.phrases[w])}`, '.'],
    other && [' In Universal Dependencies it is ', el('strong', null, ud.types[w]), ' of ',
        quoted(governorOf(sentence, ud.governors[w])), '.']];
}

// Shows decision "13" or word "w4" of the sentence on the screen.
function select(sentence, what) {
    const all = decisionsOf(sentence), word = what[0] === 'w' ? Number(what.slice(1)) : -1, d = all[what];
    const prose = document.getElementById('prose'), details = document.getElementById('details');
    if (!details || (word < 0 && !d) || word >= sentence.tokens.length) return;
    prose.replaceChildren();
    details.replaceChildren();
    fill(prose, null, [word >= 0 ? wordProse(sentence, word) : proseOf(sentence, d)]);
    fill(details, null, [word >= 0 ? wordDetails(sentence, all, word) : detailsOf(sentence, all, what)]);
    if (live) document.getElementById('actions').replaceChildren(live.actions(sentence, d, word));
    const difference = word < 0 && d.contrast && d.contrast.words.some(part => part !== 0);
    if (word < 0 && d.kind === 'tag') underline(d.lead ? d.lead.input : d.input, `Underlined: what speaks for ${d.label}
        and against it; ${SOLID}`);
    else if (difference)
        underline(d.contrast.words, `Underlined: words for this parse and for the other one; ${SOLID}`);
    else if (word < 0 && d.words)
        underline(d.words, `Underlined: contributions of words ${through('all heads', true)}; ${SOLID}`);
    else if (word < 0) underline(sentence.tokens.map(() => 0), '');
    else underline(sentence.tokens.map((_, w) => (w === word ? 1 : 0)), '');
    frameHead(-1);
    selected = `${sentence.id}/${what}`;
    markSelected();
}

// Scrolls to what is said of the selected decision, if neither this nor its numbers are on the screen.
function showSelected() {
    const [prose, details] = ['prose', 'details'].map(id => document.getElementById(id));
    const seen = box => box.top < innerHeight - 80 && box.bottom > 80;
    if (![prose, details].some(node => seen(node.getBoundingClientRect()))) prose.scrollIntoView({ block: 'nearest' });
}

// ---- attention

// Frames the row of head h in the map; -1: none.
function frameHead(h) {
    const map = document.querySelector('#attention .map');
    if (map) map.choose(h);
}

function attentionSection(sentence) {
    if (!sentence.attention) return null;
    const numbers = [...overview().confidence.keys()].map(h => String(h + 1)), cell = el('output', { id: 'cell' });
    const rows = numbers.map(h => sentence.attention[`label:${h}`] || sentence.tokens.map(() => null));
    const show = h => {
        frameHead(h);
        underline(rows[h], `Underlined: the words that head ${headName(h)} attends to.`);
    };
    const map = attentionMap('Attention of heads (rows) over words (columns); the table below has the numbers', rows,
        numbers, sentence.tokens);
    fill(map, { pointermove: event => {
        const [h, w] = map.at(event), value = rows[h] && rows[h][w];
        cell.textContent = !Number.isFinite(value) ? ''
            : `head ${headName(h)}, ${sentence.tokens[w]}: ${percent(value)}`;
    }, click: event => {
        const [h] = map.at(event);
        if (rows[h] && hasHead(h)) show(h);
    } }, []);
    const words = (h, w, i) => [i ? ', ' : '', quoted(sentence.tokens[w]), ' ' + percent(rows[h][w], 1, 0)];
    const list = [...rows.keys()].filter(hasHead).map(h => [el('button', { type: 'button', click: () => show(h) },
        headName(h)), largest(rows[h], 3).map((w, i) => words(h, w, i))]);
    return section('attention', 'What the heads attend to', say(`A row for each label head, a column for each word; the
        more a cell stands out, the larger the attention weight. The attention of a head is the same for all
        decisions.`),
    el('p.legend', null, attentionLegend(), cell), scroll('Attention of heads over words', map),
    el('details', null, el('summary', null, 'As a table: the three words that each head attends to most'),
        table('Attention of heads', ['head', 'words and weights'], list, { rowHead: true })));
}

// ---- the view

function countsOf(sentence) {
    const parts = Object.keys(KINDS).map(kind => {
        const some = sentence.decisions.filter(d => d.kind === kind), wrong = some.filter(d => d.right === false);
        const judged = some.some(d => d.right !== undefined);
        return some.length && counted(some.length, KINDS[kind]) + (judged ? ` (${wrong.length} wrong)` : '');
    }).filter(Boolean);
    if (sentence.missed) parts.push(`${counted(sentence.missed.length, 'gold phrase')} missing`);
    return el('p.legend', null, parts.join(', '), '.');
}

function sentenceView(id, content) {
    const sentence = content.sentence, texts = overview().texts || [], at = texts.findIndex(x => x.id === id);
    const near = (k, rel) => texts[k] && el('a', { href: `#${texts[k].id}`, rel }, `Sentence ${texts[k].id}`);
    const head = [el('h1', null, `Sentence ${id}`), el('p.near', null, near(at - 1, 'prev'), near(at + 1, 'next'),
        content.other && link(`pair/${id}`, 'Both models’ parses'))];
    if (!sentence.attention)
        return [head, wordsLine(sentence), el('p', null, sentence.tokens.length
            ? 'This sentence was parsed in pieces and is not explained.' : 'This sentence has no words.')];
    const all = decisionsOf(sentence);
    return [head, live && live.bar(sentence), wordsLine(sentence), el('p', { id: 'hint', class: 'legend' }),
        el('p', { id: 'prose', role: 'status' }), live && el('div', { id: 'actions' }),
        el('div.columns', null, el('div', null, parseSection(sentence, all), countsOf(sentence), doubtLegend(sentence)),
            el('section', { id: 'details', 'aria-label': 'Numbers of the selected decision' }),
            el('div', null, goldSection(sentence, all), secondSection(sentence), attentionSection(sentence)))];
}
