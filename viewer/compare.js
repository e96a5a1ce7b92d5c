// Two models on the same sentences: scores of both, what each gets wrong by label and type, and both parses of a
// sentence side by side.

const modelNames = () => overview().compare.models.map(model => model.name);
const ofBoth = what => modelNames().map(name => `${what} ${name}`);
const scoresOfBoth = rows =>
    table('Scores of both models', ['model', 'F1', 'UAS', 'LAS', 'right only here'], rows, { rowHead: true });

// Labels or types whose numbers of errors differ most first. Errors: missing ones and wrong ones.
function byKind(id, kind, title, about) {
    const reports = overview().compare.models.map(model => (model.report || {})[kind] || {});
    const none = { gold: 0, predicted: 0, matched: 0 }, names = [...new Set(reports.flatMap(Object.keys))];
    const kinds = names.map(name => {
        const rows = reports.map(report => report[name] || none), found = row => row.gold + row.predicted;
        return { name, gold: rows[0].gold, errors: rows.map(row => found(row) - 2 * row.matched),
            f1: rows.map(row => (found(row) ? 200 * row.matched / found(row) : NaN)) };
    });
    const apart = x => Math.abs(x.errors[0] - x.errors[1]);
    kinds.sort((a, b) => apart(b) - apart(a) || sum(b.errors) - sum(a.errors) || (a.name < b.name ? -1 : 1));
    const columns = [kind, 'in gold', ...ofBoth('errors'), ...ofBoth('F1'), 'difference of F1'];
    const row = x => [x.name, String(x.gold), ...x.errors.map(String), ...x.f1.map(f1 => fixed(f1, 1)),
        signed(x.f1[0] - x.f1[1], 1)];
    return kinds.length > 0 && section(id, title, say(about),
        table(title, columns, kinds.map(row), { list: true, filter: false }));
}

function compareView() {
    const c = overview().compare, judged = c.models[0].report !== undefined;
    const texts = overview().texts.filter(x => x.differences !== undefined);
    const two = (values, digits) => (values || [null, null]).map(value => (value === null ? '' : fixed(value, digits)));
    return [el('h1', null, 'Two models on the same sentences'), counts([['sentences', String(c.sentences)],
        ['that differ', String(c.differing)], ['differences', String(c.differences)]]),
    say(`A [difference](agreement) is a phrase that one of the parses lacks, or a word whose arcs differ in head or
        type.`),
    judged && scoresOfBoth(c.models.map(m => [m.name, fixed(m.f1, 1), fixed(m.uas_nopunct, 1), fixed(m.las_nopunct, 1),
        String(m.right)])),
    byKind('labels', 'label', 'By label of the phrase', `Labels whose numbers of errors differ most come first. Errors
        are phrases that the parse lacks and phrases that gold lacks, counted as by {lal eval}: without punctuation,
        PRT as ADVP. The difference of [F1](f1) (percent) is that of the first model minus that of the second.`),
    byKind('types', 'type', 'By type of the dependency', `The same for arcs by type, of all words including
        punctuation. An arc is right if its head and type are. A wrong arc counts as an error of the type in the parse
        and as one of the type in gold.`),
    section('sentences', 'Sentences, the most differences first', table('Sentences by difference',
        ['differences', 'sentence', 'text', ...ofBoth('right only in'), ...ofBoth('F1'), ...ofBoth('LAS')],
        texts.sort((a, b) => b.differences - a.differences).map(x => [String(x.differences),
            link(`pair/${x.id}`, String(x.id)), [x.text, { class: 'word' }], ...two(x.right, 0), ...two(x.f1, 1),
            ...two(x.las, 1)]), { list: true }))];
}

// Marks what the other parse lacks: right or wrong where gold judges it.
function markDifferences(structure, other, gold) {
    const judge = (judged, right) => (!judged ? 'other' : right ? 'right' : 'wrong');
    const sameArc = (a, b) => a.to === b.to && a.from === b.from && a.type === b.type;
    const lacks = (list, item, same) => list.length > 0 && !list.some(one => same(one, item));
    const right = gold && structureOf(structure.words, gold);
    for (const phrase of structure.phrases) if (lacks(other.phrases, phrase, samePhrase))
        phrase.mark = judge(gold && gold.tree, gold && right.phrases.some(one => samePhrase(one, phrase)));
    for (const arc of structure.arcs) if (lacks(other.arcs, arc, sameArc))
        arc.mark = judge(gold && gold.governors, gold && right.arcs.some(one => sameArc(one, arc)));
}

function pairView(id, content) {
    const { sentence, other } = content, names = modelNames(), x = overview().texts.find(one => one.id === id);
    const both = () => [sentence, other].map(annotation => structureOf(sentence.tokens, annotation));
    const marked = both(), plain = both();
    marked.forEach((structure, k) => markDifferences(structure, plain[1 - k], sentence.gold));
    const verdict = d => d.right !== undefined && [d.right ? 'right' : 'wrong', { class: d.right ? 'good' : 'bad' }];
    const row = d => [KINDS[d.kind], d.model ? decisionName(d) : link(`${id}/${d.number}`, decisionName(d)),
        [decisionWords(sentence, d, 14), { class: 'word' }], [names[d.model], { class: 'word' }], verdict(d),
        signed(d.scores[0]), fixed(d.p[0]), signed(d.scores[1]), fixed(d.p[1])];
    return [el('h1', null, `Sentence ${id} by two models`), el('p', null, link(id, 'Explanations of the first parse')),
        el('p', { id: 'sentence' }, sentence.tokens.join(' ')), el('p', null, counted(x.differences, 'difference'),
            !x.differences ? '.' : !sentence.gold ? '. Orange: what the other parse lacks.'
                : '. Green with a plus sign: right; red with a cross: wrong; the other parse lacks it.'),
        x.right && scoresOfBoth(names.map((name, k) => [name, ...[x.f1, x.uas, x.las].map(score => fixed(score[k], 1)),
            String(x.right[k])])),
        el('div.sides', null, marked.map((structure, k) =>
            el('section', null, el('h2', null, names[k]), drawing(names[k], structure)))),
        other.decisions.length > 0 && section('differences', 'Decisions that differ', say(`The [scores](score) and
            [probabilities](probability) that both models give to each. Scores of different models have different
            scales; probabilities can be compared.`), table('Decisions that differ', ['kind', 'decision', 'words',
            'in the parse of', 'gold', ...names.flatMap(name => [`score, ${name}`, `probability, ${name}`])],
        other.decisions.map(row), { list: true }))];
}
