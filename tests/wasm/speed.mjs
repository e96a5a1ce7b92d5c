/* speed.mjs LAL ROUNDS TEXT: processor seconds for the trees of a text with en-small: of the parser in WebAssembly in
 * node, without its start, and of the program LAL at the level x86-64 and at the best one of the machine; the least of
 * the rounds, which are taken in turn. Run where the project is. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [lal, rounds, name] = process.argv.slice(2);
const { load } = await import(pathToFileURL(resolve('build/wasm/lalparser/lalparser.js')));
const text = readFileSync(name);
const parser = await load(pathToFileURL(resolve('models/en-small.lal')));

const program = (level) => {
    const command = `LAL_CPU=${level} "$0" parse -m small -q --threads 1 "$1" >/dev/null; times`;
    const [, minutes, seconds] = execFileSync('sh', ['-c', command, lal, name], { encoding: 'utf8' }).split('\n')[1]
        .match(/^(\d+)m([\d.]+)s/);
    return 60 * minutes + Number(seconds);
};

const page = () => {
    const before = process.cpuUsage();
    parser.parse(text);
    return process.cpuUsage(before).user / 1e6;
};

const best = { WebAssembly: [], 'x86-64': [], 'best level': [] };
for (let k = 0; k < Number(rounds); k++) {
    best.WebAssembly.push(page());
    best['x86-64'].push(program('x86-64'));
    best['best level'].push(program(''));
}
const words = parser.split(text).split(/\s+/).length - 1;
for (const [what, seconds] of Object.entries(best)) {
    const least = Math.min(...seconds);
    console.log(`${what}: ${least.toFixed(2)} s, ${Math.round(words / least)} words/s`);
}
console.log(`${(parser.memory / 2 ** 20).toFixed(0)} MiB`);
