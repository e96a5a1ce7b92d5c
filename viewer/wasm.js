// Who parses in the browser itself: lalparser.js beside this page, in a thread of its own, with the models that
// models.json names. As http.js, which asks a server.
const source = {
    models: null, // [{name, file, language}]
    parsers: {},  // promises, by the names of models
    async model(name) {
        const { loadThread } = await import('./lalparser.js'), note = document.getElementById('loading');
        const { file } = this.models.find(model => model.name === name) || this.models[0];
        const tell = (received, total) => {
            note.textContent = received < total ? `loading ${name}: ${percent(received, total, 0)}` : '';
        };
        this.parsers[name] = this.parsers[name] || loadThread(file, { onProgress: tell });
        return this.parsers[name];
    },
    async ask(path, parameters, body, part = () => {}) {
        if (!this.models) this.models = await (await fetch('models.json')).json();
        if (path === 'models') return JSON.stringify({ models: this.models });
        const parser = await this.model(parameters.model || this.models[0].name);
        const deps = parameters.deps === 'stanford' ? 'model' : parameters.deps;
        const lines = typeof body === 'string' ? '' : body.sentences.map(one => JSON.stringify(one)).join('\n');
        if (path === 'inspect') {
            const [kind, ...place] = (parameters.decision || '').split(' ');
            return parser.inspect(lines, { page: true, flips: true, ...(kind ? { [kind]: place.map(Number) } : {}) });
        }
        let text = '';
        const how = { format: parameters.format, deps, confidence: parameters.confidence === 'true' && 1,
            ...(parameters.pretokenized ? { tokens: 'space', sentences: 'line' } : {}), onOutput: piece => {
                text += piece;
                part(piece);
            } };
        await (typeof body === 'string' ? parser.parse(body, how) : parser.parseJson(lines, how));
        return text;
    },
    about: () => 'The parser runs on this page: no text leaves this machine.',
};

if ('serviceWorker' in navigator && location.protocol.startsWith('http'))
    navigator.serviceWorker.register('offline.js');
