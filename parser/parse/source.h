/* Reads sentences to parse from raw text, tokens or a treebank, window by window, in memory that does not grow with the
 * file. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/parse/document.h"
#include "parser/parse/given.h"

typedef enum InputKind { INPUT_TEXT, INPUT_TOKENS, INPUT_CONLL, INPUT_BRACKETS, INPUT_JSON } InputKind;
#define INPUT_CHOICES "text|tokens|conll|brackets|json"
#define INPUT_ABOUT                                                                                      \
    "text: raw text; tokens: a sentence on each line, tokens separated by blanks; conll, brackets: the " \
    "words and tags of a treebank file; json: those of lines of lal parse --format json"
/* Is input of this kind a treebank, with tags? */
bool source_is_treebank(InputKind kind);

/* Whether phrases are given, and whether the tree may have more of them. */
typedef enum GivenPhrases { PHRASES_PREDICTED, PHRASES_GIVEN, PHRASES_PARTIAL } GivenPhrases;

typedef struct SourceOptions {
    InputKind kind;
    bool tags;            /* the tags of a treebank go into the input */
    bool parses;          /* its trees and dependencies do, too (ParseInput.parse) */
    bool arcs;            /* the arcs of a treebank, CoNLL or JSON, are given to the parser (ParseInput.given) */
    bool types;           /* and their types */
    GivenPhrases phrases; /* whether the phrases of brackets or JSON are given, too */
    RawText raw;          /* how INPUT_TEXT is read */
    bool spelling;        /* sentences of a treebank keep how it spells their words (Sentence.spelled) */
    bool lines;           /* sentences of CoNLL keep their lines (Sentence.lines) */
    const char *deps;     /* a CoNLL file or head rules for the trees of a treebank (corpus_open), or NULL */
    Notes *notes;         /* receives notes on cut or skipped input, or NULL */
    Notes *unread;        /* of a treebank: ReaderOptions.unread */
} SourceOptions;

/* An input file and the window of it that is being parsed. Must not be moved once open. */
typedef struct Source {
    const char *path;
    SourceOptions o;
    Document text;        /* open for text and tokens */
    CorpusReader corpus;  /* open for treebanks; its sentences are gold */
    const Sentence *gold; /* [n] sentences of a treebank, else NULL */
    ParseInput *gold_in;  /* [n] gold as input */
    Given *given;         /* [n] what is given of the sentences */
    int gold_cap, given_cap;
    size_t want;          /* bytes of the next window of a treebank */
    const ParseInput *in; /* [n] the window */
    int n;
} Source;

/* path must outlive the source. ERR_IO, ERR_FORMAT, ERR_NOMEM. source_close must be called in any case. */
Status source_open(Source *source, const char *path, SourceOptions options, Error *error);
void source_close(Source *source);

/* The sentences of the next window, source->n of them, 0 at the end of the file: of text as document_next has them, of
 * a treebank in windows that grow likewise. ERR_IO, ERR_FORMAT with line and column, ERR_NOMEM. */
Status source_next(Source *source, Error *error);

/* After the first window of raw text or tokens: which treebank the file looks like (format_suspect); INPUT_TEXT in
 * other cases. */
InputKind source_suspect(const Source *source);

/* The line of word `word` (0-based) of sentence k; else the line of the sentence. */
long source_word_line(const Source *source, int k, int word);

/* The origin of sentence k of the window; id is its number in the output. */
Origin source_origin(const Source *source, int k, long id);

/* The share of the file that has been read, 0 to 1; 0 when its size is not known. */
double source_progress(const Source *source);
