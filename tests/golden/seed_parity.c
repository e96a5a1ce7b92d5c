/* Seed_parity DIR: recorded scores of translations, summaries and boundaries, patterns in documents, coreference by
 * attention, and subwords (tests/golden/seed-tasks/README.md). Counts, sets and subwords must be equal, scores within
 * 1e-9. Files that DIR does not have are not checked; mentions are also looked for in DIR/../../data/coref. Last line
 * "N passed, N failed". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "embeddings/bpe.h"
#include "embeddings/token_embedding.h"
#include "eval/bleu.h"
#include "eval/boundaries.h"
#include "eval/rouge.h"
#include "eval/summary.h"
#include "lal/coref_probe.h"
#include "lal/heads/pattern.h"
#include "tests/golden/seeds.h"
#include "tests/support/freed.h"
#include "tests/support/recorded.h"

FREES(cJSON, cJSON_Delete)

static StrView view(const char *s) { return (StrView){ s, strlen(s) }; }

static bool near(double found, double expected) { return fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected)); }

/* Compares, and prints the first values that differ. */
static bool same(const char *what, double found, double expected)
{
    if (near(found, expected)) return true;
    printf("       %s: found %.12g, expected %.12g\n", what, found, expected);
    return false;
}

static bool same_number(const cJSON *j, const char *name, double found)
{
    return same(name, found, recorded_number(j, name));
}

/* The strings of a list; free what is returned. */
static StrView *strings(const cJSON *list)
{
    int n = recorded_length(list);
    StrView *s = recorded_room((size_t)n + 1, sizeof *s);
    for (int k = 0; k < n; k++) s[k] = view(recorded_string(list, k));
    return s;
}

static void must(Status status, const Error *e)
{
    if (status != OK) recorded_stop("%s", e->message);
}

/* ---- BLEU */

static void check_tokens(const cJSON *list)
{
    int wrong = 0, n = 0;
    for (const cJSON *pair = list->child; pair; pair = pair->next, n++) {
        FREED(strbuf_fini) StrBuf found = { 0 };
        strbuf_puts(&found, "");
        bleu_tokenize(view(recorded_string(pair, 0)), &found);
        if (strcmp(found.ptr, recorded_string(pair, 1)) == 0) continue;
        wrong++;
        printf("       '%s': found '%s', expected '%s'\n", recorded_string(pair, 0), found.ptr,
               recorded_string(pair, 1));
    }
    recorded_verdict(n > 0 && !wrong, "bleu.json: tokens of %d lines, %d wrong", n, wrong);
}

/* Counts and BLEU of a text or, with effective order, of a line. */
static bool same_bleu(const cJSON *j, const BleuCounts *c, bool effective)
{
    FREED(free_pointer) double *matched = recorded_exactly(recorded_item(j, "counts"), BLEU_ORDER);
    FREED(free_pointer) double *total = recorded_exactly(recorded_item(j, "totals"), BLEU_ORDER);
    bool ok = same_number(j, "bleu", bleu_score(c, effective).bleu);
    ok = same_number(j, "output_length", (double)c->output) && ok;
    ok = same_number(j, "reference_length", (double)c->reference) && ok;
    for (int k = 0; k < BLEU_ORDER; k++) {
        ok = same("counts", (double)c->matched[k], matched[k]) && ok;
        ok = same("totals", (double)c->total[k], total[k]) && ok;
    }
    return ok;
}

/* What the signatures share: all but the version. */
static bool same_signature(const char *recorded, int references, bool effective)
{
    FREED(strbuf_fini) StrBuf s = { 0 };
    bleu_signature(references, effective, &s);
    return strncmp(s.ptr, recorded, s.len) == 0 && (!recorded[s.len] || recorded[s.len] == '|');
}

static void check_corpus(const cJSON *corpus)
{
    const cJSON *references = recorded_item(corpus, "references"),
                *sentence = recorded_item(corpus, "sentences")->child;
    int n = recorded_length(recorded_item(corpus, "output")), n_references = recorded_length(references);
    FREED(free_pointer) StrView *output = strings(recorded_item(corpus, "output"));
    FREED(free_pointer) double *precision = recorded_exactly(recorded_item(corpus, "precisions"), BLEU_ORDER);
    FREED(free_pointer) StrView *of_line = recorded_room((size_t)n_references, sizeof *of_line);
    BleuCounts sum = { 0 };
    Error e = { 0 };
    bool ok = same_signature(recorded_text(corpus, "signature"), n_references, false);
    for (int k = 0; k < n; k++) {
        BleuCounts line = { 0 };
        for (int r = 0; r < n_references; r++) of_line[r] = view(recorded_string(cJSON_GetArrayItem(references, r), k));
        must(bleu_count(output[k], of_line, n_references, &line, &e), &e);
        must(bleu_count(output[k], of_line, n_references, &sum, &e), &e);
        if (!sentence) recorded_stop("bleu.json: a corpus has fewer sentences than lines");
        ok = same_bleu(sentence, &line, true) && ok;
        sentence = sentence->next;
    }
    Bleu b = bleu_score(&sum, false);
    ok = same_bleu(corpus, &sum, false) && same_number(corpus, "bp", b.brevity) && ok;
    for (int k = 0; k < BLEU_ORDER; k++) ok = same("precisions", b.precision[k], precision[k]) && ok;
    recorded_verdict(ok, "bleu.json: %s, %d lines", recorded_text(corpus, "name"), n);
}

static void check_bleu(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "bleu.json");
    if (!j) return;
    check_tokens(recorded_item(j, "tokens_13a"));
    recorded_verdict(same_signature(recorded_text(j, "sentence_signature"), 1, true), "bleu.json: sentence_signature");
    for (const cJSON *c = recorded_item(j, "corpora")->child; c; c = c->next) check_corpus(c);
}

/* ---- ROUGE */

/* The lines of a text; free what is returned. */
static StrView *lines_of(const char *text, int *n)
{
    StrView *s = recorded_room(strlen(text) + 1, sizeof *s);
    size_t at = 0;
    for (*n = 0; text_line(view(text), &at, &s[*n]);) ++*n;
    return s;
}

static bool same_rouge(const cJSON *j, const char *name, RougeScore found)
{
    FREED(free_pointer) double *expected = recorded_exactly(recorded_item(j, name), 3);
    bool ok = same(name, found.precision, expected[0]);
    ok = same(name, found.recall, expected[1]) && ok;
    return same(name, found.f, expected[2]) && ok;
}

/* ROUGE-L is ROUGE-Lsum of texts that are one sentence each. */
static bool check_pair(const cJSON *pair)
{
    const cJSON *plain = recorded_item(pair, "plain");
    RougeScore scores[ROUGE_MEASURES], whole[ROUGE_MEASURES];
    const char *output = recorded_text(pair, "output"), *reference = recorded_text(pair, "reference");
    int n_output, n_reference;
    FREED(free_pointer) StrView *o = lines_of(output, &n_output);
    FREED(free_pointer) StrView *r = lines_of(reference, &n_reference);
    Error e = { 0 };
    must(rouge_score(o, n_output, r, n_reference, scores, &e), &e);
    must(rouge_score(&(StrView){ output, strlen(output) }, 1, &(StrView){ reference, strlen(reference) }, 1, whole, &e),
         &e);
    bool ok = same_rouge(plain, "rouge1", scores[ROUGE_1]);
    ok = same_rouge(plain, "rouge2", scores[ROUGE_2]) && ok;
    ok = same_rouge(plain, "rougeL", whole[ROUGE_LSUM]) && ok;
    return same_rouge(plain, "rougeLsum", scores[ROUGE_LSUM]) && ok;
}

static void check_rouge(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "rouge.json");
    int wrong = 0;
    if (!j) return;
    for (const cJSON *pair = j->child; pair; pair = pair->next) wrong += !check_pair(pair);
    recorded_verdict(j->child && !wrong, "rouge.json: %d summaries, %d wrong", recorded_length(j), wrong);
}

/* ---- boundaries */

static bool *bits(const char *text)
{
    bool *b = recorded_room(strlen(text) + 1, sizeof *b);
    for (int k = 0; text[k]; k++) b[k] = text[k] == '1';
    return b;
}

/* The errors of the window k; null: it is not shorter than the document. */
static bool same_errors(const bool *reference, const bool *output, int n, int k, const cJSON *p_k,
                        const cJSON *window_diff)
{
    double found[2];
    bool some = boundaries_errors(reference, output, n, k, &found[0], &found[1]);
    if (cJSON_IsNull(p_k) || !some) return cJSON_IsNull(p_k) && !some;
    bool ok = same("p_k", found[0], p_k->valuedouble);
    return same("window_diff", found[1], window_diff->valuedouble) && ok;
}

static bool check_document(const cJSON *j)
{
    const char *text = recorded_text(j, "reference");
    FREED(free_pointer) bool *reference = bits(text);
    FREED(free_pointer) bool *output = bits(recorded_text(j, "output"));
    int n = (int)strlen(text) + 1, k = boundaries_window(reference, n);
    BoundaryCounts c = { 0 };
    boundaries_count(reference, output, n, &c);
    bool ok = same_number(j, "k", k);
    ok = same_number(j, "true", (double)c.right) && ok;
    ok = same_number(j, "found", (double)c.found) && ok;
    ok = same_number(j, "expected", (double)c.expected) && ok;
    ok = same_errors(reference, output, n, k, recorded_item(j, "p_k"), recorded_item(j, "window_diff")) && ok;
    for (const cJSON *x = j->child; x; x = x->next)
        if (sscanf(x->string, "k=%d", &k) == 1)
            ok = same_errors(reference, output, n, k, x->child, x->child->next) && ok;
    return ok;
}

static void check_segmentation(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "segmentation.json");
    int wrong = 0;
    if (!j) return;
    for (const cJSON *document = j->child; document; document = document->next) wrong += !check_document(document);
    recorded_verdict(j->child && !wrong, "segmentation.json: %d documents, %d wrong", recorded_length(j), wrong);
}

/* ---- sentences as a summary */

/* Are just the sentences chosen that have the recorded numbers, which ascend? */
static bool same_sentences(const cJSON *numbers, const bool *chosen, int n)
{
    const cJSON *next = numbers->child;
    for (int k = 0; k < n; k++) {
        bool expected = next && (int)next->valuedouble == k;
        if (chosen[k] != expected) return false;
        if (expected) next = next->next;
    }
    return !next;
}

/* What is recorded of the sentences that scores prefer, and F of ROUGE where it is recorded. */
static bool same_choice(const cJSON *j, const char *name, const StrView *sentences, const double *scores, int n,
                        int most, bool block, const StrView *summary, int n_summary)
{
    const cJSON *recorded = recorded_item(j, name);
    FREED(free_pointer) bool *chosen = recorded_room((size_t)n + 1, sizeof *chosen);
    FREED(free_pointer) StrView *output = recorded_room((size_t)n + 1, sizeof *output);
    int n_output = 0;
    RougeScore found[ROUGE_MEASURES];
    Error e = { 0 };
    must(summary_choose(sentences, scores, n, most, block, chosen, &e), &e);
    bool ok = same_sentences(recorded_item(recorded, "sentences"), chosen, n);
    if (!ok) printf("       %s: other sentences\n", name);
    if (!cJSON_HasObjectItem(recorded, "rouge1")) return ok;
    for (int k = 0; k < n; k++)
        if (chosen[k]) output[n_output++] = sentences[k];
    must(rouge_score(output, n_output, summary, n_summary, found, &e), &e);
    ok = same_number(recorded, "rouge1", found[ROUGE_1].f) && ok;
    ok = same_number(recorded, "rouge2", found[ROUGE_2].f) && ok;
    return same_number(recorded, "rougeLsum", found[ROUGE_LSUM].f) && ok;
}

static bool check_selection(const cJSON *j)
{
    FREED(free_pointer) StrView *sentences = strings(recorded_item(j, "sentences"));
    FREED(free_pointer) StrView *summary = strings(recorded_item(j, "summary"));
    int n = recorded_length(recorded_item(j, "sentences")), n_summary = recorded_length(recorded_item(j, "summary"));
    int most = (int)recorded_number(j, "most");
    FREED(free_pointer) double *scores = recorded_exactly(recorded_item(j, "scores"), n);
    FREED(free_pointer) bool *chosen = recorded_room((size_t)n + 1, sizeof *chosen);
    double value;
    Error e = { 0 };
    must(summary_oracle(sentences, n, summary, n_summary, most, chosen, &value, &e), &e);
    bool ok = same_sentences(recorded_item(j, "oracle"), chosen, n);
    if (!ok) printf("       %s: another oracle\n", recorded_text(j, "id"));
    ok = same_number(j, "oracle_value", value) && ok;
    ok = same_choice(j, "chosen", sentences, scores, n, most, false, summary, n_summary) && ok;
    return same_choice(j, "chosen_blocked", sentences, scores, n, most, true, summary, n_summary) && ok;
}

static void check_selections(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "selection.json");
    int wrong = 0;
    if (!j) return;
    for (const cJSON *document = j->child; document; document = document->next) wrong += !check_selection(document);
    recorded_verdict(j->child && !wrong, "selection.json: %d documents, %d wrong", recorded_length(j), wrong);
}

/* ---- patterns in documents */

/* The words of all sentences of a document; free both arrays. */
static PatternSentence words_of(const cJSON *sentences, const char ***words, int **begin)
{
    int n = 0, k = 0, at = 0;
    for (const cJSON *s = sentences->child; s; s = s->next) n += recorded_length(s);
    *words = recorded_room((size_t)n + 1, sizeof **words);
    *begin = recorded_room((size_t)recorded_length(sentences) + 1, sizeof **begin);
    for (const cJSON *s = sentences->child; s; s = s->next) {
        (*begin)[k++] = at;
        for (int w = 0; w < recorded_length(s); w++) (*words)[at++] = recorded_string(s, w);
    }
    return (PatternSentence){ .n = n, .words = *words };
}

/* Compares the sets of a pattern with recorded ones, unless these are NULL; returns the allowed pairs of query and key,
 * where a query with an empty set sees all keys, or -1. */
static double compare_sets(const char *name, const PatternSentence *s, const cJSON *recorded)
{
    int m = s->n + 2;
    double pairs = 0;
    Pattern pattern;
    MADE(Arena, arena_init, arena_fini, arena, 1024);
    FREED(free_pointer) uint8_t *allowed = recorded_room((size_t)m * (size_t)m, 1);
    Error e = { 0 };
    must(pattern_read(&pattern, name, NULL, &arena, &e), &e);
    must(pattern_fill(&pattern, s, allowed, &arena, &e), &e);
    bool ok = !recorded || recorded_length(recorded) == m;
    const cJSON *row = recorded && ok ? recorded->child : NULL;
    for (int i = 0; i < m; i++) {
        int n = 0;
        for (int j = 0; j < m; j++) n += allowed[i * m + j];
        pairs += n ? n : m;
        if (!row) continue;
        ok = ok && recorded_length(row) == n;
        for (const cJSON *key = row->child; key && ok; key = key->next)
            ok = key->valuedouble >= 0 && key->valuedouble < m && allowed[i * m + (int)key->valuedouble];
        row = row->next;
    }
    if (!ok) printf("       %s: other sets\n", name);
    return ok ? pairs : -1;
}

static bool check_patterns(const cJSON *j)
{
    static const char sentence[] = "intra_span/source=sentence", side[] = "intra_span/source=side";
    FREED(free_pointer) const char **words = NULL;
    FREED(free_pointer) int *begin = NULL;
    const cJSON *sentences = recorded_item(j, "sentences");
    PatternSentence s = words_of(sentences, &words, &begin);
    TextParts parts = { begin, recorded_length(sentences), begin[(int)recorded_number(j, "boundary_after") + 1] };
    s.parts = &parts;
    double all = (double)(s.n + 2) * (s.n + 2), intra = compare_sets(sentence, &s, recorded_item(j, sentence)),
           match = compare_sets("match_token", &s, recorded_item(j, "match_token")),
           others = compare_sets("prev", &s, NULL) + compare_sets("next", &s, NULL);
    bool ok = compare_sets(side, &s, recorded_item(j, side)) >= 0 && intra >= 0 && match >= 0;
    return same_number(j, "rho_4_of_8_heads", 1 - (intra + match + others + 4 * all) / (8 * all)) && ok;
}

static void check_documents(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "documents.json");
    int wrong = 0;
    if (!j) return;
    for (const cJSON *document = j->child; document; document = document->next) wrong += !check_patterns(document);
    recorded_verdict(j->child && !wrong, "documents.json: %d documents, %d wrong", recorded_length(j), wrong);
}

/* ---- coreference */

/* NAME.jsonl of DIR, or of the data beside it. false: neither exists. */
static bool read_mentions(const char *dir, const char *name, CorefLines *lines)
{
    static const char *const places[] = { "%s/%s.jsonl", "%s/../../data/coref/%s.jsonl" };
    char path[4096];
    Error e = { 0 };
    for (int k = 0; k < 2; k++) {
        FREED(strbuf_fini) StrBuf text = { 0 };
        snprintf(path, sizeof path, places[k], dir, name); /* NOLINT */
        if (file_read(path, &text, &e) != OK) continue;
        must(coref_lines_read(lines, text_block((StrView){ text.ptr, text.len }, path), &e), &e);
        return true;
    }
    printf("skip   coref.json: found no %s.jsonl\n", name);
    return false;
}

/* Weights by the formula of the record, [m, m] for each head. */
static void fill_weights(int heads, int m, Real *a, HeadWeights *w)
{
    for (int h = 0; h < heads; h++) {
        w[h] = (HeadWeights){ a, m, 1 };
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) *a++ = (Real)(2 * sin(1.7 * h + 0.61 * i + 1.13 * j + 0.37 * i * j));
    }
}

static int column_of(const char *name)
{
    int k = 0;
    while (k < COREF_ALL && strcmp(name, MENTION_TYPE_NAMES[k]) != 0) k++;
    return k;
}

static void check_heads(const char *dir, const cJSON *j)
{
    MADE(CorefLines, coref_lines_init, coref_lines_fini, lines);
    const cJSON *heads = recorded_item(j, "heads"), *names = recorded_item(j, "documents");
    const char *file = recorded_text(j, "file");
    int n = recorded_length(heads), wrong = 0;
    Error e = { 0 };
    CorefProbe p;
    if (!read_mentions(dir, file, &lines)) return;
    must(coref_probe_init(&p, n, &e), &e);
    for (int k = 0; k < recorded_length(names); k++)
        for (int at = 0; at < lines.n; at++) {
            int m = lines.p[at].n_words + 2;
            if (!lines.p[at].id || strcmp(lines.p[at].id, recorded_string(names, k)) != 0) continue;
            FREED(free_pointer) Real *a = recorded_room((size_t)n * (size_t)m * (size_t)m, sizeof *a);
            FREED(free_pointer) HeadWeights *w = recorded_room((size_t)n, sizeof *w);
            fill_weights(n, m, a, w);
            must(coref_probe_add(&p, &lines.p[at], w, &e), &e);
        }
    for (int h = 0; h < n; h++)
        for (const cJSON *x = cJSON_GetArrayItem(heads, h)->child; x; x = x->next) {
            int c = column_of(x->string);
            wrong += recorded_number(x, "mentions") != p.mentions[c];
            for (int k = 0; k < COREF_MEASURES; k++)
                wrong += recorded_number(x, COREF_MEASURE_NAMES[k]) != coref_probe_right(&p, (CorefMeasure)k, h, c);
        }
    recorded_verdict(p.mentions[COREF_ALL] > 0 && !wrong, "coref.json: %d heads, %d mentions of %s, %d counts wrong", n,
                     p.mentions[COREF_ALL], file, wrong);
    coref_probe_fini(&p);
}

static void check_baselines(const char *dir, const cJSON *file)
{
    static const char *const names[COREF_BASELINES] = { "nearest", "head_match", "rules", "previous_word" };
    MADE(CorefLines, coref_lines_init, coref_lines_fini, lines);
    int wrong = 0;
    Error e = { 0 };
    CorefProbe p;
    if (!read_mentions(dir, file->string, &lines)) return;
    must(coref_probe_init(&p, 0, &e), &e);
    for (int k = 0; k < lines.n; k++) must(coref_probe_add(&p, &lines.p[k], NULL, &e), &e);
    for (int k = 0; k < COREF_BASELINES; k++)
        for (const cJSON *x = recorded_item(file, names[k])->child; x; x = x->next) {
            FREED(free_pointer) double *expected = recorded_exactly(x, 2);
            int c = column_of(x->string);
            wrong += p.baseline[k][c] != expected[0] || p.mentions[c] != expected[1];
        }
    recorded_verdict(p.mentions[COREF_ALL] > 0 && !wrong, "coref.json: baselines, %d mentions of %s, %d counts wrong",
                     p.mentions[COREF_ALL], file->string, wrong);
    coref_probe_fini(&p);
}

static void check_coref(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "coref.json");
    if (!j) return;
    check_heads(dir, j);
    for (const cJSON *file = recorded_item(j, "baselines")->child; file; file = file->next) check_baselines(dir, file);
}

/* ---- subwords */

static void learn_pieces(const cJSON *lines, int most, Vocab *pieces)
{
    static const char *const reserved[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    MADE(Vocab, vocab_init, vocab_fini, units);
    Error e = { 0 };
    for (int k = 0; k < recorded_length(lines); k++) must(bpe_count(view(recorded_string(lines, k)), &units, &e), &e);
    for (int k = 0; k < N_RESERVED; k++)
        if (vocab_count(pieces, reserved[k], strlen(reserved[k]), 1) != k) recorded_stop("out of memory");
    must(bpe_learn(&units, most, pieces, &e), &e);
    must(bpe_check(pieces, "learnt", &e), &e);
}

/* Characters, and the text and count of each joined pair. */
static void check_learning(const cJSON *characters, const cJSON *merges, const Vocab *pieces)
{
    int n = recorded_length(characters), wrong = 0, k = N_RESERVED;
    bool all = vocab_size(pieces) == N_RESERVED + n + recorded_length(merges);
    for (int i = 0; i < n && all; i++) wrong += strcmp(vocab_text(pieces, k++), recorded_string(characters, i)) != 0;
    for (const cJSON *m = merges->child; m && all; m = m->next, k++) {
        FREED(strbuf_fini) StrBuf pair = { 0 };
        strbuf_printf(&pair, "%s%s", recorded_string(m, 0), recorded_string(m, 1));
        wrong += strcmp(vocab_text(pieces, k), pair.ptr) != 0;
        wrong += pieces->counts[k] != cJSON_GetArrayItem(m, 2)->valuedouble;
    }
    recorded_verdict(n > 0 && all && !wrong, "bpe.json: %d characters, %d pairs, %d wrong", n, recorded_length(merges),
                     wrong);
}

static bool same_pieces(const cJSON *expected, const Pieces *found)
{
    if (recorded_length(expected) != found->n) return false;
    for (int k = 0; k < found->n; k++) {
        StrView text = pieces_text(found, k);
        bool unknown = found->p[k].id == TOKEN_UNKNOWN;
        if (!text_equal(unknown ? view("<unk>") : text, recorded_string(expected, k))) return false;
    }
    return true;
}

/* The words of a line with one blank between two. */
static void put_words(const char *line, StrBuf *out)
{
    bool blank = false;
    strbuf_puts(out, "");
    for (size_t at = 0, n = strlen(line), begin; at < n;) {
        begin = at;
        bool space = utf8_is_space(utf8_next(line, n, &at));
        if (!space && blank && out->len) strbuf_putc(out, ' ');
        if (!space) strbuf_add(out, line + begin, at - begin);
        blank = space;
    }
}

/* Are the words of the line restored? Those with U+2581 or unknown characters need not be. */
static bool restored(const Vocab *pieces, const char *line, const Pieces *p)
{
    FREED(strbuf_fini) StrBuf words = { 0 }, found = { 0 };
    FREED(free_pointer) int *ids = recorded_room((size_t)p->n + 1, sizeof *ids);
    if (strstr(line, "\u2581")) return true;
    for (int k = 0; k < p->n; k++) {
        ids[k] = p->p[k].id;
        if (ids[k] == TOKEN_UNKNOWN) return true;
    }
    put_words(line, &words);
    strbuf_puts(&found, "");
    bpe_decode(pieces, ids, p->n, &found);
    return strcmp(found.ptr, words.ptr) == 0;
}

static void check_encoding(const Vocab *pieces, const cJSON *units, const cJSON *encoded)
{
    int wrong = 0;
    Error e = { 0 };
    for (const cJSON *x = units->child; x; x = x->next) {
        FREED(pieces_fini) Pieces p = { 0 };
        must(bpe_units(view(recorded_string(x, 0)), &p, &e), &e);
        wrong += !same_pieces(cJSON_GetArrayItem(x, 1), &p);
    }
    for (const cJSON *x = encoded->child; x; x = x->next) {
        FREED(pieces_fini) Pieces p = { 0 };
        must(bpe_encode(pieces, view(recorded_string(x, 0)), &p, &e), &e);
        wrong += !same_pieces(cJSON_GetArrayItem(x, 1), &p) || !restored(pieces, recorded_string(x, 0), &p);
    }
    recorded_verdict(encoded->child && units->child && !wrong, "bpe.json: pieces of %d lines, units of %d, %d wrong",
                     recorded_length(encoded), recorded_length(units), wrong);
}

static void check_bpe(const char *dir)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "bpe.json");
    if (!j) return;
    MADE(Vocab, vocab_init, vocab_fini, pieces);
    const cJSON *characters = recorded_item(j, "characters"), *merges = recorded_item(j, "merges");
    learn_pieces(recorded_item(j, "lines"), N_RESERVED + recorded_length(characters) + recorded_length(merges),
                 &pieces);
    check_learning(characters, merges, &pieces);
    check_encoding(&pieces, recorded_item(j, "units"), recorded_item(j, "encoded"));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: seed_parity DIR\n", stderr);
        return 2;
    }
    check_bleu(argv[1]);
    check_rouge(argv[1]);
    check_segmentation(argv[1]);
    check_selections(argv[1]);
    check_documents(argv[1]);
    check_coref(argv[1]);
    check_bpe(argv[1]);
    seed_translation(argv[1]);
    return recorded_summary();
}
