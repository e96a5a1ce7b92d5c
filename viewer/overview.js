// A run as a whole: sums by category, the list of decisions, the list of sentences, and what each label head does.

const LEAST_SHARED = 50; // decisions of a category in which heads are compared

// ---- sums

// A row for each of the three heads with the largest shares of a category.
function categoryRows(c, judged) {
    const leaders = largest(c.mean_share, 3), span = { rowspan: leaders.length };
    const of = (list, h) => (list || [])[h];
    return leaders.map((h, i) => {
        const led = of(c.leads_right, h) || 0, wrong = of(c.leads_wrong, h) || 0;
        return [...(i ? [] : [[el('b', null, c.category), span], [String(c.decisions), span]]),
            ...(i || !judged ? [] : [[percent(c.right, c.with_gold), span]]), [headName(h), i && { class: 'more' }],
            percent(c.leads[h], c.decisions), percent(c.mean_share[h], 1, 2), signed(c.mean_part[h]),
            ...(judged ? [signed(of(c.mean_part_right, h)), signed(of(c.mean_part_wrong, h)),
                percent(led, led + wrong)] : [])];
    });
}

function categoryTable(id, title, about, categories, judged) {
    const MOST = 40, columns = ['category', 'decisions', ...(judged ? ['right'] : []), 'head', 'leads', 'mean share',
        'mean contribution', ...(judged ? ['of right ones', 'of wrong ones', 'right where it leads'] : [])];
    return categories.length > 0 && section(id, title, say(about),
        table(title, columns, categories.slice(0, MOST).flatMap(c => categoryRows(c, judged))), categories.length > MOST
            && say(`The first ${MOST} of ${categories.length}; {lal inspect --format tsv} has all.`));
}

function meanParts(o, judged) {
    const means = judged ? 'Bars are means over right decisions, short lines over wrong ones.' : '';
    return o.categories.length > 0 && section('parts', 'Mean contributions of the heads', say(`A bar for each of the
        ${headsLeft()} heads, for the most frequent categories: filled for a positive mean, outlined for a negative one.
        ${means}`),
        o.categories.slice(0, 8).map(c => {
            const values = c.mean_part_right || c.mean_part, [top] = largestParts(values, 1);
            const caption = `${c.category}: ${counted(c.decisions, 'decision')}, largest mean contribution `
                + `${signed(values[top])} of head ${headName(top)}`;
            return el('figure', null, el('figcaption', null, caption),
                bars(values, caption, c.mean_part_right && c.mean_part_wrong));
        }));
}

function looks(o) {
    const linked = o.looks.right.named + o.looks.wrong.named > 0;
    const row = kind => [kind, String(o.looks[kind].phrases), percent(o.looks[kind].inside, o.looks[kind].phrases),
        percent(o.looks[kind].at_head, o.looks[kind].phrases),
        ...linked ? [percent(o.looks[kind].named, o.looks[kind].phrases)] : []];
    return o.looks.right.phrases + o.looks.wrong.phrases > 0 && section('looks', 'What the leading heads attend to',
        say(`The word with the largest attention weight of a phrase’s leading head: how often it is a word of the
            phrase, and how often the word that heads the phrase.`), table('What the leading heads attend to',
            ['phrases', 'number', 'most to a word inside', 'most to the head word',
                ...linked ? ['head of the category'] : []], ['right', 'wrong'].map(row),
            { rowHead: true }));
}

// Heads by frequent categories: decisions that the head leads, and how many of them are right.
function headsByCategory(o) {
    const columns = o.categories.slice(0, 10), cell = (c, h) => {
        const right = (c.leads_right || [])[h] || 0, judged = right + ((c.leads_wrong || [])[h] || 0);
        return c.leads[h] ? c.leads[h] + (judged ? `\u00a0(${percent(right, judged, 0)})` : '') : '';
    };
    const rows = [...o.confidence.keys()].filter(h => columns.some(c => c.leads[h]))
        .map(h => [headName(h), ...columns.map(c => String(cell(c, h)))]);
    return rows.length > 0 && section('heads', 'Heads by category', say(`The number of decisions of each category that a
        head leads${o.gold ? ', and in brackets the percentage of them that is right' : ''}. Heads that lead none of
        these are left out.`),
    table('Heads by category', ['head', ...columns.map(c => c.category)], rows, { rowHead: true }));
}

function sharedHeads(o) {
    const leads = {};
    for (const c of o.categories.filter(one => one.decisions >= LEAST_SHARED)) {
        const [leader] = largest(c.leads, 1);
        (leads[leader] = leads[leader] || []).push(c.category);
    }
    const shared = Object.keys(leads).filter(h => leads[h].length > 1);
    return shared.length > 0 && section('shared', 'Heads that lead several categories', say(`Heads that lead more often
        than any other head in two or more categories of at least ${LEAST_SHARED} decisions.`),
    el('ul', null, shared.map(h => el('li', null, `head ${headName(Number(h))}: ${leads[h].join(', ')}`))));
}

function overviewView() {
    const o = overview(), all = sum(o.categories.map(c => c.with_gold)), right = sum(o.categories.map(c => c.right));
    return [el('h1', null, 'Why the parser decided so'), counts([['model', o.model], ['sentences', String(o.sentences)],
        ['decisions explained', String(o.explained)], all > 0 && ['right', percent(right, all)],
        [term('completeness', 'completeness error'), o.completeness_error.toExponential(1)]]),
    say(`The score of a decision is the sum of the contributions of the [label heads](label-head), which are signed,
        ${hasRest() ? `of the [${restName()}](${restTermOf()})` : ''} and of biases.`),
    namesNote(o.names_note, o.names),
    o.in_pieces > 0 && say(`${counted(o.in_pieces, 'sentence was', 'sentences were')} parsed in pieces and not explained
        (--max-words).`),
    categoryTable('categories', 'Leading heads by category', `The [leading head](leads) of a decision is the one with
        the largest absolute contribution. The [share](share) of a head is its absolute contribution divided by the sum
        of those of all heads.`, o.categories, all > 0), meanParts(o, all > 0),
    categoryTable('confused', 'Confused labels', `The parse has the first label where gold has the second over the same
        words. Heads and contributions are those of the score of the first label minus the score of the second.`,
    o.confused, false), looks(o), headsByCategory(o), sharedHeads(o),
    o.explained > 0 && section('confidence', 'Confidence of the heads', say(`The largest attention weight of a head on a
        word, averaged over sentences.`), bars(o.confidence, 'Confidence of the heads; the list has the numbers'),
    el('details', null, el('summary', null, 'As a list'), el('p', null,
        largest(o.confidence).map(h => `${headName(h)}:\u00a0${fixed(o.confidence[h])}`).join('; '))))];
}

// ---- lists

function decisionsView() {
    const o = overview(), gold = d => (d.missed ? 'gold has it' : !o.gold ? ''
        : `gold has ${d.gold ?? (d.kind === 'arc' ? 'root' : 'no such phrase')}`);
    const heads = d => d.heads.map((x, i) =>
        (i % 2 ? '' : `${i ? '; ' : ''}${headName(x - 1)}\u00a0${signed(d.heads[i + 1], 2)}`)).join('');
    const row = d => [fixed(d.confidence), (d.missed ? 'missing ' : o.gold ? 'wrong ' : '') + KINDS[d.kind],
        link(`${d.sentence}/${d.number}`, decisionName(d)),
        ...[d.of === undefined ? d.words : `${d.words} ← ${d.of ?? 'root'}`, gold(d), heads(d)]
            .map(text => [text, { class: 'word' }])];
    return [el('h1', null, o.gold ? 'Wrong decisions, the most confident first'
        : 'Decisions, the least confident first'),
        say(`Confidence is the [probability](probability) of the decision among its alternatives; for a gold phrase that
            the parse lacks, that of all other alternatives.`),
        o.decisions.length < o.all_decisions && say(`The first ${o.decisions.length} of ${o.all_decisions}.`),
        table('Decisions', ['confidence', 'kind', 'decision', 'words', 'gold', 'largest contributions of heads'],
            o.decisions.map(row), { list: true, kind: 1 })];
}

function sentencesView() {
    const o = overview(), judged = o.gold ? ['wrong decisions', 'missing phrases'] : [];
    const row = x => [link(x.id, String(x.id)), [x.text, { class: 'word' }], ...(o.gold ? [x.wrong, x.missing] : [])
        .map(n => String(n ?? '')), fixed(x.least), String(x.words)];
    return [el('h1', null, 'Sentences'), say(o.gold ? `Wrong decisions of the parse, phrases of gold that it lacks, and
        the [confidence](probability) of the least certain decision.` : `The [confidence](probability) is that of the
        least certain decision. Nothing is judged, as there is no gold.`),
    table('Sentences', ['sentence', 'text', ...judged, 'lowest confidence', 'words'], o.texts.map(row),
        { list: true })];
}

// ---- label heads, where there is no report on all heads

function labelHeadsView() {
    const o = overview(), rows = [...o.confidence.keys()].filter(hasHead).map(h => {
        const led = key => sum(o.categories.map(c => (c[key] || [])[h] || 0)), right = led('leads_right');
        const shares = o.categories.map(c => (c.decisions < 3 ? 0 : c.mean_share[h])); // few decisions say little
        const most = largest(shares, 4).filter(k => shares[k] * headsLeft() >= 1).map(k => [o.categories[k].category,
            percent(shares[k]), `(${signed(o.categories[k].mean_part[h], 2)})`].join('\u00a0')).join('; ');
        return [headName(h), String(led('leads')), percent(right, right + led('leads_wrong')), fixed(o.confidence[h]),
            [most, { class: 'word' }]];
    });
    return [el('h1', null, 'Label heads'), say(`Each [label head](label-head), the decisions that it [leads](leads),
        and the categories of which it has the largest mean [shares](share) (mean contributions in brackets).`),
    say('{lal inspect heads --html} with the same folder shows measures of all heads of the model here.'),
    namesNote(o.names_note, o.names), table('Label heads', ['head', 'leads', 'right where it leads', 'confidence',
        'largest mean shares'], rows, { list: true })];
}
