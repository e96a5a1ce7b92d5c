/* Parsed sentences as text, where numbers of labels become strings: a table of formats (docs/FORMATS.md). A format is a
 * file, output_NAME.c, and a line of LAL_FORMATS, or of OUTPUT_EACH if the program alone has a use for it. */
#pragma once

#include "include/formats.h"
#include "parser/parse/document.h"
#include "treebank/draw/terminal.h"

/* SOFT needs what a parse has only on request. */
#define OUTPUT_EACH(FORMAT)                                                                     \
    LAL_FORMATS(FORMAT)                                                                         \
    FORMAT(SOFT, "soft",                                                                        \
           "JSON lines with the probabilities of tags, arcs and labelled spans, for lal train " \
           "--soft (docs/FORMATS.md)")

/* The choices of --format, a first one and "|brackets|conllu|...", which are numbered as in OUTPUT_FORMATS from 1, and
 * its help. */
#define OUTPUT_CHOICES_OR(first) first OUTPUT_EACH(LAL_FORMAT_CHOICE)
#define OUTPUT_LINE(NAME, name, about) "; " name ": " about
#define OUTPUT_ABOUT "format of the output" OUTPUT_EACH(OUTPUT_LINE)

/* What a format needs of a parse and takes of the command line. */
enum {
    OUTPUT_NEEDS_PROBABILITY = 1 << 0, /* probabilities of arcs (ParseOptions.arc_probability) */
    OUTPUT_NEEDS_SOFT = 1 << 1,        /* SoftTargets (soft_parse.h); sentences that have none are left out */
    OUTPUT_NEEDS_LEMMAS = 1 << 2,      /* in Sentence */
    OUTPUT_NEEDS_UPOS = 1 << 3,        /* and features in Sentence, if model_ud */
    OUTPUT_NEEDS_ARCS = 1 << 4,        /* if OutputStyle.ud, arcs of Universal Dependencies in Sentence */
    OUTPUT_NEEDS_GRAPH = 1 << 6,       /* if OutputStyle.ud, the enhanced graph in Sentence; all of the three before */
    OUTPUT_TAKES_DEPS = 1 << 5,        /* has dependencies of the kind that OutputStyle.ud says */
    OUTPUT_TAKES_WHY = 1 << 7,         /* WhyNotes on arcs (why_notes.h) */
    OUTPUT_TAKES_WHY_SPANS = 1 << 8,   /* and on phrases */
    OUTPUT_EMPTY_LINES = 1 << 9,       /* a sentence of no words is an empty line; else the format decides */
    OUTPUT_CONTROLS = 1 << 10,         /* replaces control characters itself, because it writes some for a terminal */
    OUTPUT_TAKES_BEST = 1 << 11,       /* Parsed.best: one after the other, but once what is written alike, */
    OUTPUT_BEST_WITHIN = 1 << 12,      /* or all of them as part of the first one */
    OUTPUT_TAKES_CONFIDENCE = 1 << 13, /* Parsed.confidence */
    OUTPUT_HAS_UPOS = 1 << 14,         /* beside tags; of other formats it is the tag where the model's is "_" */
    OUTPUT_LINE_AFTER_BEST = 1 << 15,  /* an empty line comes after the best parses of a sentence */
};

struct Written;

typedef struct OutputFormat {
    int needs;
    /* Appends one sentence. Out of memory sets out->failed. */
    void (*sentence)(StrBuf *out, const struct Written *x);
} OutputFormat;

#define OUTPUT_DECLARE(NAME, name, about) extern const OutputFormat OUTPUT_##NAME;
OUTPUT_EACH(OUTPUT_DECLARE)
extern const OutputFormat *const OUTPUT_FORMATS[]; /* ends with NULL */

/* "conllu", the name of a format of the table. */
const char *output_name(const OutputFormat *format);
/* The one of LAL_FORMATS that has the name, which may be NULL. ERR_RANGE, with the names. */
Status output_find(const char *name, const OutputFormat **format, Error *error);
/* "conllu, conllx or json": the names of the formats with one of these needs. */
void output_names(StrBuf *out, int needs);

/* Members of JSON that may be asked for alone, and bits of OutputStyle.fields. Those called begin and end are the
 * sentence's and the tokens', other members of tokens stand after TOKENS, which is all of them. */
/* clang-format off */
#define OUTPUT_FIELDS(FIELD)                                                                        \
    FIELD(ID, "id") FIELD(DOCUMENT, "document") FIELD(LINE, "line") FIELD(PARAGRAPH, "paragraph")   \
    FIELD(PIECES, "pieces") FIELD(BEGIN, "begin") FIELD(END, "end") FIELD(TEXT, "text")             \
    FIELD(DEPS, "deps") FIELD(CONFIDENCE, "confidence") FIELD(SCORE, "score") FIELD(TREE, "tree")   \
    FIELD(CONSTITUENTS, "constituents") FIELD(KBEST, "kbest") FIELD(TOKENS, "tokens")               \
    FIELD(FORM, "form") FIELD(BYTES, "bytes") FIELD(TAG, "tag") FIELD(LEMMA, "lemma")               \
    FIELD(UPOS, "upos") FIELD(FEATS, "feats") FIELD(HEAD, "head") FIELD(TYPE, "type") FIELD(P, "p") \
    FIELD(ENHANCED, "enhanced") FIELD(WHY, "why")
/* clang-format on */
#define OUTPUT_FIELD(NAME, name) OUTPUT_FIELD_##NAME,
enum { OUTPUT_FIELDS(OUTPUT_FIELD) OUTPUT_FIELDS_N };
/* Sets *fields to the bits, 1u << OUTPUT_FIELD_..., of names that commas separate. ERR_USAGE, with the known names. */
Status output_fields(const char *names, unsigned *fields, Error *error);

typedef struct OutputStyle {
    const OutputFormat *format;
    unsigned fields;        /* of OUTPUT_JSON: the members to write, of constituents all; 0: all */
    Escapes escapes;        /* how words are escaped in brackets and CoNLL-X */
    TerminalStyle terminal; /* for OUTPUT_PRETTY; with neither tree nor arcs, trees in brackets over several lines */
    bool ud; /* dependencies are Universal Dependencies, which model_ud must allow; else the model's relations */
    bool confidence;      /* the confidence of sentences is written (OUTPUT_TAKES_CONFIDENCE) */
    bool why;             /* Parsed.extra has WhyNotes, or is NULL */
    bool keep_tags;       /* of OUTPUT_CONLLU over rows: lemmas, UPOS, tags and features stay as they are there, */
    bool keep_arcs;       /* or heads and their types */
    bool ranges;          /* of OUTPUT_CONLLU: where tokens begin and end in the text, in characters */
    const char *treebank; /* for OUTPUT_SOFT: whose conventions were followed; NULL: unknown */
    const char *scheme;   /* without a model: the name of the dependencies; NULL: not known */
} OutputStyle;

/* Is the member written? */
bool output_has(const OutputStyle *style, int field);
/* What the format needs for the members that are written. */
int output_needs(const OutputStyle *style);

/* Appends one sentence. A sentence of no words is an object without tokens in JSON; nothing in OUTPUT_PRETTY, where an
 * empty line separates sentences, and in OUTPUT_SOFT. Out of memory sets out->failed. model: the model that parsed it;
 * NULL: Parsed.extra, of its best parses too, is the Sentence to write, with all columns, and neither style.ud nor
 * style.why is set. Not for OUTPUT_SOFT. */
void output_sentence(StrBuf *out, const Model *model, const Parsed *parsed, const Origin *origin, OutputStyle style);
/* Appends sentence k of a document, its number `id`, without parsing it: as a line of tokens separated by blanks, or as
 * a line of JSON with the members that do not come from a parse. name: of the document, or NULL. */
void output_split(StrBuf *out, const Document *document, int k, long id, const char *name, bool json);
/* The sentence that the format gets of a parse, with the columns that it needs, in the arena; it borrows from both.
 * model NULL: as in output_sentence. NULL when out of memory. */
Sentence *output_analysed(const Model *model, const Parsed *parsed, const Origin *origin, const OutputStyle *style,
                          Arena *arena);
