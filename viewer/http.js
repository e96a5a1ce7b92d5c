// Who parses, by the paths of the server. body: a text, or an object; the answer is a text, of which `part`, if there
// is one, gets each piece as it comes.
const source = {
    base: location.pathname.replace(/\/?$/, '/'),
    async ask(path, parameters, body, part = () => {}) {
        const type = typeof body === 'string' ? 'text/plain' : 'application/json';
        const post = { method: 'POST', headers: { 'Content-Type': type },
            body: typeof body === 'string' ? body : JSON.stringify(body) };
        const answer = await fetch(`${this.base}v1/${path}?${new URLSearchParams(parameters)}`, body ? post : {});
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
            text += piece.value;
            if (answer.ok) part(piece.value);
        }
        if (!answer.ok) throw new Error(text.trim() || answer.statusText);
        return text;
    },
    about() {
        const call = `curl --data-binary @FILE -H 'Content-Type: text/plain' '${location.origin}${this.base}`;
        return ['The same from a program: ', el('code', null, `${call}v1/parse?format=brackets'`), '; ',
            el('a', { href: this.base + 'openapi.json' }, 'all paths'), '.'];
    },
};
