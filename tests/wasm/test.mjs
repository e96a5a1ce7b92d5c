/* test.mjs LAL FOLDER: the parser in WebAssembly (make wasm), in node: its outputs are the bytes that the program LAL
 * writes at the level of processors x86-64, whose kernels add in the same order; errors, memory. FOLDER is the
 * project's. `make test-wasm` runs it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [lal, folder] = process.argv.slice(2).map((path) => resolve(path));
const { load, LalError } = await import(pathToFileURL(`${folder}/build/wasm/lalparser/lalparser.js`));
const read = (name) => readFileSync(`${folder}/${name}`);
const model = (name) => pathToFileURL(`${folder}/models/${name}.lal`);
const genres = readdirSync(`${folder}/tests/english/genres`).filter((name) => name.endsWith('.txt')).sort();
const text = Buffer.concat([...readdirSync(`${folder}/examples`).filter((name) => name.endsWith('.txt')).sort()
    .map((name) => `examples/${name}`), ...genres.map((name) => `tests/english/genres/${name}`), 'docs/PAPERS.md',
    'docs/PYTHON.md', 'docs/INSTALL.md'].map(read));

/* What the program makes of an input. */
const native = (input, command, ...options) => execFileSync(lal, [command, ...options, '-'],
    { input, stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, LAL_CPU: 'x86-64' }, maxBuffer: 2 ** 28,
        encoding: 'utf8' });

async function test(what, body) {
    const began = performance.now();
    await body();
    console.log(`${what}: ${((performance.now() - began) / 1e3).toFixed(1)} s`);
}

/* Are two texts equal? Names the first line that differs. */
function same(found, expected, what) {
    if (found === expected) return;
    const [a, b] = [found.split('\n'), expected.split('\n')], k = a.findIndex((line, n) => line !== b[n]);
    assert.fail(`${what}, line ${k + 1}: found\n${a[k]?.slice(0, 400)}\nexpected\n${b[k]?.slice(0, 400)}`);
}

const fails = (call, code, message) => assert.throws(call, (error) => {
    assert.ok(error instanceof LalError, error.stack);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
});

const small = await load(model('en-small'));

await test('json of a long text', () => {
    const json = small.parse(text, { format: 'json' });
    const tokens = json.split('\n').filter(Boolean).reduce((n, line) => n + JSON.parse(line).tokens.length, 0);
    assert.ok(tokens > 12000, `${tokens} tokens`);
    same(json, native(text, 'parse', '--format', 'json'), 'json');
});

await test('every format, some options, other models', async () => {
    const part = read('examples/search.txt');
    assert.ok(small.formats.length >= 6);
    for (const format of small.formats) {
        same(small.parse(part, { format }), native(part, 'parse', '--format', format), format);
    }
    same(small.parse(part, { format: 'json', kBest: 3, confidence: true, deps: 'model', why: true }),
        native(part, ...'parse --format json --kbest 3 --confidence --deps stanford --why --products int16'.split(' ')),
        'why');
    same(small.parse(part, { treebank: 'ewt', newlines: 'sentence' }),
        native(part, 'parse', '--treebank', 'ewt', '--newline', 'sentence'), 'a treebank');
    same(small.split(part), native(part, 'tokenize'), 'sentences');
    const rules = 'abbreviation Xyz.\n';
    assert.equal(small.split('See Xyz. Then go.'), 'See Xyz .\nThen go .\n');
    assert.equal(small.split('See Xyz. Then go.', { rules }), 'See Xyz. Then go .\n');
    for (const [name, input] of [['en-base', part], ['zh-base', Buffer.from('我喜欢吃苹果。他昨天去了北京。')]]) {
        const other = await load(model(name));
        same(other.parse(input, { format: 'conllu' }),
            native(input, 'parse', '--model', model(name).pathname, '--format', 'conllu'), name);
        other.free();
    }
});

await test('sentences in JSON, and why', () => {
    const lines = small.parse('I saw her duck. It is true.', { format: 'json' });
    assert.equal(small.parseJson(lines), small.parse('I saw her duck. It is true.'));
    const arc = JSON.stringify({ tokens: ['I', 'saw', 'her', 'duck', '.'].map((form, k) => ({ form,
        head: k === 2 ? 3 : null })) });
    assert.match(small.parseJson(arc, { format: 'conllu' }), /\t4\tnmod:poss/);
    const why = small.inspect(lines, { top: 3 }).split('\n').filter(Boolean).map(JSON.parse);
    assert.equal(why.length, 2);
    const page = JSON.parse(small.inspect(lines.split('\n')[0], { page: true, arc: [2, 3] }));
    assert.deepEqual(Object.keys(page), ['overview', 'sentence']);
    fails(() => small.inspect('{'), 'format', /:1:/);
});

await test('strings, pieces of output, defaults', async () => {
    const said = '“Naïve café”—she doesn’t know 😀.';
    assert.equal(small.parse(said), small.parse(new TextEncoder().encode(said)));
    const pieces = [];
    assert.equal(small.parse(text.subarray(0, 20000), { onOutput: (piece) => pieces.push(piece) }), '');
    assert.ok(pieces.length > 1);
    assert.equal(pieces.join(''), small.parse(text.subarray(0, 20000)));
    const lines = await load(readFileSync(model('en-small')), { sentences: 'line' });
    const two = 'No cats. No dogs.\n';
    assert.equal(lines.split(two), 'No cats . No dogs .\n');
    assert.equal(lines.split(two, { sentences: 'find' }), 'No cats .\nNo dogs .\n');
    assert.equal(small.parse(''), '');
    assert.deepEqual([small.language, lines.version], ['en', JSON.parse(read('wasm/package.json')).version]);
});

await test('errors', async () => {
    fails(() => small.parse(new Uint8Array([0x61, 0x0a, 0x62, 0xff])), 'format', /^text:2:2: found/);
    assert.match(small.parse(new Uint8Array([0x61, 0x20, 0xff, 0x0a]), { invalid: 'replace' }), /\ufffd/);
    fails(() => small.parse('a\0b'), 'format', /NUL/);
    fails(() => small.parse('a', { format: 'xml' }), 'argument', /found 'xml', expected/);
    fails(() => small.parse('a', { treebank: 'none' }), 'argument', /none/);
    fails(() => small.parse('a', { deps: 'all' }), 'argument', /^deps: found 'all', expected auto or ud or model/);
    fails(() => small.parse('a', { kbest: 2 }), 'argument', /kbest/);
    fails(() => small.parse('a', { kBest: 'two' }), 'argument', /^kBest: found 'two', expected a whole number/);
    fails(() => small.parse('a', { maxWords: 0 }), 'argument', /max_words/);
    fails(() => small.parse('a', { rules: 'nonsense\n' }), 'format', /1:1/);
    assert.equal(small.parse('It works.'), native('It works.', 'parse'));
    const whole = readFileSync(model('en-small')), bad = Buffer.from(whole);
    bad[5000000] ^= 1;
    for (const [bytes, message] of [[bad, /damaged/], [whole.subarray(0, 100000), /cut off/],
        [Buffer.alloc(0), /empty/], [Buffer.from('<html>'), /a page of HTML/]]) {
        await assert.rejects(load(bytes, { name: 'x.lal' }), (error) => error instanceof LalError &&
            error.code === 'format' && error.message.startsWith('x.lal: ') && message.test(error.message));
    }
    await assert.rejects(load(model('none')), /ENOENT/);
});

await test('from a server', async () => {
    const server = createServer(({ url }, answer) => {
        const name = { '/lal.wasm': 'build/wasm/lalparser/lal.wasm', '/en-small.lal': 'models/en-small.lal' }[url];
        answer.writeHead(name ? 200 : 404, { connection: 'close' });
        answer.end(name && read(name));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${server.address().port}`;
    let received = 0;
    const onProgress = (now) => { received = now; };
    const parser = await load(`${base}/en-small.lal`, { program: `${base}/lal.wasm`, onProgress });
    assert.equal(received, read('models/en-small.lal').length);
    assert.equal(parser.parse('It works.'), small.parse('It works.'));
    await assert.rejects(load(`${base}/none.lal`), { code: 'io', message: /none.lal: found the status 404/ });
    server.close();
    await assert.rejects(load(`${base}/en-small.lal`), { code: 'io', message: /en-small.lal: / });
});

await test('memory stays', async () => {
    const parser = await load(model('en-small'));
    const part = read('examples/search.txt');
    const sizes = [];
    for (let k = 0; k < 200; k++) {
        parser.parse(part, { format: small.formats[k % small.formats.length] });
        if (k % 7 === 0) assert.throws(() => parser.parse('a\0', { treebank: 'ewt', rules: 'x' }));
        sizes.push(parser.memory);
    }
    assert.equal(sizes.at(-1), sizes[20], `${sizes[0]}, ${sizes[20]}, ${sizes.at(-1)} bytes`);
    console.log(`  ${(sizes[0] / 2 ** 20).toFixed(0)} MiB after some sentences, ${(small.memory / 2 ** 20).toFixed(0)
    } after the long text`);
    parser.free();
    assert.equal(parser.memory, 0);
    fails(() => parser.parse('a'), 'argument', /freed/);
});
