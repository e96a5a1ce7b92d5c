// Which view is on the screen: the address after # names it. "12": sentence 12; "12/3" and "12/w4": its decision 3, its
// word 4; "pair/12": its two parses; else a list, or a term. Without one the page begins with a decision worth a look.

const LISTS = {
    text: ['Text', () => live.view(), () => live],
    decisions: ['Decisions', decisionsView, o => o.decisions],
    sentences: ['Sentences', sentencesView, o => o.texts],
    overview: ['Overview', overviewView, o => o.categories],
    compare: ['Two models', compareView, o => o.compare],
};

// The first error that has a gold label to compare with, else the first one; without gold the sentence with the least
// certain decision.
function example() {
    const o = overview(), wrong = (o.gold && o.decisions || []).filter(d => !d.missed), span = d => d.kind === 'span';
    const d = wrong.find(one => span(one) && one.gold) || wrong.find(span) || wrong[0];
    if (d) return `${d.sentence}/${d.number}`;
    const [k] = largest((o.texts || []).map(x => (x.least === undefined ? null : -x.least)), 1);
    return k !== undefined ? String(o.texts[k].id) : o.texts ? 'overview' : 'heads';
}

async function viewOf(name) {
    const o = overview(), heads = documents.heads;
    if (name === 'heads' && heads) return headsView(heads);
    if (name === 'heads' && o.confidence) return labelHeadsView();
    if (LISTS[name] && LISTS[name][2](o)) return LISTS[name][1]();
    const id = Number(name.replace('pair/', '')), content = id > 0 ? await load(id) : null;
    if (content && content.other && name.startsWith('pair/')) return pairView(id, content);
    return content ? sentenceView(id, content) : [el('h1', null, 'There is nothing of this name')];
}

let shown = null; // the view on the screen

async function follow(event) {
    const to = decodeURIComponent(location.hash.slice(1)) || (live ? 'text' : example());
    const main = document.getElementById('main');
    const terms = document.getElementById('terms'), isTerm = to === 'terms' || to.startsWith('term-');
    const [name, what] = isTerm ? ['terms'] : to.startsWith('pair/') ? [to] : to.split('/');
    const other = name !== shown;
    shown = name;
    terms.hidden = !isTerm;
    if (other) {
        const view = document.getElementById('view'), content = isTerm ? [] : await viewOf(name)
            .catch(error => [el('h1', null, 'No answer'), el('p.bad', { role: 'status' }, error.message)]);
        if (shown !== name) return; // another one was chosen meanwhile
        view.replaceChildren();
        fill(view, null, [content]);
        drawAll();
        document.title = `${(isTerm ? terms : view).querySelector('h1').textContent} - lal`;
        for (const a of document.querySelectorAll('nav a'))
            if (a.getAttribute('href') === '#' + (location.hash && name)) a.setAttribute('aria-current', 'page');
            else a.removeAttribute('aria-current');
        if (event) main.focus({ preventScroll: true });
        window.scrollTo(0, 0);
    }
    if (isTerm && what !== 'terms') document.getElementById(to)?.scrollIntoView();
    const content = documents[name], sentence = content && content.sentence;
    if (!sentence || !sentence.attention) return;
    const first = firstDecision(sentence);
    if (what !== undefined || first !== null) select(sentence, String(what ?? first));
    if (live && what !== undefined) live.ask(sentence, what);
    if (!other) showSelected();
}

// The view of this name, also where it is on the screen already.
function show(name) {
    shown = null;
    if (decodeURIComponent(location.hash.slice(1)) === name) return follow();
    location.hash = name;
    return null;
}

async function start() {
    if (!live) await Promise.all([load('overview'), load('heads')]);
    const o = overview(), nav = document.querySelector('nav');
    const lists = Object.keys(LISTS).filter(name => LISTS[name][2](o)).map(name => link(name, LISTS[name][0]));
    fill(nav, null, [o.texts && o.texts.length > 0 && link('', 'Example'), lists, !live && link('heads', 'Heads'),
        link('terms', 'Terms'), live && el('output', { id: 'loading', class: 'legend' })]);
    if (live) await live.start();
    window.addEventListener('hashchange', follow);
    await follow();
    document.documentElement.dataset.ready = 'true';
}

start();
