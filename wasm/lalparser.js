/* The parser in WebAssembly, for browsers and node: lalparser.d.ts says what is here, README.md how it is used. */

const CODES = ['', 'memory', 'io', 'format', 'argument', 'model', 'limit', 'numeric'];
const CHOICES = {
    newlines: ['auto', 'sentence', 'paragraph', 'space'],
    markup: ['auto', 'none', 'markdown', 'html', 'srt', 'latex'],
    sentences: ['find', 'line', 'all'],
    tokens: ['find', 'space'],
    deps: ['auto', 'ud', 'model'],
    hyphens: ['model', 'split', 'keep'],
    invalid: ['error', 'replace', 'skip'],
};

export class LalError extends Error {
    constructor(code, message, line = 0, column = 0) {
        super(message);
        Object.assign(this, { name: 'LalError', code, line, column });
    }
}

/* ---- what is fetched */

/* All bytes of a URL, or those that are given. */
async function bytesOf(source, onProgress) {
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    const url = new URL(source, globalThis.document?.baseURI ?? import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) {
        return (await import('node:fs/promises')).readFile(url);
    }
    const answer = await fetch(url).catch(({ message }) => { throw new LalError('io', `${url}: ${message}`); });
    if (!answer.ok) throw new LalError('io', `${url}: found the status ${answer.status}, expected 200`);
    const total = Number(answer.headers.get('content-length')) || 0;
    const parts = [];
    let received = 0;
    for (const reader = answer.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
        received += value.length;
        onProgress?.(received, total);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}

let compiled; /* the program, of all parsers */

const compile = async (source) => source instanceof WebAssembly.Module ? source
    : WebAssembly.compile(await bytesOf(source ?? new URL('lal.wasm', import.meta.url)));

/* ---- the parser */

export async function load(model, { program, onProgress, name, ...options } = {}) {
    const [module, bytes] = await Promise.all([program ? compile(program) : compiled ??= compile(),
        bytesOf(model, onProgress)]);
    name ??= typeof model === 'string' || model instanceof URL ? String(model).replace(/.*\//, '') : 'model';
    return new Parser(module, bytes, name, options);
}

class Parser {
    #run; /* what the program exports; null: it was freed, or cannot go on */
    #write;
    #options;

    constructor(module, bytes, name, options) {
        const instance = new WebAssembly.Instance(module, this.#imports(module));
        this.#run = instance.exports;
        this.#options = options;
        this.#call((run) => {
            run._initialize();
            this.#check(run.lal_load(this.#put(name + '\0'), this.#put(bytes), bytes.length));
            run.lal_default_options();
            this.#set(options);
            run.lal_default_options();
        });
        const all = (get) => Array.from({ length: 99 }, (_, k) => this.#text(get(k))).filter((text) => text !== null);
        this.version = this.#text(this.#run.lal_version_text());
        this.language = this.#text(this.#run.lal_language());
        this.digest = this.#text(this.#run.lal_digest());
        this.formats = all(this.#run.lal_format);
        this.treebanks = all(this.#run.lal_treebank);
    }

    parse(text, { format = 'brackets', onOutput, ...options } = {}) {
        return this.#output(text, format, onOutput, options, (...given) => this.#run.lal_parse(...given));
    }

    split(text, { format = 'lines', onOutput, ...options } = {}) {
        return this.#output(text, format, onOutput, options, (...given) => this.#run.lal_split(...given));
    }

    parseJson(json, { format = 'brackets', onOutput, ...options } = {}) {
        return this.#output(json, format, onOutput, options, (...given) => this.#run.lal_parse_json(...given));
    }

    inspect(json, { page = false, top = 0, flips = false, phrase, arc, onOutput, ...options } = {}) {
        const chosen = phrase ? [1, ...phrase] : arc ? [2, ...arc] : [0, 0, 0];
        return this.#output(json, '', onOutput, options,
            (at, size) => this.#run.lal_inspect(at, size, page, top, flips, ...chosen));
    }

    get memory() {
        return this.#run?.memory.buffer.byteLength ?? 0;
    }

    free() {
        this.#run = null;
    }

    /* The system has a clock and an empty environment; all else fails with EBADF, there is no such file. */
    #imports(module) {
        const wasi = {};
        for (const { module: of, name } of WebAssembly.Module.imports(module)) if (of !== 'lal') wasi[name] = () => 8;
        const view = () => new DataView(this.#run.memory.buffer);
        wasi.clock_time_get = (clock, precision, to) => {
            view().setBigUint64(to, BigInt(Math.round(1e6 * (clock === 0 ? Date.now() : performance.now()))), true);
            return 0;
        };
        wasi.environ_sizes_get = (count, size) => {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return 0;
        };
        wasi.environ_get = () => 0;
        wasi.proc_exit = (status) => { throw new Error(`the program ended with ${status}`); };
        return { wasi_snapshot_preview1: wasi, lal: { write: (at, size) => this.#write(at, size) } };
    }

    /* A fault of the program, as on a full stack, leaves it as it was then: it is not called again. */
    #call(what) {
        if (!this.#run) throw new LalError('argument', 'the parser was freed, or ended by an error');
        try {
            return what(this.#run);
        } catch (error) {
            if (error instanceof WebAssembly.RuntimeError) this.free();
            throw error;
        }
    }

    /* Bytes, or a string as UTF-8, in memory of the program. */
    #put(value) {
        const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
        const at = this.#run.lal_alloc(Math.max(bytes.length, 1));
        if (!at) throw new LalError('memory', `out of memory for ${bytes.length} bytes`);
        new Uint8Array(this.#run.memory.buffer).set(bytes, at);
        return at;
    }

    #bytes(at, size) {
        return new Uint8Array(this.#run.memory.buffer, at, size);
    }

    /* A string of C; NULL is null. */
    #text(at) {
        if (!at) return null;
        const memory = new Uint8Array(this.#run.memory.buffer);
        return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
    }

    #check(status) {
        if (status === 0) return;
        const at = this.#run.lal_error();
        const [, line, column] = new Int32Array(this.#run.memory.buffer, at, 3);
        throw new LalError(CODES[status] ?? 'busy', this.#text(at + 12), line, column);
    }

    #set(options) {
        for (const [name, value] of Object.entries(options)) {
            if (value === undefined || value === null) continue;
            if (name === 'treebank') this.#run.lal_set_treebank(this.#put(`${value}\0`));
            else if (name === 'rules') {
                const text = new TextEncoder().encode(value), at = this.#put(text);
                const status = this.#run.lal_rules(at, text.length);
                this.#run.lal_free(at);
                this.#check(status);
            } else this.#setNumber(name, value);
        }
    }

    #setNumber(name, value) {
        const choices = CHOICES[name], number = choices ? choices.indexOf(value) : Number(value);
        if (choices ? number < 0 : !Number.isInteger(number)) {
            const expected = choices?.join(' or ') ?? 'a whole number';
            throw new LalError('argument', `${name}: found '${value}', expected ${expected}`);
        }
        const at = this.#put(name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase()) + '\0');
        const status = this.#run.lal_option(at, number);
        this.#run.lal_free(at);
        if (status) throw new LalError('argument', `found the option ${name}, expected one of lalparser.d.ts`);
    }

    #output(text, format, onOutput, options, work) {
        return this.#call((run) => {
            const input = typeof text === 'string' ? new TextEncoder().encode(text) : text;
            const decoder = new TextDecoder();
            let output = '';
            this.#write = (at, size) => {
                const more = decoder.decode(this.#bytes(at, size), { stream: true });
                if (onOutput) onOutput(more);
                else output += more;
            };
            const taken = [];
            const put = (value) => (taken.push(this.#put(value)), taken.at(-1));
            try {
                this.#set({ ...this.#options, ...options });
                this.#check(work(put(input), input.length, put(format + '\0')));
            } finally {
                run.lal_default_options();
                taken.forEach(run.lal_free);
            }
            return output;
        });
    }
}

/* ---- a parser in a thread of its own (worker.js) */

export const loadThread = (model, options) => ThreadParser.load(model, options);

class ThreadParser {
    #worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    #calls = new Map(); /* id: { resolve, reject, options } */
    #last = 0;

    constructor() {
        this.#worker.onmessage = ({ data: { id, event, values, result, error, facts } }) => {
            const call = this.#calls.get(id);
            if (event) return call.options[event](...values);
            this.#calls.delete(id);
            Object.assign(this, facts);
            if (error) call.reject(new LalError(error.code, error.message, error.line, error.column));
            else call.resolve(result);
        };
        this.#worker.onerror = (event) => this.#end('io', event.message || 'cannot start worker.js');
    }

    static async load(model, options) {
        const whole = (x) => typeof x === 'string' || x instanceof URL ? String(new URL(x, document.baseURI)) : x;
        const parser = new ThreadParser();
        try {
            await parser.#call('load', whole(model), { ...options, program: whole(options?.program) });
            return parser;
        } catch (error) {
            parser.free();
            throw error;
        }
    }

    #call(name, input, options = {}) {
        if (!this.#worker) return Promise.reject(new LalError('argument', 'the parser was freed'));
        const given = Object.entries(options).map(([key, value]) => [key, typeof value === 'function' ? true : value]);
        return new Promise((resolve, reject) => {
            this.#calls.set(++this.#last, { resolve, reject, options });
            this.#worker.postMessage({ id: this.#last, call: name, given: [input, Object.fromEntries(given)] });
        });
    }

    parse(text, output) {
        return this.#call('parse', text, output);
    }

    split(text, output) {
        return this.#call('split', text, output);
    }

    parseJson(json, output) {
        return this.#call('parseJson', json, output);
    }

    inspect(json, output) {
        return this.#call('inspect', json, output);
    }

    #end(code, message) {
        this.#worker?.terminate();
        this.#worker = null;
        for (const { reject } of this.#calls.values()) reject(new LalError(code, message));
        this.#calls.clear();
    }

    free() {
        this.#end('argument', 'the parser was freed');
    }
}
