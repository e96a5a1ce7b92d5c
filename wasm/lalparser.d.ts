/* The parser in WebAssembly: text to phrase structure trees, dependencies and Universal Dependencies. One thread, no
 * files, nothing leaves the machine. */

/* docs/FORMATS.md */
export type Format = 'brackets' | 'conllu' | 'conllx' | 'json' | 'pretty' | 'svg';

/* As LalOptions of include/lalparser.h, which says what they do; undefined is the default. */
export interface Options {
    newlines?: 'auto' | 'sentence' | 'paragraph' | 'space';
    markup?: 'auto' | 'none' | 'markdown' | 'html' | 'srt' | 'latex';
    sentences?: 'find' | 'line' | 'all';
    tokens?: 'find' | 'space';
    deps?: 'auto' | 'ud' | 'model';
    hyphens?: 'model' | 'split' | 'keep';
    /* What becomes of bytes that are not UTF-8, and of NUL. */
    invalid?: 'error' | 'replace' | 'skip';
    /* The text of a file of rules (docs/TEXT.md). */
    rules?: string;
    /* One of Parser.treebanks. */
    treebank?: string;
    confidence?: boolean;
    why?: boolean;
    ranges?: boolean;
    kBest?: number;
    batchTokens?: number;
    maxWords?: number;
}

/* A text is a string, or its bytes in UTF-8. */
export type Text = string | Uint8Array;

export interface Output<F extends string> extends Options {
    format?: F;
    /* Takes the output as it is made, some sentences at a time; then the result is ''. */
    onOutput?: (text: string) => void;
}

/* LalInspectOptions. */
export interface Inspection extends Output<never> {
    page?: boolean;
    top?: number;
    flips?: boolean;
    /* The decision that is set against the best parse that decides otherwise: a phrase of tokens begin .. end - 1, or
     * the arc of a dependent to its head, -1 for the root; else the least certain one. */
    phrase?: [begin: number, end: number];
    arc?: [dependent: number, head: number];
}

export interface Loading extends Options {
    /* lal.wasm, its URL or itself compiled; otherwise it is beside this module. It is compiled once for all parsers. */
    program?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module;
    /* Bytes of the model that have come, and how many there are, 0 where the server does not say. */
    onProgress?: (received: number, total: number) => void;
    /* Of the model in messages; otherwise the end of its URL. */
    name?: string;
}

/* The library's error. code: 'memory', 'io', 'format', 'argument', 'model', 'limit', 'numeric', 'busy'; line and column
 * (in bytes) of the text, from 1, or 0 where there is none. */
export class LalError extends Error {
    readonly code: string;
    readonly line: number;
    readonly column: number;
}

export interface Parser {
    readonly version: string;
    /* Of the texts that the model reads, "en"; null: the model does not say. */
    readonly language: string | null;
    readonly digest: string;
    readonly formats: Format[];
    readonly treebanks: string[];
    /* Bytes of memory that it has taken; they do not become fewer until it is freed. */
    readonly memory: number;
    /* What `lal parse --format FORMAT` writes; 'brackets' unless a format is named. */
    parse(text: Text, output?: Output<Format>): string;
    /* Sentences and tokens alone, as `lal tokenize` writes them. */
    split(text: Text, output?: Output<'lines' | 'json'>): string;
    /* Sentences in JSON, one on each line, as `lal parse --input json` reads them (docs/ANNOTATE.md): words and what is
     * known of each sentence. */
    parseJson(json: Text, output?: Output<Format>): string;
    /* Why it decided so: a line of JSON for each such sentence, as `lal inspect --what all --words` writes it
     * (docs/INTERPRET.md). */
    inspect(json: Text, inspection?: Inspection): string;
    /* It cannot be used after this. */
    free(): void;
}

/* A parser of a model: its bytes, or its URL. The options are those of all calls that have no others. */
export function load(model: string | URL | ArrayBuffer | Uint8Array, options?: Loading): Promise<Parser>;

/* The same in a thread of its own, so that a page goes on while it works. */
export interface ThreadParser extends Omit<Parser, 'parse' | 'split' | 'parseJson' | 'inspect' | 'memory'> {
    parse(text: Text, output?: Output<Format>): Promise<string>;
    split(text: Text, output?: Output<'lines' | 'json'>): Promise<string>;
    parseJson(json: Text, output?: Output<Format>): Promise<string>;
    inspect(json: Text, inspection?: Inspection): Promise<string>;
    /* As of the end of the last call. */
    readonly memory: number;
    /* Ends the thread, also in the middle of a call, whose promise is rejected. */
    free(): void;
}

/* Browsers only. */
export function loadThread(model: string | URL | ArrayBuffer | Uint8Array, options?: Loading): Promise<ThreadParser>;
