// What scripts add to the pages: the selected decision beside the tree, words underlined by the views of heads, the
// numbers of the heat map, sorting and filtering of lists.
'use strict';
document.documentElement.classList.add('js');

function make(name, text, parent) {
    const node = document.createElement(name);
    node.textContent = text;
    if (parent) parent.append(node);
    return node;
}

// ---- a sentence
const source = document.getElementById('data');
if (source) {
    const data = JSON.parse(source.textContent);
    const words = [...document.querySelectorAll('#words span')];
    const articles = [...document.querySelectorAll('article')];
    // "23 · particles, adverbs" of each head, from the table of attention
    const names = [...document.querySelectorAll('#attention tbody th')].map(cell => cell.textContent);
    const hint = make('p', '');
    document.getElementById('words').after(hint);

    const SIGNS = '; solid: positive, dashed: negative.';
    // Underlines words by value: solid for positive, dashed for negative ones, in three steps of the largest.
    function shade(values, about) {
        const most = Math.max(...values.map(Math.abs), 1);
        words.forEach((word, k) => {
            const size = Math.abs(values[k]) / most;
            const step = size > 0.5 ? 's3' : size > 0.2 ? 's2' : size > 0.05 ? 's1' : '';
            word.classList.remove('plus', 'minus', 's1', 's2', 's3');
            if (step) word.classList.add(step, values[k] > 0 ? 'plus' : 'minus');
            word.title = (values[k] / 1000).toFixed(3);
        });
        hint.textContent = about;
    }

    const svg = 'http://www.w3.org/2000/svg';
    function draw(name, attributes, parent) {
        const node = document.createElementNS(svg, name);
        for (const key in attributes) node.setAttribute(key, attributes[key]);
        parent.append(node);
        return node;
    }

    // The contributions of all heads as bars: filled above the axis, outlined below it, as in bars_svg of page.c.
    function bars(parts, before) {
        const step = 9, half = 44, most = Math.max(...parts.map(Math.abs), 1), wide = parts.length * step + 8;
        const box = make('div', '');
        box.className = 'scroll';
        box.tabIndex = 0;
        box.setAttribute('role', 'region');
        box.setAttribute('aria-label', 'Contributions of all heads');
        const size = { width: wide, height: 104, viewBox: `0 0 ${wide} 104` };
        const picture = draw('svg', { class: 'bars', role: 'img', ...size }, box);
        draw('title', {}, picture).textContent = 'Contributions of all heads; the table has the largest';
        parts.forEach((part, h) => {
            const up = part > 0, height = Math.abs(part) / most * (half - 2);
            const place = { x: 4 + h * step, y: up ? half - height : half, width: 7, height };
            const bar = draw('rect', { class: up ? 'up' : 'down', ...place }, picture);
            draw('title', {}, bar).textContent = `head ${names[h]}: ${(part / 1000).toFixed(3)}`;
            if (h % 8 === 7) draw('text', { x: 7.5 + h * step, y: 101 }, picture).textContent = h + 1;
        });
        draw('path', { class: 'axis', d: `M0 ${half}H${wide}` }, picture);
        before.before(box);
    }

    function show(id) {
        const k = articles.findIndex(a => a.id === id);
        articles.forEach((a, i) => a.classList.toggle('current', i === k));
        document.querySelectorAll('.drawing a').forEach(a => {
            if (a.getAttribute('href') === '#' + id) a.setAttribute('aria-current', 'true');
            else a.removeAttribute('aria-current');
        });
        if (k < 0) return;
        if (!articles[k].querySelector('.bars')) bars(data.decisions[k].parts, articles[k].querySelector('.scroll'));
        shade(data.decisions[k].words, 'Underlined: contributions of words through all views' + SIGNS);
    }

    articles.forEach((article, k) => {
        article.querySelectorAll('tbody th').forEach(cell => {
            const head = cell.dataset.head, button = make('button', cell.textContent);
            button.type = 'button';
            button.title = 'contributions of words through head ' + names[head - 1];
            button.addEventListener('click', () => {
                const values = data.decisions[k].heads[head];
                shade(values, 'Underlined: contributions of words through the view of head ' + names[head - 1] + SIGNS);
                choose(Number(head));
            });
            cell.replaceChildren(button);
        });
    });

    // ---- the heat map
    const heat = document.querySelector('.heat'), cell = document.getElementById('cell');
    const left = 34, top = 100, width = 16, height = 12;
    function choose(head) {
        const wide = words.length * width, frame = `M${left} ${top + (head - 1) * height}h${wide}v${height}h-${wide}z`;
        heat.querySelector('.chosen').setAttribute('d', frame);
    }
    heat.addEventListener('pointermove', event => {
        const box = heat.getBoundingClientRect(), scale = heat.viewBox.baseVal.width / box.width;
        const head = Math.floor(((event.clientY - box.top) * scale - top) / height);
        const word = Math.floor(((event.clientX - box.left) * scale - left) / width);
        const inside = head >= 0 && head < data.attention.length && word >= 0 && word < words.length;
        const percent = () => (data.attention[head][word] / 10).toFixed(1);
        cell.textContent = inside ? `head ${names[head]}, ${words[word].textContent}: ${percent()} %` : '';
    });
    heat.addEventListener('click', event => {
        const box = heat.getBoundingClientRect(), scale = heat.viewBox.baseVal.width / box.width;
        const head = Math.floor(((event.clientY - box.top) * scale - top) / height);
        if (head < 0 || head >= data.attention.length) return;
        choose(head + 1);
        shade(data.attention[head], `Underlined: the words that head ${names[head]} attends to.`);
    });

    const first = articles.find(a => a.querySelector('.verdict .bad')) || articles[0];
    function follow() { show(location.hash.slice(1) || (first && first.id)); }
    window.addEventListener('hashchange', () => {
        follow();
        const chosen = document.querySelector('article.current');
        if (chosen) chosen.scrollIntoView({ block: 'nearest' });
    });
    follow();
}

// ---- lists; short ones are sorted, but not filtered
for (const list of document.querySelectorAll('.list')) {
    const body = list.tBodies[0], rows = [...body.rows], heads = [...list.tHead.rows[0].cells];
    const bar = make('div', '');
    bar.className = 'filter';
    bar.hidden = list.classList.contains('short');
    const label = make('label', 'Rows that contain ', bar), input = make('input', '', label);
    const count = make('output', '', bar);
    input.type = 'search';
    list.parentNode.before(bar);
    const kinds = [...new Set(rows.map(row => row.cells[1].textContent))].sort();
    let kind = null;
    if (heads[1].textContent === 'kind' && kinds.length > 1) {
        kind = make('select', '', make('label', 'Kind ', bar));
        for (const name of ['all', ...kinds]) make('option', name, kind);
        kind.addEventListener('change', filter);
    }
    function filter() {
        const text = input.value.toLowerCase();
        let shown = 0;
        for (const row of rows) {
            const ofKind = !kind || kind.value === 'all' || row.cells[1].textContent === kind.value;
            const fits = ofKind && row.textContent.toLowerCase().includes(text);
            row.hidden = !fits;
            shown += fits;
        }
        count.textContent = `${shown} of ${rows.length}`;
    }
    input.addEventListener('input', filter);
    filter();
    heads.forEach((head, k) => {
        const button = make('button', head.textContent);
        let up = false;
        button.type = 'button';
        button.addEventListener('click', () => {
            up = !up;
            const key = row => row.cells[k].textContent;
            const number = rows.every(row => key(row) === '' || !isNaN(key(row)));
            const order = number ? (a, b) => key(a) - key(b)
                : (a, b) => key(a).localeCompare(key(b), 'en', { numeric: true });
            rows.sort((a, b) => (up ? order(a, b) : order(b, a)));
            body.append(...rows);
            heads.forEach(h => h.removeAttribute('aria-sort'));
            head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        });
        head.replaceChildren(button);
    });
}
