// Draws a sentence as SVG: its tree, its arcs, or both over the same words. Words stand in a row (tree above, arcs
// below) where there is room, else in a column (tree left, arcs right), in a narrow place first with the tree, then
// with the arcs. Labels do not overlap, and each may be a link to what is known of it.

// Families of labels, which have a colour each: n nominal, v verbal, p prepositional, s clausal, a modifying, o others.
// The first beginning that fits counts.
const FAMILIES = {
    label: 'n NP WHNP NX NML QP v VP p PP WHPP PRT a ADJP ADVP WHAD s S RRC',
    tag: 'o NUM n N PROPN PRON PRP WP EX v V MD AUX p IN TO RP ADP PART SCONJ a J RB ADJ ADV WRB',
    type: 'n nsubj csubj dobj iobj obj pobj agent v root aux cop p prt compound:prt prep obl nmod case s mark ccomp '
        + 'xcomp pcomp advcl acl rcmod relcl vmod partmod infmod parataxis a amod advmod neg num poss appos',
};

function family(text, kind) {
    let letter = 'o';
    for (const word of FAMILIES[kind].split(' '))
        if (/^[a-z]$/.test(word)) letter = word;
        else if (text.startsWith(word)) return letter;
    return 'o';
}

const FONTS = { word: '15px', tag: '11px', type: '11px', label: 'bold 12px' };
const ruler = document.createElement('canvas').getContext('2d');
function widthOf(text, kind) {
    ruler.font = FONTS[kind] + ' ' + getComputedStyle(document.body).fontFamily;
    return Math.ceil(ruler.measureText(text).width) + 1;
}

const LONGEST = 40; // characters of a text that is not cut
const cut = text => ([...text].length > LONGEST ? [...text].slice(0, LONGEST).join('') + '…' : text);

// ---- structure

// Phrases of a tree in brackets, in pre-order, without the outermost node.
function phrasesOf(tree) {
    const phrases = [], open = [];
    let words = 0;
    for (const [piece, label] of (tree || '').matchAll(/\(\s*([^\s()]*)|[^\s()]+|\)/g)) {
        if (piece === ')') open.pop().end = words;
        else if (label !== undefined) {
            phrases.push({ label, begin: words, depth: open.length });
            open.push(phrases[phrases.length - 1]);
        } else {
            open[open.length - 1].isWord = true;
            words++;
        }
    }
    return phrases.filter(phrase => phrase.depth > 0 && !phrase.isWord);
}

// What is drawn of an annotation (tags, tree, governors, types).
function structureOf(words, annotation) {
    const phrases = phrasesOf(annotation.tree), governors = annotation.governors || [];
    return { words, tags: annotation.tags, phrases, arcs: governors.map((from, to) =>
        ({ from, to, type: (annotation.types && annotation.types[to]) || (from < 0 ? 'root' : '') })) };
}

const samePhrase = (a, b) => a.begin === b.begin && a.end === b.end && a.label === b.label;

// The parent of each phrase, its height above the words, and the phrase right over each word.
function nest(sentence) {
    const open = [], over = [];
    sentence.phrases.forEach(phrase => {
        while (open.length && open[open.length - 1].end <= phrase.begin) open.pop();
        phrase.parent = open[open.length - 1] || null;
        phrase.height = 1;
        open.push(phrase);
        for (let w = phrase.begin; w < phrase.end; w++) over[w] = phrase;
    });
    for (const phrase of [...sentence.phrases].reverse())
        if (phrase.parent) phrase.parent.height = Math.max(phrase.parent.height, phrase.height + 1);
    return { over, highest: Math.max(0, ...sentence.phrases.map(phrase => phrase.height)) };
}

// Levels of arcs, each above what is below it, and the places at which they begin at their head: the longest ones of a
// side nearest to its middle, so that they do not cross. The number of levels.
function level(sentence) {
    const top = sentence.words.map(() => 0), length = arc => (arc.from < 0 ? 0 : Math.abs(arc.from - arc.to));
    const arcs = sentence.arcs.filter(arc => arc.from !== arc.to).sort((a, b) => length(a) - length(b));
    const sides = {};
    for (const arc of arcs.filter(one => one.from >= 0)) {
        const between = [Math.min(arc.from, arc.to), Math.max(arc.from, arc.to)];
        arc.level = Math.max(...top.slice(...between)) + 1;
        top.fill(arc.level, ...between);
        arc.side = `${arc.from}${arc.from < arc.to ? '>' : '<'}`;
        (sides[arc.side] = sides[arc.side] || []).push(arc);
    }
    const levels = Math.max(0, ...top), roots = arcs.filter(arc => arc.from < 0);
    for (const side of Object.values(sides)) side.forEach((arc, k) => {
        arc.place = (side.length - k) * (arc.from < arc.to ? 1 : -1);
        arc.beside = side.length;
    });
    for (const arc of roots) arc.level = levels + 1;
    sentence.arcs = arcs;
    return levels + (roots.length ? 1 : 0);
}

const offset = (arc, room, most) => (arc.from < 0 ? 0 : arc.place * Math.min(room / (arc.beside + 1), most));

// ---- labels. mark: wrong (red, a cross), right (green, a plus sign), other (orange, a sign of inequality), set
// (green, a check mark: by hand)

const SIGNS = { wrong: text => text + ' ×', right: text => '+ ' + text, other: text => '≠ ' + text,
    set: text => '✓ ' + text };
const signedText = item => (SIGNS[item.mark] || (text => text))(cut(item.label || item.type));
const goldText = item => (item.gold ? ` → ${cut(item.gold)}` : '');
const labelWidth = (item, kind) => widthOf(signedText(item) + goldText(item), kind) + (kind === 'label' ? 12 : 0);
const colour = (item, kind) => ({ wrong: 'x', right: 'g', other: 'd', set: 'g' }[item.mark]
    || (item.dashed ? 'g' : family(item.label || item.type, kind)));

function text(x, y, kind, content, letter, start) {
    const size = parseInt(FONTS[kind].replace(/\D+/, ''), 10), shown = cut(content);
    return svg('text', { x, y: y + Math.round(size * 0.36), class: `${kind} ${letter}${start ? ' start' : ''}` }, shown,
        shown !== content && svg('title', null, content));
}

function label(item, kind, left, y) {
    const width = labelWidth(item, kind), letter = colour(item, kind);
    const ground = kind === 'label' ? { class: `ground ${letter}`, x: left, y: y - 10, width, height: 20, rx: 6 }
        : { class: 'paper', x: left - 2, y: y - 7, width: width + 4, height: 14 };
    const whole = text(left + width / 2, y, kind, signedText(item), letter);
    if (item.gold) whole.append(svg('tspan', { class: 'g' }, goldText(item)));
    return item.target ? svg('a', { href: '#' + item.target, 'aria-label': item.about }, svg('rect', ground), whole)
        : svg('g', null, svg('rect', ground), whole);
}

// A word and its tag.
function wordLabel(sentence, w, x, y, tagX, tagY, start) {
    const tag = sentence.tags && sentence.tags[w], to = sentence.wordLinks && sentence.wordLinks[w];
    const parts = [text(x, y, 'word', sentence.words[w], 'w', start),
        tag && text(tagX, tagY, 'tag', tag, family(tag, 'tag'), start)];
    return to ? svg('a', { href: '#' + to, 'aria-label': `word ${sentence.words[w]}, ${tag || ''}` }, parts) : parts;
}

// ---- words in a row

function across(sentence) {
    const GAP = 14, SIDE = 12, LEVEL = 38, FIRST = 26, STEP = 19, n = sentence.words.length;
    const { over, highest } = nest(sentence), levels = level(sentence), left = [], width = [];
    const middle = w => left[w] + width[w] / 2;
    const start = arc => middle(arc.from) + offset(arc, Math.max(width[arc.from] / 2 + GAP / 2 - 2, 6), 5);
    for (let w = 0; w < n; w++) {
        width[w] = Math.max(widthOf(cut(sentence.words[w]), 'word'),
            sentence.tags && sentence.tags[w] ? widthOf(sentence.tags[w], 'tag') : 0);
        left[w] = w ? left[w - 1] + width[w - 1] + GAP : SIDE;
        for (const phrase of sentence.phrases.filter(one => one.end === w + 1)) {
            const need = labelWidth(phrase, 'label') - 6;
            if (phrase.begin === w) width[w] = Math.max(width[w], need);
            else left[w] = Math.max(left[w], left[phrase.begin] + need - width[w]);
        }
        for (const arc of sentence.arcs.filter(one => Math.max(one.from, one.to) === w)) {
            if (arc.from < 0) continue;
            const need = labelWidth(arc, 'type') + 20 + Math.abs(offset(arc, 12, 5));
            left[w] = Math.max(left[w], middle(Math.min(arc.from, arc.to)) + need - width[w] / 2);
        }
    }
    const total = n ? left[n - 1] + width[n - 1] + SIDE + (levels ? 14 : 0) : SIDE;
    // a sentence that is read from the right to the left stands so
    const rightToLeft = sentence.words.filter(word => /[\u0590-\u08ff]/.test(word)).length > n / 2;
    const X = x => (rightToLeft ? total - x : x);
    for (const phrase of [...sentence.phrases].reverse()) { // between the first and the last child
        const child = (w, end) => (over[w] === phrase ? middle(w)
            : sentence.phrases.find(one => one.parent === phrase && (end ? one.end === w + 1 : one.begin === w)).x);
        const half = labelWidth(phrase, 'label') / 2 - 3, last = phrase.end - 1;
        const between = (child(phrase.begin, false) + child(last, true)) / 2;
        phrase.x = Math.min(Math.max(between, left[phrase.begin] + half), left[last] + width[last] - half);
        phrase.y = 8 + (highest - phrase.height) * LEVEL + LEVEL / 2 - 6;
    }
    const tree = sentence.phrases.length > 0, depth = levels ? FIRST + levels * STEP : 0, sign = tree ? 1 : -1;
    const y = 8 + (tree ? highest * LEVEL : depth), base = tree ? y + (sentence.tags ? 42 : 24) : y - 2;
    const parts = [];
    const branch = (from, x, to) => {
        const bend = from.y + LEVEL - 12, half = (from.y + 10 + bend) / 2, [a, b] = [X(from.x), X(x)];
        const d = `M${a} ${from.y + 10}C${a} ${half} ${b} ${half} ${b} ${bend}V${Math.max(bend, to)}`;
        parts.push(svg('path', { d }));
    };
    for (const phrase of sentence.phrases) if (phrase.parent) branch(phrase.parent, phrase.x, phrase.y - 10);
    for (let w = 0; w < n; w++) if (over[w]) branch(over[w], middle(w), y);
    for (const phrase of sentence.phrases)
        parts.push(label(phrase, 'label', X(phrase.x) - labelWidth(phrase, 'label') / 2, phrase.y));
    const names = [];
    for (const arc of sentence.arcs) {
        const to = X(middle(arc.to)), height = FIRST + (arc.level - 1) * STEP, line = base + sign * height;
        const tip = base + sign, from = arc.from < 0 ? to : X(start(arc)), right = from < to ? 1 : -1;
        const ry = Math.min(height - 8, 30), wide = labelWidth(arc, 'type');
        const rx = right * Math.max(0, Math.min((Math.abs(to - from) - wide) / 2, ry + 6));
        const d = arc.from < 0 ? `M${to} ${line}V${tip + sign * 6}`
            : `M${from} ${base}V${line - sign * ry}Q${from} ${line} ${from + rx} ${line}H${to - rx}`
              + `Q${to} ${line} ${to} ${line - sign * ry}V${tip + sign * 6}`;
        parts.push(svg('path', { class: `line ${colour(arc, 'type')}${arc.dashed ? ' dashed' : ''}`, d }),
            svg('path', { class: `tip ${colour(arc, 'type')}`, d: `M${to} ${tip}l-4 ${sign * 8}h8z` }));
        names.push(label(arc, 'type', (arc.from < 0 ? to : (from + to) / 2) - wide / 2, line));
    }
    const words = sentence.words.map((_, w) => wordLabel(sentence, w, X(middle(w)), y + 11, X(middle(w)), y + 31));
    const height = y + (sentence.tags ? 42 : 24) + (tree ? depth : 0) + 8;
    return { width: total, height, parts: [parts, names, words] };
}

// ---- words in a column

function down(sentence, room) {
    const ROW = 24, INDENT = 15, GAP = 12, SIDE = 8, n = sentence.words.length;
    const { over } = nest(sentence), levels = level(sentence);
    const place = folded => { // the column of words; folded: phrases that begin together stand in one row
        const step = phrase => (folded ? labelWidth(phrase, 'label') + 9 : INDENT);
        let row = 0, column = SIDE;
        const rows = [];
        for (let w = 0; w < n; w++) {
            sentence.phrases.filter(phrase => phrase.begin === w).forEach((phrase, k, all) => {
                phrase.x = phrase.parent ? phrase.parent.x + step(phrase.parent) : SIDE;
                phrase.row = row;
                column = Math.max(column, phrase.x + labelWidth(phrase, 'label') + GAP);
                if (!folded && k + 1 < all.length) row++;
            });
            if (over[w]) column = Math.max(column, over[w].x + step(over[w]) + GAP);
            rows.push(row++);
        }
        return { rows, column, height: 2 * SIDE + row * ROW };
    };
    const widest = (list, kind) => Math.max(0, ...list.filter(Boolean).map(one => widthOf(cut(one), kind) + GAP));
    const types = Math.max(0, ...sentence.arcs.filter(arc => !arc.dashed).map(arc => labelWidth(arc, 'type') + 4));
    const beside = widest(sentence.words, 'word') + widest(sentence.tags || [], 'tag') + types
        + (levels ? GAP + levels * 9 + SIDE : 0);
    let at = place(true);
    if (at.column + beside > room) at = place(false);
    const tagX = at.column + widest(sentence.words, 'word'), typeX = tagX + widest(sentence.tags || [], 'tag');
    const arcX = typeX + types, y = row => SIDE + row * ROW + ROW / 2, parts = [];
    const branch = (up, row, to, word) => { // around a corner from below a phrase, or straight in its row
        const spine = up.x + 9, from = y(up.row) + 10, straight = `M${up.x + labelWidth(up, 'label')} ${y(row)}H${to}`;
        if (row === up.row) parts.push(svg('path', { class: word && 'lead', d: straight }));
        else parts.push(svg('path', { d: `M${spine} ${from}V${y(row) - 5}q0 5 5 5${word ? '' : `H${to}`}` }),
            word && svg('path', { class: 'lead', d: `M${spine + 5} ${y(row)}H${to}` }));
    };
    for (const phrase of sentence.phrases) if (phrase.parent) branch(phrase.parent, phrase.row, phrase.x, false);
    for (let w = 0; w < n; w++) if (over[w]) branch(over[w], at.rows[w], at.column - 4, true);
    for (const phrase of sentence.phrases) parts.push(label(phrase, 'label', phrase.x, y(phrase.row)));
    for (const arc of [...sentence.arcs].reverse()) {
        const to = y(at.rows[arc.to]), letter = colour(arc, 'type');
        let d = `M${arcX + 8} ${to}h${GAP}`;
        if (arc.from >= 0) {
            const from = y(at.rows[arc.from]) + offset(arc, ROW / 2, 4), turn = from < to ? 6 : -6;
            d = `M${arcX + 2} ${from}H${arcX + GAP + arc.level * 9 - 6}q6 0 6 ${turn}`
                + `V${to - turn}q0 ${turn} -6 ${turn}H${arcX + 8}`;
        }
        parts.push(svg('path', { class: `line ${letter}${arc.dashed ? ' dashed' : ''}`, d }),
            svg('path', { class: `tip ${letter}`, d: `M${arcX + 1} ${to}l8 -4v8z` }));
        if (!arc.dashed) parts.push(label(arc, 'type', typeX, to));
    }
    const words = sentence.words.map((_, w) =>
        wordLabel(sentence, w, at.column, y(at.rows[w]), tagX, y(at.rows[w]), true));
    return { width: at.column + beside + (levels ? 0 : SIDE), height: at.height, parts: [parts, words] };
}

// ---- the drawing

function picture(name, sentence, drawn) {
    const { width, height, parts } = drawn;
    const what = sentence.phrases.length ? sentence.arcs.length ? 'Tree and dependencies' : 'Tree' : 'Dependencies';
    return svg('svg', { class: 'drawing', width, height, viewBox: `0 0 ${width} ${height}`, role: 'group',
        'aria-label': `${name}: ${what} of ${sentence.words.join(' ')}` }, parts.flat(Infinity).filter(Boolean));
}

const LEAST_SCALE = 0.75;

// A drawing that fits the width of its place, and follows it; drawAll draws it first. Arrow keys go from one label to
// the next.
function drawing(name, sentence) {
    const place = el('div.fit', { role: 'group', 'aria-label': name, keydown: followKey });
    let last = -1;
    place.draw = () => {
        if (place.clientWidth === last) return;
        last = place.clientWidth;
        const room = last || 600, row = across(sentence);
        let shown = [row];
        if (row.width * LEAST_SCALE > room) shown = [down(sentence, room)];
        if (shown[0].width * LEAST_SCALE > room && sentence.phrases.length && sentence.arcs.length)
            shown = [{ ...sentence, arcs: [] }, { ...sentence, phrases: [] }].map(part =>
                ({ ...down(part, room), part }));
        place.replaceChildren(...shown.map(one => picture(name, one.part || sentence, one)));
        markSelected();
    };
    new ResizeObserver(() => setTimeout(place.draw)).observe(place);
    return place;
}

function drawAll() { for (const place of document.querySelectorAll('.fit')) if (place.clientWidth) place.draw(); }

// ---- keyboard

const middleOf = node => {
    const box = node.getBoundingClientRect();
    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
};

// The nearest label in the direction of an arrow key.
function followKey(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const from = event.target.closest('a');
    if (!way || !from) return;
    const [x, y] = middleOf(from);
    let nearest = null, least = Infinity;
    for (const other of event.currentTarget.querySelectorAll('a')) {
        const [a, b] = middleOf(other), ahead = (a - x) * way[0] + (b - y) * way[1];
        const aside = Math.abs((a - x) * way[1]) + Math.abs((b - y) * way[0]), far = ahead + 3 * aside;
        if (other !== from && ahead > 2 && far < least) [nearest, least] = [other, far];
    }
    event.preventDefault();
    if (nearest) setFocus(event.currentTarget, nearest);
}

function setFocus(place, target) {
    for (const other of place.querySelectorAll('a')) other.setAttribute('tabindex', other === target ? 0 : -1);
    target.focus();
}

let selected = ''; // the view that is selected: "1/13"

// Marks the links to what is selected; of each drawing one label is reached by the tab key.
function markSelected() {
    for (const place of document.querySelectorAll('.fit')) {
        const links = [...place.querySelectorAll('a')], focus = document.activeElement;
        const chosen = links.find(one => one.getAttribute('href') === '#' + selected);
        for (const one of links) {
            if (one === chosen) one.setAttribute('aria-current', 'true');
            else one.removeAttribute('aria-current');
            one.setAttribute('tabindex', one === (links.includes(focus) ? focus : chosen || links[0]) ? 0 : -1);
        }
    }
}
