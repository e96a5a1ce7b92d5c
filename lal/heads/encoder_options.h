/* What acts on the attention heads of an encoder besides its weights: masks, fixed patterns and guidance of chosen
 * heads, gates, projected attention layers. "encoder_options" of a configuration; docs/OPTIONS.md says what each option
 * does and cites the papers. A model without options is the plain model of the label attention paper.
 *
 * encoder_options.c has the tables and the writer, encoder_options_read.c the reader, encoder_options_check.c and
 * encoder_options_entries.c what must hold between options and model. */
#pragma once

#include "lal/heads/head_analysis.h"
#include "lal/heads/layer_id.h"
#include "lal/heads/pattern.h"

enum { GATED_STACKS = STACK_PAL + 1 }; /* the stacks before this one may have gates */
/* The stacks of a decoder, from STACK_DECODER on, whose heads may have gates, too. */
typedef enum DecoderStack { DECODER_SELF, DECODER_CROSS, DECODER_STACKS } DecoderStack;
static inline HeadStack decoder_stack(DecoderStack stack) { return (HeadStack)(STACK_DECODER + (int)stack); }
/* What a head does with the keys of its patterns: attends to them alone; the same uniformly, without queries and keys;
 * is drawn to them by the loss in training. */
typedef enum HeadUse { USE_MASK, USE_FIXED, USE_GUIDE } HeadUse;
/* The squared distance of a guided head is divided by the rows that take part, by nothing, by rows and keys. */
typedef enum GuidanceNorm { GUIDANCE_ROW, GUIDANCE_FROBENIUS, GUIDANCE_MEAN } GuidanceNorm;
/* A row without a key: target 1 / m; takes no part; target 0. */
typedef enum GuidanceEmptyRow { EMPTY_UNIFORM, EMPTY_SKIP, EMPTY_ZERO } GuidanceEmptyRow;
typedef enum GateKind { GATES_NONE, GATES_HARD_CONCRETE, GATES_FREE, GATES_CONSTANT } GateKind;
typedef enum GateLabelAt { GATES_AT_CONTEXT, GATES_AT_OUTPUT } GateLabelAt;
typedef enum GateEval { GATES_CLIP, GATES_BINARY } GateEval;
typedef enum PalAt { PAL_AT_FF, PAL_AT_ATTENTION } PalAt;

enum { HEAD_ENTRIES_MOST = 256, HEAD_NUMBERS_MOST = 4096, ENTRY_PATTERNS_MOST = 16 };

/* Numbers of layers or of heads, from 0, each once, as they were written. */
typedef struct HeadNumbers {
    bool all; /* item is not used */
    int n;
    const int *item; /* [n] */
} HeadNumbers;

bool head_numbers_has(const HeadNumbers *numbers, int k);
/* Writes the numbers 0 .. all - 1 that `kept` contains to out [all]; with kept NULL, all numbers. Returns the count. */
int head_numbers_left(const HeadNumbers *kept, int all, int *out);

/* One entry of "heads": what the heads of some layers do with a pattern. */
typedef struct HeadEntry {
    HeadStack stack;
    HeadUse use;
    HeadNumbers layers, heads; /* STACK_LABEL: layers are all. Heads have the numbers of the unpruned model */
    const char *const *names;  /* [n_names] patterns as text, at least one */
    int n_names;
    const char *const *labels; /* [heads.n] label_span: the label of head heads.item[k]; else NULL */
    int source;                /* a SyntaxSource; -1: what the pattern says, or syntax.source */
    PatternList patterns;      /* set by encoder_options_check, as is the next; label_span without its label */
    SyntaxSource syntax;       /* where its parse comes from; SYNTAX_NONE: it needs none */
} HeadEntry;

/* Strings and arrays are borrowed. Fields in the order of docs/OPTIONS.md, which has their meaning. */
typedef struct EncoderOptions {
    HeadEntry *heads; /* [n_heads] */
    int n_heads;
    PatternOptions patterns;
    struct {
        int source; /* SyntaxSource but SYNTAX_TREE */
        const char *model, *train_file, *dev_file, *test_file;
        double dropout;
    } syntax;
    struct {
        double alpha0;
        long hold; /* updates */
        int norm, empty_row;
    } guidance;
    struct {
        int kind;
        const char *stacks; /* names of stacks separated by blanks */
        int label_at, eval;
        double lambda, beta, gamma, zeta, log_alpha_init, lr_scale;
        const char *start_from;
        bool freeze_after;
        int patience; /* evaluations */
        /* 0 and 1 for each gated head: self-attention layer by layer, label heads, PAL, decoder, its attention to the
         * source */
        HeadNumbers constant;
    } gates;
    struct {
        HeadNumbers layers, pretrained_layers; /* all, or none: n is 0 */
        int width, heads, at;
        bool share;
        double init_std;
    } pal;
    HeadAnalysis
        analysis; /* "analysis", beside "encoder_options": not read or checked with it, nor part of the model */
} EncoderOptions;

/* Every option but heads and the lists gates.constant, pal.layers and pal.pretrained_layers, over EncoderOptions. A
 * name consists of a section and a key: gates_lambda, for "gates": {"lambda": ...}. The options of "patterns" are
 * PATTERN_OPTIONS, over EncoderOptions.patterns: rel_pos_window, for "patterns": {"rel_pos": {"window": ...}}. Ranges
 * that encoder_options_check knows are wider here. */
extern const Option ENCODER_OPTIONS[];

void encoder_options_defaults(EncoderOptions *options);
/* Is the model the plain one: no entry of heads, no gates, no projected attention layer? */
bool encoder_options_plain(const EncoderOptions *options);
/* Does a mask or a fixed pattern read gold parses? Once checked. */
bool encoder_options_oracle(const EncoderOptions *options);
/* Where masks and fixed patterns have their parses from, all from one source; SYNTAX_NONE: they need none. Once
 * checked.
 * */
SyntaxSource encoder_options_source(const EncoderOptions *options);
/* Do the options name heads or layers of a pretrained encoder? */
bool encoder_options_pretrained(const EncoderOptions *options);
/* Are the heads of a stack gated? */
bool encoder_options_gates(const EncoderOptions *options, HeadStack stack);
static inline bool encoder_options_gates_decoder(const EncoderOptions *options, DecoderStack stack)
{
    return encoder_options_gates(options, decoder_stack(stack));
}

/* Appends the JSON object, with defaults filled in. */
void encoder_options_to_json(const EncoderOptions *options, StrBuf *out);
/* encoder_options_to_json as an object, to be deleted by the caller; NULL when out of memory. */
struct cJSON *encoder_options_json(const EncoderOptions *options);

/* ---- reading and checking */

/* Where values were written, for messages: JSON texts that have a member "encoder_options", of presets and of
 * --encoder-options, a later one replacing values of the ones before. All borrowed. */
enum { ENCODER_ORIGINS_MOST = 2 + OPTION_LIST_MAX };
typedef struct EncoderOrigin {
    struct {
        const char *path, *text;
    } file[ENCODER_ORIGINS_MOST];
    int n;
} EncoderOrigin;

/* Sets values from the JSON object of "encoder_options": a section or key that is not there keeps its value, null gives
 * it the default, a list replaces the list. Strings and arrays are in the arena `memory`. An error has the place in
 * the last file of `from`, and "encoder_options.heads[3].use: " before what was found and expected. ERR_USAGE, or
 * ERR_CONFIG if from is NULL; ERR_NOMEM. */
struct cJSON;
Status encoder_options_read(EncoderOptions *options, const struct cJSON *object, const EncoderOrigin *from,
                            Arena *memory, Error *error);

/* Which parts the texts have that an encoder reads (TextParts): none, a sentence; sentences; and the sides of a gap. */
typedef enum TextShape { TEXT_SENTENCE, TEXT_DOCUMENT, TEXT_GAP } TextShape;

/* What the options must fit. */
typedef struct EncoderShape {
    int n_layers, n_heads; /* self-attention, before pruning */
    int n_label_heads;     /* 0: none */
    bool label_matrix;     /* label heads have a query for each token, so every pattern */
    bool label_combined;   /* label heads are combined, as heads of self-attention are */
    bool lal_pwff;
    /* [layer_count(n_layers)] heads that pruning has left in each layer (LayerId); NULL: all of all */
    const HeadNumbers *kept;
    int n_pretrained_layers, n_pretrained_heads; /* the pretrained encoder; 0: none */
    int n_decoder_layers;                        /* of n_heads each; 0: no decoder */
    const HeadNumbers *decoder_kept;             /* DecoderConfig.kept */
    bool parses; /* a parser, whose first-pass model may have learnt from the same trees */
    TextShape text;
} EncoderShape;

/* Copies the entries into the arena, sets their .patterns and .syntax, and compares the options with one another and
 * with the model. The first error is reported as encoder_options_read does it; ERR_NOMEM. */
Status encoder_options_check(EncoderOptions *options, const EncoderShape *shape, const EncoderOrigin *from,
                             Arena *memory, Error *error);

/* Appends lines on what is allowed but not meant to be overlooked: "ORACLE run: ...", "warning: ...". */
void encoder_options_warnings(const EncoderOptions *options, StrBuf *out);

/* Options that this program reads and checks but does not carry out yet are refused: ERR_CONFIG. The list is in
 * encoder_options.c. */
Status encoder_options_implemented(const EncoderOptions *options, Error *error);
