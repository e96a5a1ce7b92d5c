/* A text to sentences to trees. A document is read in windows of sentences, so memory does not grow with it; a text in
 * memory and a file of the same text have the same windows, and so the same trees to the last bit. */
#pragma once

#include "language/text_rules.h"
#include "parser/parse/parser.h"

/* Where sentences end. */
typedef enum Sentences {
    SENTENCES_FIND, /* where the language says */
    SENTENCES_LINE, /* at the ends of lines alone */
    SENTENCES_ALL   /* the whole text is one */
} Sentences;

/* How raw text becomes sentences of words. */
typedef struct RawText {
    int language; /* number in LANGUAGES */
    /* what a model has learnt of raw text, in place of the language's segmenter; NULL, or nothing learnt: nothing */
    const TrainedText *learnt;
    Parser *cutter;         /* cuts words once more, between its runs, if its model does that (characters.h); or NULL */
    bool split_hyphens;     /* Language.split_hyphens is called, unless words are given */
    SegmentOptions segment; /* newlines matter where sentences are found */
    Sentences sentences;
    const TextRules *rules; /* of the user's own, or NULL */
    Invalid invalid;        /* bytes that are not UTF-8, of tokens and treebanks, too */
} RawText;

typedef struct DocumentOptions {
    bool tokens; /* a sentence a line with tokens separated by blanks, not raw text */
    RawText raw;
    /* The first windows are as large as later ones: more sentences are parsed at once, the first result comes later. */
    bool large_windows;
    bool utf16;   /* tokens have places in UTF-16 */
    Notes *notes; /* takes what was cut, or NULL */
} DocumentOptions;

/* A text and the window of it that is being parsed. Must not be moved once open. */
typedef struct Document {
    DocumentOptions o;
    TextStream stream;
    TextBlock block; /* the window */
    Arena arena;
    SegmentedText seg; /* its sentences */
    Markup kind;       /* what is left out */
    CutState markup;   /* what is open at the beginning of the window */
    CutState after;    /* at its end */
    bool begun;        /* kind is known */
    bool breaks_off;   /* the window begins with markup that ends a paragraph */
    bool inside;       /* the next window continues a paragraph (or line) that was cut */
    int breaks;        /* with NEWLINES_SENTENCE: line breaks since the last token, 2 at the beginning */
    ParseInput *in;    /* [n] the same sentences */
    int n, in_cap;
    size_t want;  /* bytes of the next window */
    size_t pairs; /* characters before it that are two units in UTF-16 */
} Document;

/* path: a file, or "-" for standard input; kept by reference. ERR_IO. To be closed in any case. */
Status document_open(Document *document, const char *path, DocumentOptions options, Error *error);
/* A text in memory, borrowed until document_close; name stands for its path in messages. */
void document_open_text(Document *document, StrView text, const char *name, DocumentOptions options);
void document_close(Document *document);

/* The sentences of the next window, document->n of them, 0 at the end of the text. Windows grow from a few sentences to
 * some thousands, so that the first result comes soon; where reading on would have to wait, a window is what is
 * complete. A paragraph of more than 1 MiB is cut, and noted: between two sentences, or where a sentence is that long,
 * at white space. ERR_IO, ERR_NOMEM; ERR_FORMAT (a NUL byte or invalid UTF-8, with line and column), after the
 * paragraphs before it. */
Status document_next(Document *document, Error *error);

/* Is there text, and no white space, right after the last token of sentence k of the window? */
bool document_touches_next(const Document *document, int k);

/* The white space that a text begins with. */
StrView document_spaces(StrView text);
/* Origin.after of a sentence of a document with these options. rest: what follows its last token. */
StrView document_spaces_after(DocumentOptions options, StrView rest);

/* Where a sentence comes from; tokens NULL when offsets are not known. */
typedef struct Origin {
    long id;   /* 1-based number of the sentence in the output */
    long line; /* 1-based line it begins on; 0 unknown */
    bool new_paragraph;
    bool touches_next; /* no white space is between its last token and the next sentence */
    StrView after; /* white space after its last token, to the end of a line of the text with one sentence each, or of
                      its paragraph: the first empty line; ptr is NULL if the input is no text */
    const Token *tokens;  /* [n_words] */
    TextBlock block;      /* the text of the tokens */
    const char **spelled; /* [n_words] the words as the treebank spells them, or NULL */
    const Sentence *rows; /* the sentence of a CoNLL file with its lines (SourceOptions.lines), or NULL */
    const char *document; /* the file's name if several are parsed, else NULL */
    const char *file;     /* the file's name; NULL: standard input */
    bool new_document;    /* the first sentence of the file */
} Origin;

/* The tokens of sentence k of the window of a document; NULL: it has none. */
const Token *document_tokens(const Document *document, int k);
/* Sentence k of the window of a document. */
Origin document_origin(const Document *document, int k, long id);

/* Takes sentences from .. to - 1 of the window with their trees, in order, one call at a time, from any thread. They
 * are valid during the call. An error ends the parse. */
typedef Status (*DocumentTake)(void *context, const Document *d, const Parsed *result, int from, int to, Error *e);

/* Parses what is left of an open document, whose words the parser cuts (RawText.cutter). Errors of document_next,
 * parser_run and take; what stands before an error has been taken. */
Status document_run(Document *document, Parser *parser, DocumentTake take, void *context, Error *error);

/* document_run of n documents at once: sentences of several of them are parsed in one batch. take gets the document
 * that the sentences are of. After an error sentences of any document may be missing. */
Status document_run_all(Document *document, int n, Parser *parser, DocumentTake take, void *context, Error *error);

/* Parses a text in memory: document_open_text, document_run and document_close. */
Status document_parse(Parser *parser, StrView text, const char *name, DocumentOptions options, DocumentTake take,
                      void *context, Error *error);
