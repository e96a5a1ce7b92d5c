/* The two tables of options, what the network and encoder options need of them, and presets,
 * each of which may build on one other. */
#include "parser/model/config.h"

#include <string.h>

#include "base/file.h"
#include "base/json_file.h"
#include "base/suggest.h"
#include "lal/decoder.h"
#include "language/all/languages.h"

#define M(name) offsetof(ModelConfig, name)
#define T(name) offsetof(TrainConfig, name)

const Option CONFIG_MODEL_OPTIONS[] = {
    { "language", OPT_ENUM, M(language), NULL, 0, 0, LANGUAGE_CHOICES, LANGUAGE_ABOUT },
    { "d_model", OPT_INT, M(d_model), "256", 2, 65536, NULL, "width of a token vector, content and position together" },
    { "n_layers", OPT_INT, M(n_layers), "3", 0, 47, NULL, "self-attention layers before the label attention layer" },
    { "n_heads", OPT_INT, M(n_heads), "8", 1, 1024, NULL, "self-attention heads of each layer" },
    { "d_kv", OPT_INT, M(d_kv), "32", 1, 4096, NULL, "width of the queries, keys and values of a self-attention head" },
    { "d_ff", OPT_INT, M(d_ff), "512", 2, 1048576, NULL, "hidden width of the feed-forward layers" },
    { "n_positions", OPT_INT, M(n_positions), "300", 1, 1048576, NULL,
      "rows of the position table; positions of longer sentences wrap around" },
    { "layers", OPT_ENUM, M(layers), "lal", 0, 0, "lal|plain", /* as MODEL_LAYERS_LAL, MODEL_LAYERS_PLAIN */
      "lal: layers and embeddings of the parser; plain: those of Vaswani et al. (2017), words and sinusoids of their "
      "positions, which models that translate have" },
    { "partitioned", OPT_BOOL, M(partitioned), "true", 0, 0, NULL,
      "separate weights for content and position in attention and feed-forward" },
    { "fold", OPT_BOOL, M(fold), "false", 0, 0, NULL,
      "the model sees typographic quotes, apostrophes and hyphens as the Penn Treebank spells them" },
    { "split_hyphens", OPT_BOOL, M(split_hyphens), "false", 0, 0, NULL,
      "hyphenated words of raw text are split at the hyphens; set by the training files" },
    { "use_words", OPT_BOOL, M(use_words), "true", 0, 0, NULL, "word embeddings as input" },
    { "use_tags", OPT_BOOL, M(use_tags), "false", 0, 0, NULL, "tag embeddings as input" },
    { "use_treebank", OPT_BOOL, M(use_treebank), "false", 0, 0, NULL,
      "an embedding of the sentence's treebank as input" },
    { "use_chars", OPT_ENUM, M(use_chars), "none", 0, 0, "none|lstm", "character encoder as input" },
    { "d_char", OPT_INT, M(d_char), "32", 1, 4096, NULL, "width of a character embedding" },
    { "affix_buckets", OPT_INT, M(affix_buckets), "0", 0, 1048576, NULL,
      "rows of each table of hashed prefixes, suffixes and shapes; 0: no tables" },
    { "word_min_count", OPT_INT, M(word_min_count), "1", 1, 1000000, NULL,
      "words with fewer occurrences in training have no row of their own" },
    { "d_vectors", OPT_INT, M(d_vectors), "0", 0, 4096, NULL, "width of static word vectors; set by --vectors" },
    { "pretrained_layers", OPT_INT, M(pretrained_layers), "0", 0, PRETRAINED_LAYERS_MOST, NULL,
      "layers of the pretrained encoder that are used, from the lowest; 0: all" },
    { "pretrained_d_ff", OPT_INT, M(pretrained_d_ff), "0", 0, 1048576, NULL,
      "hidden width of the feed-forward layers of the pretrained encoder, which keep the N units that matter most; 0: "
      "that of the encoder" },
    { "pretrained_pieces", OPT_ENUM, M(pretrained_pieces), "last", 0, 0, "last|first|mean",
      "which of a word's pieces give its vector from the pretrained encoder" },
    { "pretrained_mix", OPT_BOOL, M(pretrained_mix), "false", 0, 0, NULL,
      "learn a factor for each layer of the pretrained encoder, instead of using the last one alone" },
    { "use_lal", OPT_BOOL, M(use_lal), "true", 0, 0, NULL, "label attention layer" },
    { "lal_pwff", OPT_BOOL, M(lal_pwff), "true", 0, 0, NULL, "feed-forward layer after the label attention layer" },
    { "lal_resdrop", OPT_BOOL, M(lal_resdrop), "false", 0, 0, NULL,
      "residual dropout inside the label attention layer" },
    { "lal_q_as_matrix", OPT_BOOL, M(lal_q_as_matrix), "false", 0, 0, NULL,
      "queries of label heads from every token, instead of one query vector for each head" },
    { "lal_partitioned", OPT_BOOL, M(lal_partitioned), "true", 0, 0, NULL,
      "separate weights of label heads for content and position" },
    { "lal_combine_as_self", OPT_BOOL, M(lal_combine_as_self), "false", 0, 0, NULL,
      "combine label heads as self-attention combines its heads" },
    { "lal_own_reduce", OPT_BOOL, M(lal_own_reduce), "false", 0, 0, NULL,
      "a projection for each label head, instead of one for all" },
    { "lal_uniform", OPT_BOOL, M(lal_uniform), "false", 0, 0, NULL,
      "label heads attend to all words alike, without queries" },
    { "lal_form", OPT_ENUM, M(lal_form), "words", 0, 0, "words|phrases|both", /* as LAL_WORDS and so on */
      "what label heads of a parser are for; words: their view of the sentence is added to each word, as in the paper; "
      "phrases: their attention inside a phrase is read by the span scorer" },
    { "lal_arcs", OPT_BOOL, M(lal_arcs), "false", 0, 0, NULL,
      "the attention of label heads between two words is read by the arc scorer, too" },
    { "lal_linked", OPT_BOOL, M(lal_linked), "false", 0, 0, NULL,
      "each category of phrases has a label head of its own, to which --link-weight links it" },
    { "lal_d_phrase", OPT_INT, M(lal_d_phrase), "4", 1, PHRASE_VALUES_MOST, NULL,
      "values of a label head inside phrases" },
    { "n_label_heads", OPT_INT, M(n_label_heads), "112", 1, 4096, NULL, "number of label heads" },
    { "lal_d_kv", OPT_INT, M(lal_d_kv), "64", 1, 4096, NULL, "width of the queries, keys and values of a label head" },
    { "lal_d_proj", OPT_INT, M(lal_d_proj), "64", 2, 1024, NULL, "output width of a label head" },
    { "d_label_hidden", OPT_INT, M(d_label_hidden), "250", 2, 65536, NULL, "hidden width of the span scorer" },
    { "d_arc", OPT_INT, M(d_arc), "1024", 1, 65536, NULL, "width of the arc scorer" },
    { "d_type", OPT_INT, M(d_type), "250", 1, 4096, NULL, "width of the type scorer" },
    { "d_tag_hidden", OPT_INT, M(d_tag_hidden), "0", 0, 65536, NULL, "hidden width of the tagger; 0: no tagger" },
    { "type_given_head", OPT_BOOL, M(type_given_head), "false", 0, 0, NULL,
      "score dependency types given the chosen head" },
    { "trees", OPT_BOOL, M(trees), "true", 0, 0, NULL, "the model has constituency trees; set by the training files" },
    { "arcs", OPT_BOOL, M(arcs), "true", 0, 0, NULL, "the model has dependencies; set by the training files" },
    { "decode", OPT_ENUM, M(decode), "auto", 0, 0, "auto|joint|marks|arcs",
      "joint: the best tree of spans and arcs, in which no arcs cross; marks: then punctuation that nothing depends on "
      "gets the heads that score best; arcs: spans and arcs each for itself, and arcs may cross; auto: what is best on "
      "the first dev set: arcs, if some cross in more than 1 of 100 training sentences, marks, if more than 1 of 100 "
      "marks depend on words in phrases, but not on their heads, or joint" },
    { "lambda", OPT_REAL, M(lambda), "0.5", 0, 1, NULL, "weight of spans in joint decoding; arcs have 1 - X" },
    { "grammar", OPT_REAL, M(grammar), "0", 0, 100, NULL,
      "weight of the log probability of the phrases of a tree by a grammar of the training trees, beside the score of "
      "joint decoding, where a parse is chosen from the best ones; 0: none" },
    { "type_rules", OPT_REAL, M(type_rules), "2", 0, 100, NULL,
      "what is added to the score of the type that head rules of the language give an arc of the tree; 0: nothing" },
    { "document_words", OPT_INT, M(document_words), "800", 1, 1048576, NULL,
      "of a document, read whole sentences of at most N words that are separated by blanks, or one sentence, at a "
      "time; "
      "of summary no further ones" },
    { "context", OPT_INT, M(context), "64", 0, 524288, NULL,
      "of segments, the words that are read on each side of a gap between two sentences; 0: documents are read as by "
      "--document-words" },
    { "pieces", OPT_INT, M(pieces), "6000", 16, PIECES_MOST, NULL,
      "of translate, entries of the table of subwords that both languages share" },
    { "decoder_layers", OPT_INT, M(decoder_layers), "3", 1, DECODER_LAYERS_MOST, NULL,
      "of translate, layers of the decoder; they are as wide as those of the encoder" },
    { "attention_dropout", OPT_REAL, M(attention_dropout), "0.2", 0, 0.99, NULL, "dropout on attention weights" },
    { "relu_dropout", OPT_REAL, M(relu_dropout), "0.2", 0, 0.99, NULL, "dropout inside feed-forward layers" },
    { "residual_dropout", OPT_REAL, M(residual_dropout), "0.2", 0, 0.99, NULL, "dropout before each residual sum" },
    { "embedding_dropout", OPT_REAL, M(embedding_dropout), "0.2", 0, 0.99, NULL, "dropout on the whole token vector" },
    { "tag_dropout", OPT_REAL, M(tag_dropout), "0.2", 0, 0.99, NULL, "dropout on tag embeddings" },
    { "word_dropout", OPT_REAL, M(word_dropout), "0.4", 0, 0.99, NULL, "dropout on word embeddings" },
    { "affix_dropout", OPT_REAL, M(affix_dropout), "0.2", 0, 0.99, NULL, "dropout on affix embeddings" },
    { "char_dropout", OPT_REAL, M(char_dropout), "0.2", 0, 0.99, NULL, "dropout on character embeddings" },
    { "vector_dropout", OPT_REAL, M(vector_dropout), "0.33", 0, 0.99, NULL, "dropout on static word vectors" },
    { "pretrained_dropout", OPT_REAL, M(pretrained_dropout), "0", 0, 0.99, NULL,
      "dropout on the vectors of words from the pretrained encoder; inside it dropout is that of its config.json" },
    { "position_dropout", OPT_REAL, M(position_dropout), "0", 0, 0.99, NULL, "dropout on position embeddings" },
    { "dep_dropout", OPT_REAL, M(dep_dropout), "0.33", 0, 0.99, NULL, "dropout in the arc and type scorers" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

const Option CONFIG_TRAIN_OPTIONS[] = {
    { "epochs", OPT_INT, T(epochs), "100", 1, 100000, NULL, "passes over the training sentences" },
    { "max_updates", OPT_LONG, T(max_updates), "0", 0, 1e13, NULL,
      "end after N updates, if that is before the last epoch; schedules end there, too; 0: all epochs" },
    { "batch_size", OPT_INT, T(batch_size), "100", 1, BATCH_SIZE_MOST, NULL, "sentences of one update" },
    { "subbatch_tokens", OPT_INT, T(subbatch_tokens), "1000", 1, 10000000, NULL,
      "most tokens of a sub-batch, which one thread computes; tokens are words and 2 for each sentence; for N threads "
      "choose at most about an N-th of the tokens of a batch, or some are idle: results depend on this number, not on "
      "--threads, so a batch is not cut by the number of threads" },
    { "lanes", OPT_INT, T(lanes), "1", 1, 256, NULL,
      "sums into which the gradients of the sub-batches of an update are dealt, a power of two: with as many lanes, "
      "results "
      "are the same to the bit for any number of processes up to it (docs/CLUSTERS.md)" },
    { "checks_per_epoch", OPT_INT, T(checks_per_epoch), "4", 1, 1000, NULL,
      "evaluations on the dev set in each epoch" },
    { "schedule", OPT_ENUM, T(schedule), "plateau", 0, 0, "plateau|cosine",
      "learning rate after the warm-up; plateau: reduced when the dev score does not rise; cosine: falls to 0" },
    { "lr", OPT_REAL, T(lr), "0.0008", 0, 10, NULL, "largest learning rate" },
    { "warmup", OPT_LONG, T(warmup), "160", 0, 1e9, NULL, "updates of the linear warm-up" },
    { "decay", OPT_REAL, T(decay), "0.5", 0, 1, NULL, "factor by which the plateau rule reduces the learning rate" },
    { "patience", OPT_INT, T(patience), "5", 0, 100000, NULL,
      "epochs without a better dev score before the plateau rule applies" },
    { "stop_after", OPT_INT, T(stop_after), "0", 0, 100000, NULL,
      "stop after N epochs without a better dev score; 0: do not stop" },
    { "clip", OPT_REAL, T(clip), "0", 0, 1e9, NULL, "largest norm of the gradient; 0: no clipping" },
    { "beta1", OPT_REAL, T(beta1), "0.9", 0, 0.999999, NULL, "decay of Adam's first moment" },
    { "beta2", OPT_REAL, T(beta2), "0.98", 0, 0.999999, NULL, "decay of Adam's second moment" },
    { "adam_eps", OPT_REAL, T(adam_eps), "1e-9", 1e-30, 1, NULL, "epsilon of Adam" },
    { "tag_weight", OPT_REAL, T(tag_weight), "1", 0, 1000, NULL, "weight of the tagging loss" },
    { "link_weight", OPT_REAL, T(link_weight), "0.01", 0, 1000, NULL,
      "with --lal-linked, weight of the loss that links label heads to categories: of all contributions to the score "
      "of a gold phrase that of its category's head shall be the largest" },
    { "soft_weight", OPT_REAL, T(soft_weight), "1", 0, 1000, NULL,
      "weight of the soft loss (--soft); the gold loss has weight 1" },
    { "label_smoothing", OPT_REAL, T(label_smoothing), "0", 0, 0.99, NULL,
      "of translate, the share of the gold distribution that is spread over all subwords" },
    { "hide_tags", OPT_REAL, T(hide_tags), "0.5", 0, 1, NULL,
      "share of training sentences whose input tags are all replaced by unknown" },
    { "hide_tag", OPT_REAL, T(hide_tag), "0.05", 0, 1, NULL, "share of the other input tags replaced by unknown" },
    { "hide_treebank", OPT_REAL, T(hide_treebank), "0.1", 0, 1, NULL,
      "share of training sentences whose treebank is replaced by unknown" },
    { "unknown", OPT_REAL, T(unknown), "1", 0, 1000, NULL,
      "a training word with c occurrences is replaced by unknown with probability X / (X + c)" },
    { "average", OPT_REAL, T(average), "0", 0, 0.999999, NULL,
      "decay of the running average of the weights, which is evaluated and saved; 0: no average" },
    { "weight_decay", OPT_REAL, T(weight_decay), "0", 0, 1, NULL,
      "weight decay of AdamW: an update with learning rate r multiplies all weights but biases and norms by 1 - r X" },
    { "rounded", OPT_BOOL, T(rounded), "false", 0, 0, NULL,
      "quantization-aware training: run the network with weights rounded as --store i8 or i4 stores them, and update "
      "the unrounded ones" },
    { "freeze", OPT_LIST, T(freeze), NULL, 0, 0, "PREFIX",
      "do not train the parameters whose names begin with PREFIX" },
    { "group", OPT_LIST, T(group), NULL, 0, 0, "PREFIX=X",
      "multiply the learning rate by X for parameters whose names begin with PREFIX; of several prefixes that match, "
      "the last one applies" },
    { "pretrained_lr", OPT_REAL, T(pretrained_lr), "0.05", 0, 1000, NULL,
      "factor of the learning rate for the pretrained encoder" },
    { "pretrained_decay", OPT_REAL, T(pretrained_decay), "1", 0, 1, NULL,
      "layer-wise decay: the factor of a layer of the pretrained encoder is X times that of the layer above it" },
    { "pretrained_warmup", OPT_LONG, T(pretrained_warmup), "0", 0, 1e9, NULL,
      "updates in which the learning rate of the pretrained encoder rises, beside --warmup" },
    { "pretrained_freeze", OPT_INT, T(pretrained_freeze), "0", 0, PRETRAINED_LAYERS_MOST, NULL,
      "do not train the tables and the N lowest layers of the pretrained encoder; 0: train all" },
    { "mix", OPT_LIST, T(mix), NULL, 0, 0, "NAME=X",
      "sentences of treebank NAME in an epoch, as a share of all it has: 0.5 takes half of them in turn, 2 takes each "
      "twice" },
    { "questions", OPT_REAL, T(questions), "1", 0, 100, NULL,
      "train X times as often on questions and imperatives, as with --mix" },
    { "vary_case", OPT_REAL, T(vary_case), "0", 0, 1, NULL,
      "share of training sentences shown without capitals, in capitals, or with a capital on each word" },
    { "vary_final", OPT_REAL, T(vary_final), "0", 0, 1, NULL,
      "share of training sentences shown without their final punctuation" },
    { "vary_quotes", OPT_REAL, T(vary_quotes), "0", 0, 1, NULL,
      "share of training sentences shown in quotes, or with an opening or closing quote alone; of languages but "
      "English those that end with a mark, whose tag and features quotes get" },
    { "negatives", OPT_REAL, T(negatives), "4", 0, 1e6, NULL,
      "of segments with --context, gaps without a boundary for each boundary; every epoch draws others" },
    { "max_train_words", OPT_INT, T(max_train_words), "150", 1, 1000000, NULL,
      "leave out training sentences of more than N words" },
    { "seed", OPT_LONG, T(seed), "1", 0, 1e15, NULL, "seed of every random choice" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

NetworkConfig config_network(const ModelConfig *config, VocabSizes sizes)
{
    NetworkConfig k = { .dropout = { config->attention_dropout, config->relu_dropout, config->residual_dropout } };
    k.embedding =
        (EmbeddingConfig){ .d_model = config->d_model,
                           .partitioned = config->partitioned,
                           .n_positions = config->n_positions,
                           .n_tags = config->use_tags ? sizes.tags : 0,
                           .n_words = config->use_words ? sizes.words : 0,
                           .n_treebanks = config->use_treebank ? sizes.treebanks : 0,
                           .affix_buckets = config->affix_buckets,
                           .n_chars = config->use_chars == CHARS_LSTM ? sizes.chars : 0,
                           .d_char = config->d_char,
                           .n_vectors = config->d_vectors ? sizes.vectors : 0,
                           .d_vectors = config->d_vectors,
                           .pretrained = { .mix = config->pretrained_mix, .dropout = config->pretrained_dropout },
                           .tag_dropout = config->tag_dropout,
                           .word_dropout = config->word_dropout,
                           .affix_dropout = config->affix_dropout,
                           .char_dropout = config->char_dropout,
                           .vector_dropout = config->vector_dropout,
                           .position_dropout = config->position_dropout,
                           .embedding_dropout = config->embedding_dropout };
    k.encoder = (EncoderConfig){ .d_model = config->d_model,
                                 .n_layers = config->n_layers,
                                 .n_heads = config->n_heads,
                                 .d_kv = config->d_kv,
                                 .d_ff = config->d_ff,
                                 .partitioned = config->partitioned,
                                 .use_lal = config->use_lal,
                                 .lal_pwff = config->lal_pwff };
    k.embedding.plain = k.encoder.plain = config->layers == MODEL_LAYERS_PLAIN;
    k.encoder.lal = (LabelAttentionConfig){ .d = config->d_model,
                                            .heads = config->n_label_heads,
                                            .d_kv = config->lal_d_kv,
                                            .d_proj = config->lal_d_proj,
                                            .partitioned = config->lal_partitioned,
                                            .q_as_matrix = config->lal_q_as_matrix,
                                            .combine_as_self = config->lal_combine_as_self,
                                            .resdrop = config->lal_resdrop,
                                            .own_reduce = config->lal_own_reduce,
                                            .uniform = config->lal_uniform };
    return k;
}

EncoderShape config_shape(const ModelConfig *config, const Task *task, const PretrainedConfig *pretrained)
{
    EncoderShape shape = { .n_layers = config->n_layers,
                           .n_heads = config->n_heads,
                           .n_label_heads = config->use_lal ? config->n_label_heads : 0,
                           .label_matrix = config->lal_q_as_matrix,
                           .label_combined = config->use_lal && config->lal_combine_as_self,
                           .lal_pwff = config->use_lal && config->lal_pwff,
                           .n_pretrained_layers = pretrained ? pretrained->n_layers : 0,
                           .n_pretrained_heads = pretrained ? pretrained->n_heads : 0,
                           .text = TEXT_SENTENCE };
    if (task->shape) task->shape(config, &shape);
    return shape;
}

/* ---- files */

static bool ends_in_json(const char *name)
{
    size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".json") == 0;
}

/* The text of a file, in the arena. */
static Status read_text(const char *path, Arena *strings, const char **text, Error *e)
{
    StrBuf file = { 0 };
    Status s = file_read_most(path, JSON_FILE_MOST, &file, e);
    *text = s == OK ? arena_strndup(strings, file.ptr ? file.ptr : "", file.len) : NULL;
    strbuf_fini(&file);
    return s != OK || *text ? s : error_set(e, ERR_NOMEM, "out of memory reading %s", path);
}

static Status find_preset(const char *name, Arena *strings, const char **text, Error *e)
{
    if (ends_in_json(name)) return read_text(name, strings, text, e);
    Suggestion near = suggest_for(name, strlen(name));
    for (const Preset *p = PRESETS; p->name; p++) {
        suggest_name(&near, p->name, strlen(p->name));
        *text = p->json;
        if (strcmp(p->name, name) == 0) return OK;
    }
    return error_set(e, ERR_USAGE,
                     "--preset: found '%s', expected a built-in preset (lal help train lists them) or a path ending in "
                     ".json%s",
                     name, suggest_text(&near, "").text);
}

static Status read_options(EncoderOptions *o, EncoderOrigin *from, const char *path, const char *text, const cJSON *x,
                           Arena *strings, Error *e)
{
    path = arena_strndup(strings, path, strlen(path));
    if (!path) return error_set(e, ERR_NOMEM, "out of memory reading encoder options");
    from->file[from->n].path = path;
    from->file[from->n++].text = text;
    return encoder_options_read(o, x, from, strings, e);
}

/* Reads a preset over the values that are there. */
static Status read_preset(const char *name, bool inner, ModelConfig *m, TrainConfig *t, EncoderOptions *o,
                          EncoderOrigin *from, Arena *strings, Error *e)
{
    const char *text = NULL;
    cJSON *j = NULL;
    Status s = find_preset(name, strings, &text, e);
    if (s == OK) s = json_parse_file(text, strlen(text), name, &j, e);
    if (s == OK && !cJSON_IsObject(j)) s = error_at(e, ERR_CONFIG, name, 1, 1, "expected a JSON object");
    const cJSON *base = s == OK ? json_get(j, "preset") : NULL;
    if (base && (inner || !cJSON_IsString(base)))
        s = error_at(e, ERR_CONFIG, name, 0, 0, "preset: found %s, expected the name of a preset that has no other one",
                     inner ? "the preset of a preset" : "no string");
    else if (base) s = read_preset(base->valuestring, true, m, t, o, from, strings, e);
    for (const cJSON *x = s == OK ? j->child : NULL; x && s == OK; x = x->next) {
        if (strcmp(x->string, "model") == 0) s = options_from_json(CONFIG_MODEL_OPTIONS, m, x, strings, name, e);
        else if (strcmp(x->string, "train") == 0) s = options_from_json(CONFIG_TRAIN_OPTIONS, t, x, strings, name, e);
        else if (strcmp(x->string, "encoder_options") == 0) s = read_options(o, from, name, text, x, strings, e);
        else if (strcmp(x->string, "analysis") == 0) s = head_analysis_read(&o->analysis, x, name, text, j, strings, e);
        else if (x != base && strcmp(x->string, "about") != 0)
            s = error_at(e, ERR_CONFIG, name, 0, 0,
                         "unknown key \"%s\", expected about, preset, model, train, encoder_options or "
                         "analysis",
                         x->string);
    }
    cJSON_Delete(j);
    return s;
}

Status config_preset(const char *name, ModelConfig *config, TrainConfig *train_config, EncoderOptions *options,
                     EncoderOrigin *from, Arena *strings, Error *error)
{
    options_defaults(CONFIG_MODEL_OPTIONS, config);
    options_defaults(CONFIG_TRAIN_OPTIONS, train_config);
    encoder_options_defaults(options);
    *from = (EncoderOrigin){ .n = 0 };
    return read_preset(name, false, config, train_config, options, from, strings, error);
}

Status config_encoder_options(const char *given, EncoderOptions *options, EncoderOrigin *from, Arena *strings,
                              Error *error)
{
    const bool inline_text = given[0] == '{';
    const char *path = inline_text ? "--encoder-options" : given, *text = given;
    cJSON *j = NULL;
    Error why = { 0 };
    Status s = inline_text ? OK : read_text(path, strings, &text, error);
    if (s == OK) s = json_parse_file(text, strlen(text), path, &j, &why);
    if (s == ERR_FORMAT) return error_at(error, ERR_USAGE, path, why.line, why.column, "%s", why.message);
    if (s == ERR_NOMEM) return error_set(error, s, "%s", why.message);
    const cJSON *x = json_get(j, "encoder_options"), *analysis = json_get(j, "analysis");
    for (const cJSON *y = s == OK && cJSON_IsObject(j) ? j->child : NULL; y && s == OK; y = y->next) {
        TextPlace p = json_place(text, strlen(text), j, y, true);
        if (y != x && y != analysis && strcmp(y->string, "about") != 0)
            s = error_at(error, ERR_USAGE, path, p.line, p.column,
                         "unknown key \"%s\", expected encoder_options, analysis or about", y->string);
    }
    if (s == OK && !x && !analysis)
        s = error_at(error, ERR_USAGE, path, 1, 1, "found no object \"encoder_options\", expected one");
    if (s == OK && x) s = read_options(options, from, path, text, x, strings, error);
    if (s == OK && analysis) s = head_analysis_read(&options->analysis, analysis, path, text, j, strings, error);
    cJSON_Delete(j);
    return s;
}
