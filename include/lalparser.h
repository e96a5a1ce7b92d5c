/* lalparser.h
 * English text to phrase structure trees, dependencies, lemmas and Universal Dependencies: the parser as a library.
 *
 *     LalError error;
 *     LalModel *model = lal_model_load("en-small.lal", &error);
 *     LalParser *parser = model ? lal_parser_new(model, NULL, &error) : NULL;
 *     LalResult *result = parser ? lal_parse_text(parser, text, strlen(text), &error) : NULL;
 *     if (!result) fprintf(stderr, "%s\n", error.message);
 *
 * examples/parse.c and examples/conllu.c are whole programs. Compile and link with
 * `pkg-config --cflags --libs lalparser`.
 *
 * Threads. A model is only read: any number of parsers in any number of threads share it. A parser takes one call at
 * a time: give each thread its own parser. A call on a parser that is in use, by another thread or around the
 * function that is called back, fails with LAL_ERROR_BUSY and has no other effect. Results are independent: any
 * thread may read or free them. Models, parsers and results may be freed in any order, a parser not during a call on
 * it: a model is kept in memory until the last of them is freed.
 *
 * Results do not depend on the number of threads, nor on the sentences that are parsed in the same batch, to the bit.
 *
 * Text is UTF-8 without NUL bytes. Offsets count from the beginning of the text: bytes, characters (code points), and
 * units of UTF-16, which other languages index texts by. Indices are 0-based, and ranges exclude their end.
 *
 * Errors are values: a function that can fail returns NULL or a code and fills the LalError it is given, which may
 * be NULL. The library never prints, exits, changes the locale or the environment, or installs signal handlers.
 * Threads it starts end with the call that started them and receive no signals.
 *
 * Versions follow semantic versioning. While the first number is 0, a change of the second one may break programs. */
#ifndef LALPARSER_H
#define LALPARSER_H

#include <stddef.h>

#define LAL_VERSION_MAJOR 0
#define LAL_VERSION_MINOR 3
#define LAL_VERSION_PATCH 0
#define LAL_VERSION "0.3.0"

#if defined(__GNUC__)
#define LAL_API __attribute__((visibility("default")))
#else
#define LAL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library the program runs with, as LAL_VERSION. */
LAL_API const char *lal_version(void);

/* ---- errors */

typedef enum LalStatus {
    LAL_OK = 0,
    LAL_ERROR_MEMORY = 1,   /* an allocation failed */
    LAL_ERROR_IO = 2,       /* a file cannot be read */
    LAL_ERROR_FORMAT = 3,   /* a file that is no model, or a damaged one; a text that is not UTF-8 or has a NUL byte */
    LAL_ERROR_ARGUMENT = 4, /* a NULL pointer or an option outside its range */
    LAL_ERROR_MODEL = 5,    /* a model that contradicts itself */
    LAL_ERROR_LIMIT = 6,    /* a search took more steps than it may; a tree of more than a million nodes */
    LAL_ERROR_NUMERIC = 7,  /* weights that are not finite, or so large that scores are not */
    LAL_ERROR_BUSY = 16,    /* the parser or pattern is in use */
    LAL_STOPPED = 17        /* the function that was called back asked to stop */
} LalStatus;

typedef struct LalError {
    LalStatus code;
    long line, column; /* of a text or a file, from 1; 0 where that does not apply. The column counts bytes. */
    /* What was found and what was expected; "" after success. UTF-8 that a terminal may show: control characters of the
     * words and names that it quotes are "<U+001B>", other bytes "\xff". */
    char message[1400];
} LalError;

/* ---- models */

typedef struct LalModel LalModel;

/* Operands of large matrix products, as --products of lal parse: f32; int16 and int8: whole numbers, weights in 8 bits
 * and activations in 16 or 8, with exact sums; bf16: rounded to 8 bits of precision, where the processor has
 * AVX512-BF16. */
typedef enum LalProducts {
    LAL_PRODUCTS_AUTO = 0, /* int8 for weights that the file has in 8 bits; others bf16 with AVX512-BF16, else f32 */
    LAL_PRODUCTS_F32,
    LAL_PRODUCTS_BF16,
    LAL_PRODUCTS_INT16,
    LAL_PRODUCTS_INT8
} LalProducts;

/* For all parsers of the process, none of which may be in use meanwhile; AUTO at first. LAL_ERROR_ARGUMENT: another
 * value; LAL_ERROR_MODEL: the processor lacks them. Nothing is changed then. */
LAL_API LalStatus lal_set_products(LalProducts products, LalError *error);

/* Loads a model file, and the model of its first pass, if it names one (docs/OPTIONS.md, syntax). Files are distrusted:
 * a damaged or hostile one gives an error. A file of at most 32 MiB, as the models that come with this library have, is
 * copied: what happens to it afterwards does not matter. A larger one stays open and mapped into memory as long as the
 * model or a parser of it exists, so that processes share its memory. It may be replaced by renaming, renamed and
 * removed. If it is overwritten in place, calls on its parsers fail with LAL_ERROR_IO, "the model file was changed
 * while it was read", and no sentence is handed out that was parsed after the change; on network file systems the
 * change may be noticed some seconds late. If it becomes shorter, reading it raises SIGBUS, which ends a process
 * without a handler. NULL: LAL_ERROR_IO (also if the path names a pipe, a device or a folder), _FORMAT, _MODEL,
 * _NUMERIC, _MEMORY, _ARGUMENT. */
LAL_API LalModel *lal_model_load(const char *path, LalError *error);
/* lal_model_load, but files of any size are copied, and neither stay open nor mapped. */
LAL_API LalModel *lal_model_load_copy(const char *path, LalError *error);
/* The model that lal parse would take: the file that the environment variable LAL_MODEL names, else en-small.lal of the
 * data that are installed (`pkg-config --variable=datadir lalparser`). */
LAL_API LalModel *lal_model_default(LalError *error);
/* NULL is ignored, as by all functions that free. Parsers and results of the model stay valid. */
LAL_API void lal_model_free(LalModel *model);

/* The treebanks whose conventions the model can follow (LalOptions.treebank), k from 0; NULL after the last one. Valid
 * as long as the model. */
LAL_API const char *lal_model_treebank(const LalModel *model, int k);
/* The language of the texts that the model reads, as BCP 47 has it: "en", "zh"; NULL: the model file does not say. */
LAL_API const char *lal_model_language(const LalModel *model);
/* The checksum of the model file, 16 hexadecimal digits: another file has another one (but who wants may forge it); ""
 * if there is none. Valid as long as the model. */
LAL_API const char *lal_model_digest(const LalModel *model);

/* A model that comes with lal. */
typedef struct LalShippedModel {
    const char *name;     /* "small": what `lal parse --model` takes */
    const char *file;     /* "en-small.lal" */
    const char *language; /* of its texts: "en", "zh" */
    const char *script;   /* of its texts: "Latin", "Han" */
    const char *about;    /* "English, fast" */
    const char *terms;    /* of its reuse */
} LalShippedModel;
/* The models that come with lal, k from 0, the default first; NULL after the last one. Not all of them need be
 * installed. */
LAL_API const LalShippedModel *lal_models(int k);

/* ---- parsers */

typedef enum LalNewlines {
    LAL_NEWLINES_AUTO = 0,  /* a sentence in chat, lists, headers and verse, nothing where prose is wrapped */
    LAL_NEWLINES_SENTENCE,  /* a sentence */
    LAL_NEWLINES_PARAGRAPH, /* a paragraph */
    LAL_NEWLINES_SPACE      /* nothing */
} LalNewlines;

typedef enum LalMarkup {
    LAL_MARKUP_AUTO = 0, /* what the name of a file says, or the text shows at its beginning, or signs that are
                            unmistakable: of quoted mail, headings, links, code and tables */
    LAL_MARKUP_NONE,     /* nothing */
    LAL_MARKUP_MARKDOWN, /* all of Markdown */
    LAL_MARKUP_HTML,     /* tags, scripts and styles of pages; &amp; is read as & */
    LAL_MARKUP_SRT,      /* numbers, times and tags of subtitles, also of WebVTT */
    LAL_MARKUP_LATEX     /* commands, formulas, figures and tables of LaTeX */
} LalMarkup;

/* Where sentences end. */
typedef enum LalSentences {
    LAL_SENTENCES_FIND = 0, /* they are found */
    LAL_SENTENCES_LINE,     /* at the ends of lines alone */
    LAL_SENTENCES_ALL       /* the whole text is one, up to 1 MiB */
} LalSentences;

/* What the tokens of a text are. */
typedef enum LalTokens {
    LAL_TOKENS_FIND = 0, /* they are found */
    LAL_TOKENS_SPACE     /* what white space separates; nothing is markup, and there are no multiword tokens */
} LalTokens;

/* Hyphenated words of raw text. */
typedef enum LalHyphens {
    LAL_HYPHENS_MODEL = 0, /* as in the treebanks of the model */
    LAL_HYPHENS_SPLIT,     /* split at the hyphens */
    LAL_HYPHENS_KEEP       /* whole */
} LalHyphens;

/* What becomes of bytes of a text that are not UTF-8, and of NUL. */
typedef enum LalInvalid {
    LAL_INVALID_ERROR = 0, /* LAL_ERROR_FORMAT */
    LAL_INVALID_REPLACE,   /* U+FFFD stands for them, as of Python's bytes.decode("utf-8", "replace") */
    LAL_INVALID_SKIP       /* they are left out */
} LalInvalid;

/* Dependencies of lal_parse_text_as. */
typedef enum LalDeps {
    LAL_DEPS_AUTO = 0, /* Universal Dependencies, unless `why` is set or the model has none */
    LAL_DEPS_UD,       /* Universal Dependencies, which rules make of what the model finds (docs/UD.md) */
    LAL_DEPS_MODEL     /* what the model finds and scores: Stanford's */
} LalDeps;

/* Rules of your own for raw text: abbreviations, tokens, where sentences begin and end, as docs/TEXT.md has them. */
typedef struct TextRules LalRules;
/* NULL: LAL_ERROR_IO, _FORMAT, with the line and column, or _MEMORY. */
LAL_API LalRules *lal_rules_load(const char *path, LalError *error);
/* The same from a text in memory. */
LAL_API LalRules *lal_rules_new(const char *text, size_t size, LalError *error);
LAL_API void lal_rules_free(LalRules *rules); /* may be NULL */

typedef struct LalOptions {
    size_t size;      /* of the structure the program was compiled with; lal_options_init sets it */
    int threads;      /* that parse the sentences of one text: 1 to 256; default 1 */
    int batch_tokens; /* in one forward pass: 1 to 1,000,000; default 600 */
    int max_words;    /* longer sentences are parsed in pieces: 1 to 100,000; default 120 */
    int sentences;    /* where they end: a LalSentences; default LAL_SENTENCES_FIND */
    int tokens; /* a LalTokens; default LAL_TOKENS_FIND. With LAL_SENTENCES_LINE an empty line is a sentence, too */
    double max_memory; /* bytes a sentence's chart may take; others are parsed in pieces: 1e6 to 1e300; default 2e9 */
    /* Whose conventions are followed. NULL (default): the model chooses, and tags of addresses, emoji and other signs
     * come from their shape. */
    const char *treebank;
    int newlines; /* what a line break of raw text ends: a LalNewlines; default LAL_NEWLINES_AUTO */
    int markup;   /* what of raw text is left out of sentences: a LalMarkup; default LAL_MARKUP_AUTO */
    /* not 0: LalToken.tag_probability and LalPhrase.probability are computed, and a parse takes 1.6 times as long;
     * default 0 */
    int probabilities;
    /* not 0: LalSentence.phrase_parts and arc_parts are computed; default 0. Exact with LAL_PRODUCTS_F32; with other
     * products the parts are those of the same approximate numbers. LAL_ERROR_MODEL: the model has no label heads that
     * can be explained */
    int contributions;
    int deps; /* of lal_parse_text_as: a LalDeps; default LAL_DEPS_AUTO */
    /* of lal_parse_text_as: not 0: "json" and "conllu" name the label heads that contribute most to each phrase and
     * arc, which are those of the model; not with LAL_DEPS_UD; default 0. LAL_ERROR_MODEL as of `contributions` */
    int why;
    int hyphens; /* a LalHyphens; default LAL_HYPHENS_MODEL */
    int ranges;  /* of lal_parse_text_as: not 0: "conllu" has the place of each token in MISC, "TokenRange=0:4", in
                    characters; default 0 */
    /* Is asked before each batch of sentences, by any thread, one call at a time. Not 0: the call ends with
     * LAL_STOPPED. It may not call functions on the parser, and must return. NULL (default): nothing is asked. */
    int (*stop)(void *context);
    void *stop_context;
    /* not 0: LalSentence.best has up to this number of parses, 0 to 1,000; default 0. lal_parse_text_as writes them as
     * lal parse --kbest does. LAL_ERROR_MODEL: the model does not find phrases and dependencies together */
    int k_best;
    /* not 0: LalSentence.p_tree, expected_f1, calibrated_f1 and expected_las are computed; default 0. lal_parse_text_as
     * writes them as lal parse --confidence does */
    int confidence;
    /* a LalInvalid; default LAL_INVALID_ERROR. Other values repair the text, and offsets count in LalResult.text. A
     * function without a LalResult that succeeds then puts the place of the first such bytes into its LalError, and
     * their number into the message: "text: found bytes that are not UTF-8 in 3 places, replaced by U+FFFD" */
    int invalid;
    /* of raw text; NULL (default): none. Borrowed, by a parser until it has other options or is freed, and shared by
     * any number of parsers */
    const LalRules *rules;
} LalOptions;

/* Fills in the defaults; size is sizeof *options. */
LAL_API void lal_options_init(LalOptions *options, size_t size);

/* The LalMarkup that the name of a file says, README.md, page.html.gz; LAL_MARKUP_AUTO: none. With it a text is read as
 * the file of that name is. */
LAL_API int lal_markup_of(const char *path);

typedef struct LalParser LalParser;

/* A parser takes tens of megabytes: keep it for many texts. options, which are copied, may be NULL: defaults. NULL:
 * LAL_ERROR_ARGUMENT, _MODEL (LalOptions.contributions, k_best), _IO, _MEMORY. */
LAL_API LalParser *lal_parser_new(LalModel *model, const LalOptions *options, LalError *error);
LAL_API void lal_parser_free(LalParser *parser);
/* Other options from the next call on, as lal_parser_new takes them: so one parser serves requests with options of
 * their own. `threads` stays as it was when the parser was made. LAL_ERROR_ARGUMENT, _MODEL, _MEMORY, _BUSY;
 * then all options stay. */
LAL_API LalStatus lal_parser_set_options(LalParser *parser, const LalOptions *options, LalError *error);

/* ---- results */

/* In place of a number of a token or phrase. */
enum { LAL_NONE = -1 };

typedef struct LalToken {
    size_t begin, end;             /* bytes of the text; 0 and 0 from lal_parse_tokens, as are the next four */
    size_t begin_char, end_char;   /* characters of the text */
    size_t begin_utf16, end_utf16; /* units of the text in UTF-16 */
    /* These bytes with a NUL after them, but for what is left out: the line break (and hyphen) of a word that is broken
     * at the end of a line, and markup. With a kind of markup a sign that stands for a character, &amp;, is that
     * character. */
    const char *form;
    const char *tag; /* part of speech; NULL: the model has none */
    /* of the tag among all tags, 0 to 1, before rules for addresses and other signs; -1: not asked for, or not known (a
     * given tag, a sentence in pieces) */
    double tag_probability;
    int head;           /* the token of the sentence it depends on, from 0; LAL_NONE: the root */
    const char *type;   /* the type of this dependency; NULL: the model has no dependencies, and head means nothing */
    double probability; /* of the head among all tokens of the sentence and the root, 0 to 1 */
    /* LalOptions.confidence: share of all parses of the sentence that have this head, 0 to 1; -1: as p_tree */
    double joint_probability;
    int phrase; /* the smallest phrase it is in; LAL_NONE: none */
    /* Made from these by rule (docs/UD.md), as lal parse --format conllu writes them. The rules are for a model of
     * English with tags of the Penn Treebank and Stanford's types; a model that learnt from CoNLL-U predicts all of
     * this; of another model, upos, feats and ud_relation are NULL, and no token is in a multiword. Lemmas do not need
     * these types. */
    const char *lemma;       /* NULL: no tag; or a later piece of a word that is written apart ("with out") */
    const char *upos;        /* "AUX": universal part of speech; NULL: no tag */
    const char *feats;       /* "Case=Nom|Number=Plur": its features, sorted by name; "": none; NULL: no tag */
    int ud_head;             /* as head, in Universal Dependencies v2 */
    const char *ud_relation; /* of that dependency, "nsubj:pass"; NULL: no type, and ud_head means nothing */
    double ud_probability;   /* of that head: the product over the model's dependencies that lead to it */
    int multiword;           /* the multiword token it is in; LAL_NONE: none */
    int glued; /* not 0: no white space, or markup only, is between it and the token before it in its sentence */
} LalToken;

/* A multiword token of Universal Dependencies: tokens without white space between them that are written as one, "do"
 * and "n't". */
typedef struct LalMultiword {
    int begin, end; /* tokens begin .. end - 1 of the sentence, two or more */
    const char *form;
} LalMultiword;

/* An arc of the enhanced graph of Universal Dependencies, in which a token may have several heads: what is shared in
 * coordination, subjects of open complements, antecedents of relative clauses; relations have the prepositions and
 * conjunctions in their names, "obl:in" (docs/UD.md). */
typedef struct LalArc {
    int token; /* of the sentence, from 0 */
    int head;  /* the token it depends on, LAL_NONE: the root */
    const char *relation;
} LalArc;

typedef struct LalPhrase {
    int begin, end; /* tokens begin .. end - 1 of the sentence */
    const char *label;
    int parent;      /* the phrase it is directly in; LAL_NONE: the outermost */
    int first_child; /* the first phrase directly in it; LAL_NONE: it has only tokens */
    int next;        /* the next phrase with the same parent; LAL_NONE: the last one */
    /* Share of all trees, weighted by the exponential of their scores without arcs, that have a phrase here with this
     * label and those directly above and below it over the same tokens. -1: not asked for, or not known (a sentence in
     * pieces). Scores are trained by margins: the numbers rank phrases, they are no frequencies. */
    double probability;
    /* LalOptions.confidence: share of all parses of the sentence that have this phrase, with those over the same
     * tokens, 0 to 1; -1: as p_tree, or the sentence is in pieces */
    double joint_probability;
} LalPhrase;

typedef struct LalSentence {
    const LalToken *tokens;         /* [n_tokens] */
    int n_tokens;                   /* 0: an empty line (LAL_TOKENS_SPACE) */
    const LalPhrase *phrases;       /* [n_phrases] a phrase before those in it, these in the order of the text */
    int n_phrases;                  /* 0: the model has no phrase structure */
    const LalMultiword *multiwords; /* [n_multiwords] in the order of the text */
    int n_multiwords;               /* 0 with LAL_TOKENS_SPACE and from lal_parse_tokens */
    size_t first_token;             /* tokens of the text before the sentence */
    double score;                   /* of the tree, by decoder and grammar; compares trees of one sentence only */
    long line;                      /* of the text where the sentence begins, from 1; 0 from lal_parse_tokens */
    int new_paragraph;              /* not 0: a paragraph begins with it */
    int touches_next;               /* not 0: no white space is between its last token and the next sentence */
    int pieces;                     /* 1; more: too long, parsed in that many pieces and joined by a phrase FRAG */
    /* Contributions of the label heads to the scores of phrases [n_phrases] and of arcs to the heads of tokens
     * [n_tokens] (docs/INTERPRET.md): rows of n_heads + 1 numbers, of head 0, 1, ...; the last one is what no head
     * gave: a row sums to the score. Phrases over the same tokens have one score. NULL: not asked for, or parsed in
     * pieces. */
    const float *phrase_parts;
    const float *arc_parts;
    int n_heads; /* label heads of the model; 0 where both are NULL */
    /* Share of this parse among all parses of the sentence, weighted by the exponential of their scores without the
     * grammar, if best are asked for; -1: not known. Scores of phrases are trained by margins: the numbers rank parses,
     * they are no frequencies, unless the model has weights that lal model calibrate has fitted. */
    double probability;
    /* [n_best] the best parses in falling order of their scores, each with other phrases or heads than the others; the
     * first one is this one. They have no best, no parts and no place: first_token, line, new_paragraph and
     * touches_next are 0. */
    const struct LalSentence *best;
    int n_best; /* 0: not asked for */
    /* LalOptions.confidence: how sure the model is, from the distribution of `probability`; each is -1 where it is not
     * asked for or not known. Of a sentence in pieces: the product of p_tree, means of the others. */
    double p_tree;      /* probability of all phrases and arcs together */
    double expected_f1; /* mean probability of the phrases; a unary chain is one */
    /* expected_f1 and the length through the map that lal model calibrate has fitted; -1 also if the model has none */
    double calibrated_f1;
    double expected_las; /* mean over tokens of the probability of the arc times the probability of its type */
    const char *scheme;  /* name of the dependencies of the model, LalToken.type; NULL: not known */
    /* [n_enhanced] the enhanced graph, by token and then by head: one or more arcs of each token, all of them below the
     * root */
    const LalArc *enhanced;
    int n_enhanced; /* 0: ud_relation is not made by rules */
} LalSentence;

/* Counted from 1; the column counts bytes. */
typedef struct LalPlace {
    long line, column;
} LalPlace;

typedef struct LalResult {
    const LalSentence *sentences; /* [n_sentences] in the order of the text */
    size_t n_sentences;
    size_t n_tokens;         /* of all sentences */
    const LalPlace *invalid; /* [n_invalid] of the text that was given: what LalOptions.invalid replaced or left out */
    size_t n_invalid;
    const char *text; /* [text_size] the text without it, with a NUL after it; NULL: the text that was given */
    size_t text_size;
} LalResult;

/* Parses a text of `size` bytes. Empty lines separate paragraphs; sentences are found within them. A paragraph of more
 * than 1 MiB is cut, between two sentences if possible. text may be NULL
 * where size is 0. NULL: LAL_ERROR_FORMAT with line and column, _NUMERIC, _MEMORY, _ARGUMENT, _BUSY; _IO: the file of
 * the model was changed (lal_model_load). */
LAL_API LalResult *lal_parse_text(LalParser *parser, const char *text, size_t size, LalError *error);

typedef struct LalText {
    const char *text; /* [size] */
    size_t size;
} LalText;

/* lal_parse_text of n texts at once, whose results are the same: sentences of several texts are parsed in one batch,
 * which takes less time where texts are short. Fills results [n], each of them to be freed; after an error they are all
 * NULL, and the message names the text, from 0: "text 3:1:5: found ...". Errors of lal_parse_text. */
LAL_API LalStatus lal_parse_texts(LalParser *parser, const LalText *texts, int n, LalResult **results, LalError *error);

/* Sentences and tokens of a text, without parsing: tokens have places and forms alone, a head of LAL_NONE and NULL in
 * place of tags and types, sentences no phrases and, unless the model has learnt them, no multiword tokens. model:
 * whose language and hyphens they follow, or NULL: English, as en-small. options: newlines, markup, sentences and
 * tokens matter; may be NULL. Errors of lal_parse_text. */
LAL_API LalResult *lal_split_text(const LalModel *model, const LalOptions *options, const char *text, size_t size,
                                  LalError *error);

typedef struct LalWords {
    const char *const *words; /* [n] not empty */
    const char *const *tags;  /* [n] taken instead of predicted ones, or NULL */
    int n;
} LalWords;

/* Parses n sentences whose tokens are known, written as a treebank has them without escapes: "(", "n't", "``". Errors
 * of lal_parse_text; the message names the sentence. */
LAL_API LalResult *lal_parse_tokens(LalParser *parser, const LalWords *sentences, int n, LalError *error);

/* In place of a head that is not given. */
enum { LAL_FREE = -2 };

/* What is known of the n tokens of a sentence before it is parsed (docs/ANNOTATE.md). A zeroed structure: nothing. */
typedef struct LalGiven {
    const int *heads;         /* [n] as LalToken.head, or LAL_FREE; NULL: none are given */
    const char *const *types; /* [n] as LalToken.type, of the heads given; "_": not given; NULL: none are */
    /* [n_phrases] begin, end and label, "_": not given; the other members are not read. By begin, longer ones first; of
     * phrases over the same tokens the outermost first. NULL: phrases are not given */
    const LalPhrase *phrases;
    int n_phrases;
    int more_phrases; /* not 0: the tree may have others too; 0: it has these only, and one over all tokens */
} LalGiven;

/* lal_parse_tokens under given [n] (NULL: nothing is given): the best tree is found that has what is given. Where no
 * projective tree can have all given arcs and phrases, as few of them as possible are left free: the result has others
 * in their places. LAL_ERROR_ARGUMENT too where a head or phrase is outside of its sentence, phrases are not in order,
 * or the model has no dependencies (no phrase structure) and heads (phrases) are given. */
LAL_API LalResult *lal_parse_given(LalParser *parser, const LalWords *sentences, const LalGiven *given, int n,
                                   LalError *error);

LAL_API void lal_result_free(LalResult *result);

/* ---- one sentence after another */

/* Takes a sentence: in the order of the text, one call at a time, from any thread, while other sentences are parsed.
 * The sentence is valid during the call. Not 0: stop. The function must return: neither longjmp nor an exception may
 * leave it. */
typedef int (*LalTake)(void *context, const LalSentence *sentence);

/* lal_parse_text in memory that does not grow with the text; the first sentences come as soon as they are parsed.
 * Returns LAL_OK, LAL_STOPPED, or an error. Before LAL_ERROR_FORMAT, the sentences of the preceding paragraphs are
 * taken. */
LAL_API LalStatus lal_parse_text_each(LalParser *parser, const char *text, size_t size, LalTake take, void *context,
                                      LalError *error);

/* lal_parse_text_each for a file of any length, "-" for standard input: a paragraph that comes through a pipe is parsed
 * as soon as it is complete. LAL_ERROR_IO also where the file cannot be read. */
LAL_API LalStatus lal_parse_file_each(LalParser *parser, const char *path, LalTake take, void *context,
                                      LalError *error);

/* ---- in a format */

/* Takes the next bytes. Not 0: stop. */
typedef int (*LalWrite)(void *context, const char *bytes, size_t size);

/* The name of format k, from 0; NULL after the last one: "brackets", "conllu", "conllx", "json", "pretty", "svg"
 * (docs/FORMATS.md). */
LAL_API const char *lal_formats(int k);

/* lal_parse_text_each, written as `lal parse --format FORMAT` writes a file. Some sentences at a time; a call of
 * `write` has whole ones. LAL_ERROR_ARGUMENT: another format. */
LAL_API LalStatus lal_parse_text_as(LalParser *parser, const char *text, size_t size, const char *format,
                                    LalWrite write, void *context, LalError *error);

/* Columns of CoNLL-U. */
enum {
    LAL_COLUMNS_TAGS = 1, /* LEMMA, UPOS, XPOS and FEATS */
    LAL_COLUMNS_ARCS = 2  /* HEAD and DEPREL */
};

/* Parses the sentences of CoNLL-U (docs/FORMATS.md), and writes these columns, a sum of LAL_COLUMNS_..., over them, as
 * `lal parse --input conll --format conllu` does: comments, ranges, empty nodes and all other columns stay as they
 * are. Heads are not read and need not form a tree. A sentence whose words all have XPOS is parsed with these tags
 * where LAL_COLUMNS_TAGS is not among the columns. LAL_ERROR_FORMAT with line and column, before anything is
 * written. */
LAL_API LalStatus lal_parse_conllu_as(LalParser *parser, const char *text, size_t size, int columns, LalWrite write,
                                      void *context, LalError *error);

/* lal_parse_text_as of sentences in JSON, one on each line, as `lal parse --input json` reads them
 * (docs/ANNOTATE.md): words, and what is known of each sentence: tags, if all tokens have one, heads, types, phrases,
 * and what the parse must not have. The best tree is found that has all of it. LAL_ERROR_FORMAT with the line, before
 * anything is written. */
LAL_API LalStatus lal_parse_json_as(LalParser *parser, const char *json, size_t size, const char *format,
                                    LalWrite write, void *context, LalError *error);

/* A sentence of a result as lal_parse_text_as writes it, its number in the text from 1; lal_string_free frees it. text
 * [size]: what was parsed or split; NULL: words are written with blanks between them, as those of lal_parse_tokens.
 * options: deps, ranges, sentences, tokens and newlines matter; may be NULL. For "brackets" a sentence may be made by
 * hand: forms, tags and phrases with begin, end and label count. NULL: LAL_ERROR_ARGUMENT, another format, a sentence
 * outside of the text, or LAL_DEPS_UD and it has none; _MEMORY. */
LAL_API char *lal_sentence_as(const LalSentence *sentence, long number, const char *text, size_t size,
                              const char *format, const LalOptions *options, LalError *error);
LAL_API void lal_string_free(char *string);

/* lal_split_text, written as `lal tokenize --format FORMAT` writes a file: "lines" or "json". */
LAL_API LalStatus lal_split_text_as(const LalModel *model, const LalOptions *options, const char *text, size_t size,
                                    const char *format, LalWrite write, void *context, LalError *error);

/* ---- why */

enum { LAL_CHOSEN_NONE = 0, LAL_CHOSEN_PHRASE, LAL_CHOSEN_ARC };

/* All members but size may be 0: the defaults. */
typedef struct LalInspectOptions {
    size_t size; /* of the structure the program was compiled with */
    int page;    /* not 0: {"overview": ..., "sentence": ...}, the documents of lal inspect --html */
    int top;     /* heads of each decision, by decreasing contribution; 0: 5. Pages have their own number */
    int flips;   /* not 0: also what would change the decision of the first contrast */
    /* A decision that is set against the best parse that decides otherwise: an LAL_CHOSEN_... and the tokens begin ..
     * end - 1 of a phrase, or of an arc its dependent and its head, LAL_NONE for the root; else the least certain
     * one. */
    int chosen, begin, end;
} LalInspectOptions;

/* Writes, for each sentence of lal_parse_json_as, a line of JSON that says why the parser decided so, as `lal inspect
 * --what all --words` does (docs/INTERPRET.md); a call of `write` has one. A sentence in pieces is not explained.
 * options may be NULL. Errors of lal_parse_json_as; LAL_ERROR_MODEL: the model has no label heads. */
LAL_API LalStatus lal_inspect_json(LalParser *parser, const char *json, size_t size, const LalInspectOptions *options,
                                   LalWrite write, void *context, LalError *error);

/* ---- search */

/* What finds phrases and words in sentences (docs/SEARCH.md): a pattern of Tregex, over trees, of Semgrex, over
 * dependencies, or of both. It is compiled once, and searches one thing after another:
 *
 *     const LalFound *found;
 *     LalPattern *pattern = lal_pattern_compile("NP=np << PP", NULL, &error);
 *     if (pattern) lal_search_sentences(pattern, result->sentences, result->n_sentences, &error);
 *     while (pattern && (found = lal_search_next(pattern, &error)))
 *         for (int k = 0; k < found->n_matches; k++) puts(found->matches[k].node.text);
 *
 * A pattern takes one call at a time, as a parser does: give each thread its own. It needs no model. */
typedef struct LalPattern LalPattern;

typedef enum LalPatternKind {
    LAL_PATTERN_AUTO = 0, /* Semgrex if it begins with a brace, after brackets and signs; else Tregex */
    LAL_PATTERN_TREGEX,
    LAL_PATTERN_SEMGREX
} LalPatternKind;

/* The graph that Semgrex searches in a sentence that has two. */
typedef enum LalGraph {
    LAL_GRAPH_AUTO = 0, /* the enhanced graph, else each token and its head */
    LAL_GRAPH_ENHANCED,
    LAL_GRAPH_BASIC
} LalGraph;

/* All members but size may be 0: the defaults. Strings are copied. */
typedef struct LalPatternOptions {
    size_t size; /* of the structure the program was compiled with */
    int kind;    /* a LalPatternKind */
    /* A pattern of Semgrex beside one of Tregex. Their matches in a sentence are joined: a name that both have is a
     * phrase and the token that heads it. */
    const char *semgrex;
    const char *where; /* conditions on the nodes that the patterns name: "n.p < 0.6 and n.words > 4" */
    const char *heads; /* head finder of Tregex, by CoreNLP's name; NULL: "CollinsHeadFinder" */
    const char *top;   /* the label above all phrases of a LalSentence; NULL: "TOP" */
    int ignore_case;   /* of Semgrex: not 0: words and tags in any case */
    int graph;         /* that Semgrex searches: a LalGraph */
    int deps;          /* of a LalSentence: a LalDeps; LAL_DEPS_AUTO: the model's own where `where` asks about
                              label heads, else Universal Dependencies, if there are any */
    int repeats;       /* not 0: ":: uniq" of Semgrex has no effect; 0: it counts all that the pattern searches */
    long most_steps;   /* nodes that each pattern tries in a sentence; more: LAL_ERROR_LIMIT; 0: any number. A
                              million of them take some hundredths of a second, more with regular expressions */
    long most_matches; /* of a sentence; others are not looked for; 0: all */
} LalPatternOptions;

/* Reads a pattern, or with options->semgrex two. options may be NULL. NULL: LAL_ERROR_FORMAT, the message has the
 * column, "pattern:1:4: found ..., expected ...", or "where:1:4: ..."; _LIMIT: nested too deeply; _ARGUMENT,
 * _MEMORY. */
LAL_API LalPattern *lal_pattern_compile(const char *pattern, const LalPatternOptions *options, LalError *error);
LAL_API void lal_pattern_free(LalPattern *pattern);

/* Begins to search sentences, which must stay as long as lal_search_next gives any. Probabilities and label heads, if
 * conditions ask for them, are there with LalOptions.confidence and contributions. A sentence without phrases or
 * without the dependencies that a pattern asks about has no matches. LAL_ERROR_ARGUMENT, _BUSY. */
LAL_API LalStatus lal_search_sentences(LalPattern *pattern, const LalSentence *sentences, size_t n_sentences,
                                       LalError *error);
/* Begins to search a text of trees or dependencies, which must stay: format "brackets", labels as they stand, for
 * Tregex; "conllu", for Semgrex; "json", lines of lal parse, for both. LAL_ERROR_ARGUMENT: another format, or not that
 * of the pattern; _FORMAT: not UTF-8; _BUSY. */
LAL_API LalStatus lal_search_text(LalPattern *pattern, const char *text, size_t size, const char *format,
                                  LalError *error);

/* A node of a match: of the tree, of the graph, or, of joined patterns, of both. */
typedef struct LalNode {
    const char *name;  /* in the pattern; NULL: of LalMatch.node */
    int node;          /* of the tree, from 0: the top, then phrases, tags and words, each before what is in it;
                         LAL_NONE: not of the tree */
    int phrase;        /* LalSentence.phrases; LAL_NONE: a tag, a word, the top, or not of a LalSentence */
    int token;         /* of the graph, from 0; LAL_NONE: not of the graph, or an empty node */
    const char *id;    /* of the graph: "5", or "8.1", an empty node; NULL: not of the graph */
    int begin, end;    /* tokens begin .. end - 1; of an empty node alone, both are the token that it stands before */
    const char *label; /* of the tree; else the tag; NULL: not known */
    const char *text;  /* its tokens, with blanks where the text has them */
    /* offsets in the text, as in LalToken; each pair is 0 and 0 where it is not known */
    size_t begin_byte, end_byte, begin_char, end_char, begin_utf16, end_utf16;
} LalNode;

/* A variable of Tregex, %name, or a relation that Semgrex names, and what it is. */
typedef struct LalVariable {
    const char *name;
    const char *value;
} LalVariable;

/* An edge that Semgrex names. */
typedef struct LalEdge {
    const char *name;
    const char *relation;
    const char *governor; /* as LalNode.id */
    const char *dependent;
} LalEdge;

typedef struct LalMatch {
    LalNode node;                 /* what the pattern begins with; of joined patterns, what each begins with */
    const LalNode *named;         /* [n_named] those that are set, in the order of the pattern */
    const LalVariable *variables; /* [n_variables] as those */
    const LalVariable *relations; /* [n_relations] */
    const LalEdge *edges;         /* [n_edges] */
    int n_named, n_variables, n_relations, n_edges;
} LalMatch;

/* A sentence that was searched. */
typedef struct LalFound {
    size_t sentence;          /* its number, from 0 */
    long line;                /* of the text where it begins, from 1; 0: not known */
    const char *text;         /* its tokens, with blanks where the text has them, or what JSON and CoNLL-U say */
    const char *const *words; /* [n_words] its tokens; trees of a text have traces among them */
    int n_words;
    const LalMatch *matches; /* [n_matches] Tregex: as CoreNLP orders them; Semgrex: in the order of the text */
    int n_matches;
} LalFound;

/* The next sentence, with or without matches; valid until the next call on the pattern but lal_search_tree. NULL with
 * the code LAL_OK: there is no other one. NULL with another code ends the search: LAL_ERROR_LIMIT, also where one
 * regular expression takes too long; _FORMAT with line and column, _MEMORY, _ARGUMENT, _BUSY. */
LAL_API const LalFound *lal_search_next(LalPattern *pattern, LalError *error);

/* LalNode.node of the last LalFound in brackets; lines not 0: over several lines, as CoreNLP has trees; else on one.
 * A word is without brackets. lal_string_free frees it. NULL: LAL_ERROR_ARGUMENT, not a node of the tree; _MEMORY,
 * _BUSY. */
LAL_API char *lal_search_tree(LalPattern *pattern, int node, int lines, LalError *error);

#ifdef __cplusplus
}
#endif

#endif
