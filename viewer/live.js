// The page of the server, and of whoever else parses for it: a text is parsed as it is asked for, and each of its
// sentences is explained, and corrected by clicks. What is set by hand is kept: the sentence is parsed again under it,
// and all that follows from it changes by itself (docs/ANNOTATE.md).

// The text and its sentences: the line of JSON (as it was parsed first), what is set by hand, and whether it is done.
const work = { text: 'The old river rose quickly. I saw the man with a telescope.', model: '', deps: 'auto', cut: false,
    sentences: [] };
const KEPT = 'lal ' + location.pathname; // the name of the work in the browser's storage
let models = [], mode = 'explain', problem = '';
let kept = null;     // the work of before, as the browser has it
let textArea = null; // what is written, whether or not it is parsed
let asked = 0;       // texts that were to be parsed; an answer that comes after that of a later one is not shown
let running = 0;     // actions that wait for an answer
let firstParse;      // the promise of the page's first parse

const sentenceOf = id => work.sentences[id - 1];
const characters = text => [...text];
const parsedWords = s => s.line.tokens.map(token => token.form);
const sureness = s => (s.line.confidence || {}).calibrated_f1 ?? (s.line.confidence || {}).expected_f1
    ?? (s.line.confidence || {}).expected_las ?? 1;
const corrected = () => work.sentences.filter(s => s.set.length || s.done);

// ---- what is set by hand: {kind: phrase, begin, end, label}, {kind: arc, token, head, type} or {kind: tag, token,
// label}; with `not`: the parse must not have it

const sameSpan = (a, b) => a.kind === 'phrase' && b.kind === 'phrase' && a.begin === b.begin && a.end === b.end;
const sameArc = (a, b) => a.kind === 'arc' && b.kind === 'arc' && a.token === b.token;

// Does what was set before give way to the new item?
function givesWay(old, item) {
    if (old.kind === 'tag') return item.kind === 'tag' && old.token === item.token;
    if (sameSpan(old, item)) return true;
    if (sameArc(old, item)) return (!old.not && !item.not) || old.head === item.head;
    const crosses = (a, b) => a.begin < b.begin && b.begin < a.end && a.end < b.end;
    return old.kind === 'phrase' && item.kind === 'phrase' && !old.not && !item.not
        && (crosses(old, item) || crosses(item, old));
}

// A sentence as lal parse --input json reads it.
function givenOf(s) {
    const tags = s.set.filter(x => x.kind === 'tag'), own = tags.length ? s.tags || s.line.tokens.map(t => t.tag) : [];
    const arcs = s.set.filter(x => x.kind === 'arc' && !x.not);
    const tokens = parsedWords(s).map((form, w) => {
        const arc = arcs.find(x => x.token === w), tag = tags.find(x => x.token === w);
        return { form, ...(tags.length ? { tag: tag ? tag.label : own[w] } : {}),
            ...(arc ? { head: arc.head, ...(arc.type ? { type: arc.type } : {}) } : {}) };
    });
    const phrases = s.set.filter(x => x.kind === 'phrase'), wanted = phrases.filter(x => !x.not);
    const constituents = wanted.map(({ begin, end, label }) => ({ begin, end, label }))
        .sort((a, b) => a.begin - b.begin || b.end - a.end);
    const not = [...phrases.filter(x => x.not).map(({ begin, end, label }) => ({ begin, end, label })),
        ...s.set.filter(x => x.kind === 'arc' && x.not).map(({ token, head }) => ({ token, head }))];
    return { tokens, ...(wanted.length ? { constituents } : {}), ...(not.length ? { not } : {}) };
}

// "not NP “the man”", as a chip and as a line of CoNLL-U has it.
function setName(s, x) {
    const words = parsedWords(s), no = x.not ? 'not ' : '';
    if (x.kind === 'tag') return `tag ${x.label} of ${words[x.token]}`;
    if (x.kind === 'arc') return `${no}${words[x.token]} ← ${x.head < 0 ? 'root' : words[x.head]}`
        + (x.type ? ` (${x.type})` : '');
    return `${no}${x.label === '_' ? 'phrase' : x.label} ${words.slice(x.begin, x.end).join(' ')}`;
}

// Is the parse so? Where no tree has all that is set, the parser leaves some of it out.
function isMet(sentence, x) {
    if (x.kind === 'tag') return sentence.tags[x.token] === x.label;
    const has = x.kind === 'arc' ? sentence.governors[x.token] === x.head
        : phrasesOf(sentence.tree).some(one => one.begin === x.begin && one.end === x.end);
    return has !== Boolean(x.not);
}

function keepWork() {
    const sentences = work.sentences.map(s => ({ words: parsedWords(s), set: s.set, done: s.done, tags: s.tags }));
    try {
        localStorage.setItem(KEPT, JSON.stringify({ ...work, sentences }));
    } catch (e) { problem = `This work is not kept by the browser: ${e.message}`; }
}

// ---- asking

const modelOption = () => (work.model ? { model: work.model } : {});

// How much of the text the sentences have that have come so far, as the bar shows it.
function progressOf(text) {
    const all = characters(text).length, bar = document.getElementById('progress');
    let left = '';
    return piece => {
        const lines = (left + piece).split('\n');
        left = lines.pop();
        const last = lines.filter(Boolean).pop();
        if (bar && last) bar.value = (JSON.parse(last).end || 0) / all;
    };
}

async function parseText() {
    const cut = work.cut ? { pretokenized: 'true' } : {}, mine = ++asked;
    const lines = await source.ask('parse', { format: 'json', deps: work.deps, confidence: 'true', ...modelOption(),
        ...cut }, work.text || ' ', progressOf(work.text));
    if (mine !== asked) return;
    const before = work.sentences.length ? work.sentences.map(s => ({ words: parsedWords(s), ...s }))
        : kept ? kept.sentences : [];
    work.sentences = lines.split('\n').filter(Boolean).map(one => JSON.parse(one)).filter(one => one.tokens.length)
        .map((line, k) => {
            const old = before[k], words = line.tokens.map(token => token.form);
            const same = old && old.words.length === words.length && old.words.every((word, w) => word === words[w]);
            return { line, set: same ? old.set : [], done: same && old.done, tags: same ? old.tags : undefined };
        });
    for (const name of Object.keys(documents)) delete documents[name];
    keepWork();
}

// Explains sentence `id` under what is set of it; chosen: a decision that is set against another parse.
async function inspect(id, chosen) {
    const s = sentenceOf(id), about = !chosen ? {} : { decision: chosen.kind === 'span'
        ? `phrase ${chosen.begin} ${chosen.end}` : `arc ${chosen.word} ${chosen.governor}` };
    const answer = JSON.parse(await source.ask('inspect', { format: 'page', flips: 'true', ...modelOption(), ...about },
        { sentences: [givenOf(s)] }));
    const texts = work.sentences.map((one, k) => ({ id: k + 1, text: parsedWords(one).join(' ') }));
    documents.overview = { ...answer.overview, model: work.model, texts };
    answer.sentence.id = id;
    lal(String(id), { sentence: answer.sentence });
    if (!s.set.some(x => x.kind === 'tag')) s.tags = answer.sentence.tags;
    return documents[id];
}

// Sentences in a format, under what is set, with the dependencies that the model learns, but for CoNLL-U. What the
// parser does not know of a text that is given word by word is put in: its blanks, and what was set by hand.
async function written(format, some) {
    const deps = format === 'conllu' ? work.deps : 'stanford';
    if (!some.length) return '';
    const text = await source.ask('parse', { format, deps, ...modelOption() }, { sentences: some.map(givenOf) });
    if (format === 'json')
        return text.split('\n').filter(Boolean).map((line, k) =>
            JSON.stringify({ ...JSON.parse(line), set: some[k].set, done: some[k].done })).join('\n') + '\n';
    return format === 'conllu' ? text.split(/\n\n/).filter(Boolean).map((block, k) =>
        withSource(some[k], block) + '\n\n').join('') : text;
}

function withSource(s, block) {
    const { tokens, begin, end } = s.line, known = !work.cut && end !== undefined;
    const text = known ? characters(work.text).slice(begin, end).join('').replace(/\s+/g, ' ') : null;
    return block.split('\n').map(line => {
        if (line.startsWith('# text = ') && known) line = `# text = ${text}`;
        if (line.startsWith('# text = '))
            return [line, ...s.set.map(x => `# set = ${setName(s, x)}`), s.done && '# done'].filter(Boolean).join('\n');
        const columns = line.split('\t'), w = Number(columns[0]) - 1, next = tokens[w + 1];
        if (!known || columns.length < 10 || !next || next.begin !== tokens[w].end) return line;
        columns[9] = columns[9] === '_' ? 'SpaceAfter=No' : columns[9].includes('SpaceAfter') ? columns[9]
            : columns[9] + '|SpaceAfter=No';
        return columns.join('\t');
    }).join('\n');
}

// ---- the text

async function run(action) {
    problem = '';
    running++;
    document.body.dataset.busy = 'true';
    try {
        await action();
    } catch (e) { problem = e.message; }
    if (--running === 0) delete document.body.dataset.busy;
    const note = document.getElementById('problem');
    if (note) note.textContent = problem;
}

const choice = (label, value, choices, change) => el('label', null, label, ' ', el('select', { change },
    choices.map(([name, text]) => el('option', { value: name, selected: name === value }, text))));

const examples = { zh: '老人每天早上在河边散步。我给她买了一本书。' };

function textForm() {
    if (!textArea) {
        textArea = el('textarea', { id: 'text', rows: 5, 'aria-label': 'Text' });
        textArea.value = work.text;
    }
    const text = textArea;
    const parse = () => run(async () => {
        work.text = text.value;
        document.getElementById('progress').value = 0;
        await parseText();
        await show('');
    });
    const file = el('input', { type: 'file', change: async () => {
        if (file.files[0]) text.value = await file.files[0].text();
    } });
    const pick = event => {
        work.model = event.target.value;
        const example = examples[models.find(m => m.name === work.model).language];
        if (example && text.value === work.text && !corrected().length) text.value = example;
    };
    return el('form', { submit: event => { event.preventDefault(); parse(); } }, text, el('div.filter', null,
        el('button.main', null, 'Parse'), choice('Model', work.model, models.map(m => [m.name, m.name]), pick),
        choice('Dependencies', work.deps, [['auto', 'universal'], ['stanford', 'of the model']],
            event => { work.deps = event.target.value; }),
        el('label', null, el('input', { type: 'checkbox', checked: work.cut,
            change: event => { work.cut = event.target.checked; } }), ' lines are sentences, blanks separate words'),
        el('label', null, 'File ', file), el('progress', { id: 'progress', 'aria-label': 'Parsed' })),
    el('p.bad', { id: 'problem', role: 'status' }, problem));
}

const DRAWN = 20, LISTED = 500; // sentences that are drawn at once, and that are listed

function sentenceItem(s, k) {
    const id = k + 1, tokens = s.line.tokens, words = parsedWords(s), doubt = p => DOUBTS.filter(one => p < one).length;
    const structure = structureOf(words, { tags: tokens.map(t => t.tag), tree: s.line.tree,
        governors: tokens.some(t => t.head !== undefined) ? tokens.map(t => t.head) : undefined,
        types: tokens.map(t => t.type) });
    const state = [s.set.length > 0 && counted(s.set.length, 'correction'), s.done && 'done'].filter(Boolean);
    return el('section', { class: 'item' }, el('h2', null, link(String(id), `Sentence ${id}`), state.length > 0
        && ` (${state.join(', ')})`), el('p.words', null, tokens.map((t, w) => [w ? ' ' : '',
        el('span', { 'data-doubt': doubt(t.p ?? 1) || null }, t.form)])),
    el('details', { open: k < DRAWN }, el('summary', null, sureness(s) < 1 ? `Expected F1 ${percent(sureness(s))}`
        : 'Drawing'), drawing(`Sentence ${id}`, structure)));
}

function outputSection() {
    const formats = ['brackets', 'conllu', 'conllx', 'json', 'pretty'], plain = el('pre', { id: 'plain', tabindex: 0 });
    let format = 'brackets', all = true, text = '';
    const make = () => run(async () => {
        text = await written(format, all ? work.sentences : corrected());
        plain.textContent = text.length > 20000 ? text.slice(0, 20000) + '…' : text;
    });
    const save = () => make().then(() => {
        const a = el('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })),
            download: `text.${{ brackets: 'trees', json: 'json', pretty: 'txt' }[format] || format}` });
        a.click();
        URL.revokeObjectURL(a.href);
    });
    return section('output', 'Output', el('div.filter', null,
        choice('Format', format, formats.map(name => [name, name]), event => { format = event.target.value; make(); }),
        choice('Sentences', 'all', [['all', 'all'], ['set', 'corrected or done']],
            event => { all = event.target.value === 'all'; make(); }),
        el('button', { type: 'button', id: 'show', click: make }, 'Show'),
        el('button', { type: 'button', id: 'save', click: save }, 'Save'),
        el('button', { type: 'button', click: () => make().then(() => navigator.clipboard.writeText(text)) }, 'Copy')),
    plain, el('p.legend', null, source.about()));
}

function textView() {
    const words = sum(work.sentences.map(s => s.line.tokens.length));
    return [el('h1', null, 'Text'), textForm(), work.sentences.length > 0 && el('p.legend', null,
        `${counted(work.sentences.length, 'sentence')}, ${counted(words, 'word')}. Colours: doubtful arcs. A sentence `,
        'opens with reasons for its least certain decision, and is corrected there. ', next(0) > 0
        && link(String(next(0)), 'Begin with the most doubtful one')),
    work.sentences.slice(0, LISTED).map(sentenceItem),
    work.sentences.length > LISTED && el('p', null, `The first ${LISTED} are listed.`), outputSection()];
}

// The least sure sentence that is not done, other than `id`; or 0.
function next(id) {
    const left = work.sentences.map((s, k) => [sureness(s), k + 1]).filter(([, k]) => k !== id && !sentenceOf(k).done);
    return left.length ? left.reduce((a, b) => (b[0] < a[0] ? b : a))[1] : 0;
}

// ---- corrections

let first = null; // the first of two words that are to be clicked: of a new phrase, or the dependent of a new arc

const MODES = { explain: 'explains', not: 'forbids', keep: 'keeps', phrase: 'makes a phrase', head: 'makes an arc' };
const HELP = { explain: 'Select a phrase, an arc or a word to see why it is so.',
    not: 'Select what is wrong: the parse will be without it.', keep: 'Select what is right: it will stay.',
    phrase: 'Select the first and the last word of a phrase that is missing.',
    head: 'Select a word, then its head (or the word itself, if it is the root).' };

async function correct(id, item, remove) {
    const s = sentenceOf(id);
    s.set = s.set.filter(x => (remove ? x !== item : !givesWay(x, item)));
    if (!remove) s.set.push(item);
    s.done = false;
    first = null;
    await run(() => inspect(id));
    keepWork();
    await show(String(id));
}

// A decision of the explanation as something that can be set.
function itemOf(d) {
    if (d.kind === 'span') return { kind: 'phrase', begin: d.begin, end: d.end, label: d.label };
    if (d.kind === 'tag') return { kind: 'tag', token: d.word, label: d.label };
    return { kind: 'arc', token: d.word, head: d.governor, ...(d.kind === 'type' ? { type: d.label } : {}) };
}

// What forbids it: no phrase of any label over the words; not this arc.
const without = d => (d.kind === 'span' ? { kind: 'phrase', begin: d.begin, end: d.end, label: '_', not: true }
    : { kind: 'arc', token: d.word, head: d.governor, not: true });

// A word was clicked where two are needed.
function clickWord(id, w) {
    if (first === null) {
        first = w;
        document.getElementById('help').textContent = `${HELP[mode]} First: ${parsedWords(sentenceOf(id))[w]}`;
    } else if (mode === 'head') correct(id, { kind: 'arc', token: first, head: w === first ? -1 : w });
    else correct(id, { kind: 'phrase', begin: Math.min(first, w), end: Math.max(first, w) + 1, label: '_' });
}

document.addEventListener('click', event => {
    const target = event.target.closest('a[href^="#"]'), found = target
        && target.getAttribute('href').match(/^#(\d+)\/(w?)(\d+)$/);
    if (!found || mode === 'explain' || !documents[found[1]]) return;
    const id = Number(found[1]), k = Number(found[3]), all = decisionsOf(documents[id].sentence);
    event.preventDefault();
    if (mode === 'phrase' || mode === 'head') {
        if (found[2]) clickWord(id, k);
    } else if (found[2]) problem = '';
    else correct(id, mode === 'not' ? without(all[k]) : itemOf(all[k]));
}, true);

function setMode(name) {
    mode = name;
    first = null;
    if (mode === 'head' && showsUd(documents[location.hash.slice(1).split('/')[0]].sentence)) {
        ownArcs = true; // that can be set
        show(location.hash.slice(1));
    }
    document.getElementById('help').textContent = HELP[mode];
}

live = {
    // Above a sentence: what a click does, what is set, and the way to the next sentence.
    bar(sentence) {
        const id = sentence.id, s = sentenceOf(id), after = next(id), left = work.sentences.filter(x => !x.done).length;
        const chips = s.set.map(x => el(isMet(sentence, x) ? 'button.chip' : 'button.chip.bad', { type: 'button',
            title: 'Take it back', click: () => correct(id, x, true) }, setName(s, x), ' ×'));
        const lost = s.set.some(x => !isMet(sentence, x));
        const finish = async () => {
            s.done = true;
            keepWork();
            location.hash = after ? String(after) : '';
        };
        const modes = Object.keys(MODES).map(name => el('label', null, el('input', { type: 'radio', name: 'mode',
            value: name, checked: name === mode, change: () => setMode(name) }), ` ${MODES[name]} `));
        return el('div', { id: 'bar' }, el('fieldset', null, el('legend', null, 'A click'), modes),
        el('p.legend', { id: 'help', role: 'status' }, HELP[mode]), chips.length > 0 && el('p', { id: 'set' },
            'Set by hand: ', chips, lost && el('span.bad', null, 'No tree has all of this: what is red was left out.')),
        el('p', null, el('button.main', { type: 'button', id: 'done', click: finish },
            after ? 'Done, to the next doubtful one' : 'Done'), ` ${left} of ${work.sentences.length} left.`),
        el('p.bad', { id: 'problem', role: 'status' }, problem));
    },

    // What can be done with the selected decision, or with word w.
    actions(sentence, d, w) {
        const id = sentence.id, tags = (overview().labels || {}).tag || [];
        const tag = event => correct(id, { kind: 'tag', token: w, label: event.target.value });
        if (!d)
            return el('p.actions', null, sentence.tags && tags.length > 0
                && choice('Its tag is', sentence.tags[w], tags.map(name => [name, name]), tag));
        const labels = (overview().labels || {})[d.kind === 'span' ? 'phrase' : d.kind] || [];
        const button = (name, item) => el('button', { type: 'button', click: () => correct(id, item) }, name);
        const relabel = event => correct(id, d.kind === 'type' ? { ...itemOf(d), type: event.target.value }
            : { ...itemOf(d), label: event.target.value });
        return el('p.actions', null, button('Keep', itemOf(d)), ['span', 'arc'].includes(d.kind)
            && button(d.kind === 'span' ? 'No phrase' : 'Not this', without(d)),
        labels.length > 0 && choice('It is', d.label, labels.map(name => [name, name]), relabel));
    },

    // Is the phrase, or the arc of the word, set by hand?
    isSet: (sentence, x) => sentenceOf(sentence.id).set.some(one => !one.not && (sameSpan(one, x) || sameArc(one, x))),

    // The contrast of a decision that has none yet.
    async ask(sentence, k) {
        const chosen = decisionsOf(sentence)[k];
        if (!chosen || chosen.contrast || chosen.asked || !['span', 'arc'].includes(chosen.kind)) return;
        await run(async () => {
            const now = (await inspect(sentence.id, chosen)).sentence, again = decisionsOf(now)[k];
            if (again) again.asked = true;
            if (again && again.contrast && location.hash === `#${sentence.id}/${k}`) select(now, k);
        });
    },

    async load(id) {
        await firstParse;
        return documents[id] || (sentenceOf(id) ? inspect(id) : null);
    },
    view: textView,

    // The models, and the text that the browser has kept, which is parsed while the page is used already: whoever
    // writes another one goes on writing when its sentences come.
    async start() {
        await run(async () => {
            models = JSON.parse(await source.ask('models', {})).models;
            kept = JSON.parse(localStorage.getItem(KEPT) || 'null');
            Object.assign(work, kept || {}, { sentences: [] });
            if (!models.some(m => m.name === work.model)) work.model = models[0].name;
            if (!kept && examples[models[0].language]) work.text = examples[models[0].language];
        });
        firstParse = run(parseText).then(async () => {
            if (shown !== 'text') return;
            const at = document.activeElement;
            await show('');
            if (at === textArea) at.focus();
        });
    },
};
