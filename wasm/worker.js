/* The thread of loadThread (lalparser.js): takes { id, call, given } and answers { id, result, error, facts }, and
 * { id, event, values } of functions that the caller gave. */
import { load } from './lalparser.js';

let parser;

onmessage = async ({ data: { id, call, given: [input, options] } }) => {
    const tell = (event) => (...values) => postMessage({ id, event, values });
    const all = { ...options };
    for (const event of ['onProgress', 'onOutput']) if (all[event]) all[event] = tell(event);
    try {
        let result;
        if (call === 'load') parser = await load(input, all);
        else result = parser[call](input, all);
        const { version, language, digest, formats, treebanks, memory } = parser;
        postMessage({ id, result, facts: { version, language, digest, formats, treebanks, memory } });
    } catch ({ code, message, line, column }) {
        postMessage({ id, error: { code, message, line, column } });
    }
};
