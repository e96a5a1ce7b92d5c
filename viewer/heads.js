// What the attention heads of a model do: maps of their measures, a table, patterns, and the attention of some heads.

const LABELS_IN_A_ROW = 16;

// "1:5 · next word"
const reportName = (x, h) => x.report.heads[h].head + (x.names && x.names[h] ? ` · ${x.names[h]}` : '');

// The kinds of decisions whose relevance was measured ("spans", "arcs"), and what people call them.
const explained = x => Object.keys(x.report.heads[0] || {}).filter(key => key.startsWith('relevance_share_'))
    .map(key => key.slice('relevance_share_'.length));
const decisionsName = name => (name === 'spans' ? 'phrases' : name);
const lastOf = (x, l) => (x.layers[l + 1] ? x.layers[l + 1].first : x.report.heads.length);

// Rows of a map by group: each layer with a value for each head before pruning (null: pruned), label heads in several.
function mapGroups(x, values) {
    const groups = [];
    x.layers.forEach((layer, l) => {
        const row = Array(layer.heads).fill(null), last = lastOf(x, l);
        for (let h = layer.first; h < last; h++) row[headNumber(x.report.heads[h].head)] = values[h];
        let group = groups.find(one => one.name === layer.group);
        if (!group) groups.push(group = { name: layer.group, rows: [], first: layer.first });
        group.last = last;
        if (layer.group !== 'label') group.rows.push([`${layer.group} ${group.rows.length + 1}`, row]);
        else for (let k = 0; k < row.length; k += LABELS_IN_A_ROW) {
            const some = row.slice(k, k + LABELS_IN_A_ROW);
            group.rows.push([`label ${k + 1}-${k + some.length}`, some]);
        }
    });
    return groups;
}

// Layers by heads, darker for larger values; each group has a scale of its own.
function map(x, title, values, shown) {
    const LEFT = 84, TOP = 18, parts = [], captions = [], groups = mapGroups(x, values);
    const cross = (value, k, top) => value === null && svg('path', { class: 'gone',
        d: `M${LEFT + k * CELL + 4} ${top + 4}l6 6m0-6l-6 6` }, svg('title', null, 'pruned'));
    let top = TOP;
    for (const group of groups.filter(one => one.first < one.last)) {
        const [best] = largest(values.slice(group.first, group.last), 1), most = values[group.first + best];
        const steps = [0.1, 0.25, 0.45, 0.65, 0.85].map(share => Math.max(1e-12, share * most));
        captions.push(`${shown(most)} at ${x.report.heads[group.first + best].head}`);
        for (const [name, row] of group.rows) {
            const at = top;
            parts.push(svg('text', { class: 'row', x: LEFT - 6, y: top + CELL - 3 }, name),
                cells([row], steps, LEFT, top), row.map((value, k) => cross(value, k, at)));
            top += CELL;
        }
        top += 4;
    }
    const widest = Math.max(0, ...groups.flatMap(group => group.rows.map(([, row]) => row.length)));
    for (let k = 0; k < widest; k += k ? 4 : 3)
        parts.push(svg('text', { x: LEFT + k * CELL + CELL / 2, y: TOP - 5 }, String(k + 1)));
    const width = LEFT + widest * CELL + 4, caption = `${title} (largest ${captions.join(', ')})`;
    return el('figure', null, el('figcaption', null, caption), scroll(title,
        svg('svg', { class: 'map', role: 'img', width, height: top, viewBox: `0 0 ${width} ${top}` },
            svg('title', null, `${caption}; the table below has the numbers`), parts)));
}

function maps(x) {
    const heads = x.report.heads, pruned = x.layers.some((layer, l) => layer.heads > lastOf(x, l) - layer.first);
    const scales = x.report.stacks ? 'The encoder, the decoder and its attention to the source have separate scales.'
        : x.layers.some(layer => layer.group === 'pretrained')
            ? 'Label heads and those of the pretrained encoder have separate scales.'
            : 'Label heads have a separate scale.';
    return section('layers', 'Layers and heads', say(`The [importance](importance) of each head for the training loss,
        its [relevance share](relevance) in its layer, and its [confidence](confidence). The more a cell stands out,
        the larger the value; the steps begin at 10, 25, 45, 65 and 85 % of the largest value. ${scales} ${pruned
    ? 'A cross is in the place of a head that was [pruned](pruned).' : ''}`),
    x.importance && map(x, `Importance, ${x.importance}`, x.shown, value => fixed(value)),
    explained(x).map(name => map(x, `Relevance share for predicted ${decisionsName(name)}`,
        heads.map(head => head[`relevance_share_${name}`] ?? 0), value => percent(value))),
    map(x, 'Confidence', heads.map(head => head.confidence ?? 0), value => fixed(value)));
}

function headsTable(x) {
    const names = explained(x), of = names.map(decisionsName), rare = x.report.heads.some(head => head.rarest !== null);
    const known = value => (value === null || value === undefined ? '' : (100 * value).toFixed(1));
    const row = (head, h) => [[reportName(x, h), { class: 'name' }], fixed(head.confidence),
        x.importance ? fixed(x.shown[h], 4) : '', ...names.map(name => known(head[`relevance_share_${name}`])),
        known(head.previous), known(head.next), known(head.rarest),
        [(head.options ? `[${head.options}] ` : '') + x.functions[h], { class: 'word' }]];
    return section('heads', 'Heads', say(`In percent:
        ${of.length ? `${of.join(' and ')}: [relevance share](relevance) for the
        predicted ${of.join(' and ')};` : ''} [previous, next and rarest](previous-next): share of the queries that
        attend most to the previous, the next or the rarest ${x.report.stacks ? 'piece' : 'word'}${rare ? ''
    : ' (the rarest is not known without --train)'}. [Functions](functions) are listed where they are regular.`),
    table('Heads', ['head', 'confidence', x.importance || 'importance', ...of, 'previous', 'next', 'rarest',
        'functions'], x.report.heads.map(row), { list: true }));
}

// Heads above the threshold of each pattern, with their distance from the mean in standard deviations.
function patterns(x, g) {
    const first = x.patterns.map(p => p.groups[g]).find(Boolean), whose = g ? ' of the pretrained encoder'
        : x.report.stacks ? ' of the encoder, between words,' : '';
    const missing = p => `not measured: no sentence has what it needs${p.needs ? ` (${p.needs})` : ''}`;
    const rows = x.patterns.map(p => {
        const of = p.groups[g];
        if (!of) return [p.pattern, p.about, [missing(p), { colspan: 4, class: 'word' }]];
        const distance = value => (3 * (value - of.mean) / (of.threshold - of.mean)).toFixed(1);
        const above = x.report.heads.map((head, h) => [head[`gr:${p.pattern}`], h]).slice(of.from, of.to)
            .filter(([value]) => value > of.threshold);
        return [p.pattern, p.about, fixed(p.uniform), fixed(of.mean), fixed(of.threshold), [above.map(([value, h]) =>
            `${reportName(x, h)}\u00a0${fixed(value)}\u00a0(${distance(value)})`).join('; '), { class: 'word' }]];
    });
    return (!g || first) && section(g ? 'patterns-pretrained' : 'patterns', 'Global relevance of patterns', say(`The
        share of the attention of a head${whose} that falls inside a [pattern](pattern), averaged over sentences;
        uniform attention would give the first number. Listed are the heads more than [three standard
        deviations](sigma) above the mean of all heads, with their share and, in brackets, this distance in standard
        deviations.`),
    table('Global relevance of patterns', ['pattern', 'attention to', 'uniform attention', 'mean', 'threshold',
        'heads'], rows, { rowHead: true }),
    first && first.to - first.from <= 10 && say('Of 10 heads or fewer none can exceed the threshold.'));
}

function attentionPicture(x, a) {
    const label = `Attention of head ${x.report.heads[a.head].head} in sentence ${a.number}`;
    return scroll(label, attentionMap(`${label}; lal inspect heads --show has the words`, a.weights, a.queries,
        ['START', ...a.keys, 'STOP'].slice(0, a.weights[0].length)));
}

// The attention of some heads in the first sentences, each drawn when it is opened.
function attention(x) {
    const beginning = a => a.text.slice(0, 12).join(' ') + (a.text.length > 12 ? ' ...' : '');
    const one = a => el('details', { toggle: event => {
        if (event.target.open && event.target.children.length < 2) event.target.append(attentionPicture(x, a));
    } }, el('summary', null, `sentence ${a.number}: ${beginning(a)}`));
    return section('attention', 'Attention', say(`Rows are queries, columns the tokens they attend to, from START to
        STOP; the steps begin at 2, 5, 10, 20 and 40 % of a row’s attention. ${x.report.stacks
    ? 'A row of attention to the source is the place that its piece is written at.' : 'A label head has one row.'}`),
    [...new Set(x.attention.map(a => a.head))].map(h => [el('h3', null, `Head ${reportName(x, h)}`),
        x.attention.filter(a => a.head === h).map(one)]));
}

function headsView(x) {
    const r = x.report, pairs = r.stacks !== undefined;
    return [el('h1', null, 'What the attention heads do'), counts([['model', x.model],
        [pairs ? 'pairs' : 'sentences', String(r.sentences)],
        [pairs ? 'pieces' : 'words', String(pairs ? r.stacks[0].queries : r.words)], ['heads', String(r.heads.length)],
        [term('conservation', 'conservation error'), r.conservation_error.toExponential(1)]]),
    x.oracle && el('p', null, el('strong', null, 'ORACLE'),
        ': the masks of this model read gold parses, so these are not the measures of a parser.'),
    x.names && namesNote(x.names_note, x.names), maps(x), headsTable(x), patterns(x, 0), patterns(x, 1), attention(x)];
}
