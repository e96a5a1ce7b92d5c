/* The functions that English has in the table of languages, and the few that are too
 * small for a file of their own. */
#include "language/english/english.h"

#include <string.h>
#include <strings.h>

#include "language/english/text/fold.h"
#include "language/english/text/segment.h"
#include "language/english/text/segment_hyphens.h"
#include "language/english/text/shape.h"
#include "language/english/text/signs.h"
#include "language/english/ud/lemma.h"
#include "language/english/ud/ud.h"
#include "language/english/ud/ud_enhanced.h"
#include "language/english/ud/ud_sentence.h"

/* ---- words */

/* "n't" after a word gives it its n: "does" "n't" -> "doesn" "'t". */
static bool spell(const char **words, int n, Arena *a)
{
    for (int w = 1; w < n; w++) {
        if (strcmp(words[w], "n't") != 0) continue;
        size_t len = strlen(words[w - 1]);
        char *before = arena_alloc(a, len + 2, 1);
        if (!before) return false;
        memcpy(before, words[w - 1], len);
        memcpy(before + len, "n", 2);
        words[w - 1] = before;
        words[w] = "'t";
    }
    return true;
}

/* The direction of a double quote, from the word as it is folded. */
static Shape quote_shape(const char *word, const char *folded)
{
    if (word[0] == '\'' || signs_same(word, "'") || strlen(folded) != 2) return SHAPE_NONE;
    return strcmp(folded, "``") == 0 ? SHAPE_OPENING : strcmp(folded, "''") == 0 ? SHAPE_CLOSING : SHAPE_NONE;
}

static bool tag_shapes(const char *const *words, const bool *space_before, int n, Arena *scratch, const char **tags)
{
    const char **folded = fold_words(words, NULL, space_before, n, scratch);
    for (int w = 0; folded && w < n; w++) {
        Shape shape = quote_shape(words[w], folded[w]);
        if (!shape) shape = shape_of(words[w]);
        if (shape) tags[w] = shape_tag(shape);
    }
    return folded != NULL;
}

static bool is_conjunction(const char *word) { return text_among(word, "and or but nor"); }

/* ---- sentences of treebanks */

/* A sentence whose head is a base form without a subject, and without an auxiliary but "do". */
static bool is_imperative(const Sentence *sent)
{
    static const char before[] = "nsubj nsubjpass csubj expl aux auxpass cop";
    int root = -1;
    if (!sent->heads || !sent->types || !sent->tags) return false;
    for (int w = 0; w < sent->n_words; w++)
        if (sent->heads[w] == 0) root = w;
    if (root < 0 || strcmp(sent->tags[root], "VB") != 0) return false;
    for (int w = 0; w < sent->n_words; w++)
        if (sent->heads[w] == root + 1 && text_among(sent->types[w], before) && strcasecmp(sent->words[w], "do") != 0)
            return false;
    return true;
}

/* A curly apostrophe hides a negation from conversions to Stanford dependencies. */
static const char *mend_type(const char *word, const char *type)
{
    return strcmp(word, "n't") != 0 && signs_same(word, "n't") && strcmp(type, "advmod") == 0 ? "neg" : type;
}

static const UdRules UD = { .from = "Stanford basic 3.3.0",
                            .knows = ud_knows_scheme,
                            .fits = ud_is_stanford,
                            .convert = ud_convert,
                            .sentence = ud_sentence,
                            .enhance = ud_enhance };

const Language ENGLISH_LANGUAGE = { .name = "english",
                                    .code = "en",
                                    .segment = segment_text,
                                    .finds_signs = true,
                                    .split_hyphens = segment_split_hyphens,
                                    .fold = fold_words,
                                    .spell = spell,
                                    .tag_shapes = tag_shapes,
                                    .is_conjunction = is_conjunction,
                                    .is_imperative = is_imperative,
                                    .mend_type = mend_type,
                                    .mends = "n’t with a curly apostrophe: neg, not advmod",
                                    .opening_quote = "``",
                                    .closing_quote = "''",
                                    .knows_tags = lemma_knows_tags,
                                    .lemmas = lemma_sentence,
                                    .head_rules = english_head_rules,
                                    .habits = "acomp amod appos ccomp conj dep dobj number",
                                    .exchanges = "IN of in with for by that if\nDT the a that\nCC and or but\n"
                                                 "NN thing\nNNS things\nNNP Mary\nJJ good\nRB well\nVB do\n"
                                                 "VBD did\nVBN done\nVBG doing\nVBZ does\nVBP do",
                                    .ud = &UD };
