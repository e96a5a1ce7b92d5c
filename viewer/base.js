// What all views share: documents, elements, numbers, heads and their names, tables, bars and maps.
'use strict';

// ---- documents: in the page itself, or beside it as data/NAME.js, which calls lal()

const documents = {};
let live = null; // who parses and explains texts as they are asked for (live.js); a page of files has nobody
function lal(name, content) {
    documents[name] = content;
    if (content.sentence) unpack(content.sentence);
}

// The lists of numbers of a sentence are thousandths. A decision's heads are those with the largest parts, with what
// else is known of them: where they attend to and, of some, their views.
function unpack(sentence) {
    const decisions = sentence.decisions.concat(sentence.missed || []), sure = sentence.confidence;
    const lists = [decisions.flatMap(d => [d.parts, d.words, d.input, (d.lead || {}).input, (d.contrast || {}).words,
        ...(d.heads || []).map(x => x.words)]), [(sentence.second || {}).words],
        Object.values(sentence.attention || {}), sure ? [sure.arcs, sure.phrases] : []].flat().filter(Boolean);
    for (const list of lists) list.forEach((value, k) => { list[k] = value / 1000; });
    for (const d of decisions) if (d.parts || d.heads) d.heads = headsIn(sentence, d);
}

function headsIn(sentence, d) {
    const known = new Map(d.heads.map(x => [x.head, x])), SHOWN_HEADS = 6;
    const names = d.parts ? largestParts(d.parts, SHOWN_HEADS).map(h => `label:${h + 1}`) : [...known.keys()];
    return names.map(name => {
        const weights = (sentence.attention || {})[name] || [], [word] = largest(weights, 1);
        const inside = d.kind === 'span' ? sum(weights.slice(d.begin, d.end)) : undefined;
        return { head: name, part: d.parts && d.parts[headNumber(name)],
            attends: { word: word ?? -1, weight: weights[word], inside }, ...known.get(name) };
    });
}

// The document with this name, or null if there is none.
function load(name) {
    if (live) return Number(name) ? live.load(Number(name)) : Promise.resolve(documents[name] || null);
    const inside = document.getElementById('data-' + name);
    if (inside && !documents[name]) lal(name, JSON.parse(inside.textContent));
    if (documents[name] || document.querySelector('[id^=data-]')) return Promise.resolve(documents[name] || null);
    return new Promise(resolve => {
        const script = document.createElement('script');
        script.onload = () => resolve(documents[name] || null);
        script.onerror = () => resolve(null);
        script.src = `data/${encodeURIComponent(name)}.js`;
        document.head.append(script);
    });
}

// ---- elements: name.class, attributes (functions are listeners), and children, texts among them

function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {}))
        if (typeof value === 'function') node.addEventListener(key, value);
        else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
    node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return node;
}

function el(name, attributes, ...children) {
    const [tag, ...classes] = name.split('.'), node = document.createElement(tag);
    if (classes.length) node.className = classes.join(' ');
    return fill(node, attributes, children);
}

function svg(name, attributes, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

const link = (to, ...text) => el('a', { href: '#' + to }, ...text);
const term = (id, text) => link('term-' + id, text);
const section = (id, title, ...children) => el('section', { id }, el('h2', null, title), ...children);
// A part that scrolls sideways by itself, with a name, and reachable by keyboard.
const scroll = (label, ...children) =>
    el('div.scroll', { role: 'region', 'aria-label': label, tabindex: 0 }, ...children);
const quoted = text => el('q', null, text);

// A paragraph of a text with [terms](their-name) and {commands}.
const say = text => el('p', null, text.replace(/[ \n]+/g, ' ').split(/(\[[^\]]*\]\([^)]*\)|\{[^}]*\})/).map(part => {
    const found = part.match(/^\[(.*)\]\((.*)\)$/);
    return found ? term(found[2], found[1]) : part[0] === '{' ? el('code', null, part.slice(1, -1)) : part;
}));

// ---- numbers

const fixed = (value, digits = 3) => (Number.isFinite(value) ? value.toFixed(digits) : '');
const signed = (value, digits = 3) => (Number.isFinite(value) ? (value < 0 ? '' : '+') + value.toFixed(digits) : '');
// A number that may break no line: 12.3 %
const percent = (part, whole = 1, digits = 1) => (whole > 0 ? (100 * part / whole).toFixed(digits) + '\u00a0%' : '');
const counted = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`;
// "a", "a and b", "a, b and c"
const listed = names => [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
const sum = values => values.reduce((all, value) => all + value, 0);

// Indices of the largest values, ordered, equal ones as they come; values that are null are left out.
function largest(values, most = Infinity) {
    const order = [...values.keys()].filter(k => values[k] !== null && values[k] !== undefined);
    return order.sort((a, b) => values[b] - values[a] || a - b).slice(0, most);
}

const largestParts = (parts, most) => largest(parts.map(part => (part === null ? null : Math.abs(part))), most);

// ---- label heads, numbered from 0

const overview = () => documents.overview || {};
const hasHead = h => !overview().confidence || overview().confidence[h] !== null;
// Do label heads attend inside phrases alone? Then words have a part of a score that is no head's; else pruned heads
// have one, in a model that lacks some.
const inPhrases = () => overview().form === 'phrases';
const restName = () => (inPhrases() ? 'words themselves' : 'pruned heads');
const restTermOf = () => (inPhrases() ? 'words' : 'pruned');
const restTerm = () => term(restTermOf(), restName());
const headsLeft = () => overview().confidence.filter(value => value !== null).length;
const hasRest = () => inPhrases() || headsLeft() < overview().confidence.length;
const headNumber = name => Number(name.slice(name.lastIndexOf(':') + 1)) - 1;
// "51 · verb phrases"
function headName(h) {
    const name = overview().names && overview().names[h];
    return name ? `${h + 1} · ${name}` : String(h + 1);
}
// "51 · verb phrases (+0.352); 7 (-0.100)"
const headList = heads => heads.map(x => `${headName(headNumber(x.head))} (${signed(x.part)})`).join('; ');

const namesNote = (note, names) => say(note
    ? `${note} [${names.some(Boolean) ? 'What they say' : 'Names of heads'}](name)`
    : 'The words after the number of a head are its [name](name): what it does most in these sentences.');

// ---- tables

// Columns are texts or elements; cells too, or [content, attributes]. Options: class, caption for the scrolling part,
// list (columns sort it, and a field filters it), kind (the column whose values a list chooses from), rowHead.
function table(label, columns, rows, options = {}) {
    const head = el('tr', null, columns.map(column => el('th', { scope: 'col' }, column)));
    const body = el('tbody', null, rows.map(cells => el('tr', null, cells.map((cell, k) => {
        const [content, attributes] = Array.isArray(cell) ? cell : [cell, null];
        return k === 0 && options.rowHead ? el('th', { scope: 'row', ...attributes }, content)
            : el('td', attributes, content);
    }))));
    const whole = el(options.list ? 'table.list' : 'table', null, el('thead', null, head), body);
    const parts = [scroll(label, whole)];
    if (options.list) sortable([...head.cells], body);
    if (options.list && rows.length > 3 && options.filter !== false) parts.unshift(filterOf(body, options.kind));
    return parts;
}

function sortable(heads, body) {
    heads.forEach((head, k) => {
        let up = false;
        const button = el('button', { type: 'button', click: () => {
            up = !up;
            const rows = [...body.rows], key = row => row.cells[k].textContent.replace(/[\u00a0%]/g, '');
            const number = rows.every(row => !isNaN(key(row)));
            const order = number ? (a, b) => key(a) - key(b)
                : (a, b) => key(a).localeCompare(key(b), 'en', { numeric: true });
            body.append(...rows.sort((a, b) => (up ? order(a, b) : order(b, a))));
            heads.forEach(other => other.removeAttribute('aria-sort'));
            head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        } });
        button.append(...head.childNodes);
        head.replaceChildren(button);
    });
}

function filterOf(body, kindColumn) {
    const count = el('output'), input = el('input', { type: 'search', input: filter });
    const kinds = kindColumn === undefined ? []
        : [...new Set([...body.rows].map(row => row.cells[kindColumn].textContent))].sort();
    const kind = el('select', { change: filter }, ['all', ...kinds].map(name => el('option', null, name)));
    function filter() {
        const text = input.value.toLowerCase();
        let shown = 0;
        for (const row of body.rows) {
            const ofKind = kind.value === 'all' || row.cells[kindColumn].textContent === kind.value;
            row.hidden = !(ofKind && row.textContent.toLowerCase().includes(text));
            shown += !row.hidden;
        }
        count.textContent = `${shown} of ${body.rows.length}`;
    }
    filter();
    return el('div.filter', null, el('label', null, 'Rows that contain ', input),
        kinds.length > 1 && el('label', null, 'Kind ', kind), count);
}

const counts = pairs => el('dl.counts', null,
    pairs.filter(Boolean).map(([name, value]) => el('div', null, el('dt', null, name), el('dd', null, value))));

// ---- pictures

// A bar for each value, filled above the axis (positive) or outlined below it; marks are second values, as lines.
function bars(values, label, marks, name = headName) {
    const step = 9, half = 44, width = values.length * step + 8;
    const most = Math.max(1e-9, ...values.concat(marks || []).map(value => Math.abs(value || 0)));
    const picture = svg('svg', { class: 'bars', role: 'img', width, height: 104, viewBox: `0 0 ${width} 104` },
        svg('title', null, label));
    values.forEach((value, k) => {
        const height = Math.abs(value || 0) / most * (half - 2), x = 4 + k * step;
        picture.append(svg('rect', { class: value > 0 ? 'up' : 'down', x, y: value > 0 ? half - height : half, width: 7,
            height }, svg('title', null, `head ${name(k)}: ${signed(value)}`)));
        if (marks && marks[k] !== null)
            picture.append(svg('path', { class: 'mark', d: `M${x - 1} ${half - marks[k] / most * (half - 2)}h9` }));
        if (k % 8 === 7) picture.append(svg('text', { x: x + 3.5, y: 101 }, String(k + 1)));
    });
    picture.append(svg('path', { class: 'axis', d: `M0 ${half}H${width}` }));
    return scroll(label, picture);
}

const CELL = 14, ATTENTION_STEPS = [0.02, 0.05, 0.1, 0.2, 0.4];

// Cells in a frame: values [rows][columns], darker by the steps; what is null stays empty.
function cells(values, steps, left, top) {
    const paths = steps.map(() => '');
    values.forEach((row, r) => row.forEach((value, c) => {
        const step = value === null ? -1 : steps.filter(least => value >= least).length - 1, side = CELL - 1;
        if (step >= 0) paths[step] += `M${left + c * CELL} ${top + r * CELL}h${side}v${side}h-${side}z`;
    }));
    const wide = values[0] ? values[0].length * CELL : 0;
    return [paths.map((d, k) => svg('path', { class: `l${k + 1}`, d })),
        svg('path', { class: 'frame', d: `M${left} ${top}h${wide}v${values.length * CELL}h${-wide}z` })];
}

// Attention as a map with names of rows and columns. at: row and column under the pointer; choose: frames a row.
function attentionMap(title, values, rows, columns) {
    const left = Math.max(20, ...rows.map(name => widthOf(cut(name), 'tag'))) + 14, top = 100;
    const width = left + columns.length * CELL + 70, height = top + values.length * CELL + 4;
    const above = k => `translate(${left + k * CELL + 10} ${top - 5})rotate(-60)`;
    const map = svg('svg', { class: 'map', role: 'img', width, height, viewBox: `0 0 ${width} ${height}` },
        svg('title', null, title),
        columns.map((name, k) => svg('text', { class: 'up', transform: above(k) }, cut(name))),
        rows.map((name, k) => svg('text', { class: 'row', x: left - 6, y: top + (k + 1) * CELL - 3 }, cut(name))),
        cells(values, ATTENTION_STEPS, left, top), svg('path', { class: 'chosen', d: '' }));
    map.at = event => {
        const box = map.getBoundingClientRect(), scale = width / box.width;
        return [(event.clientY - box.top) * scale - top, (event.clientX - box.left) * scale - left]
            .map(px => Math.floor(px / CELL));
    };
    map.choose = k => map.lastChild.setAttribute('d', k < 0 ? ''
        : `M${left} ${top + k * CELL}h${columns.length * CELL}v${CELL}h-${columns.length * CELL}z`);
    return map;
}

const attentionLegend = () => ATTENTION_STEPS.map((least, k) =>
    [el(`span.key.l${k + 1}`), ` from ${100 * least}\u00a0% `]);
