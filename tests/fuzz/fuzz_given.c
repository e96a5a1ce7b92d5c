/* A Document of CoreNLP.proto, as a request has it: each word that is accepted lies in the text, after the one before
 * it, and trees have as many closing brackets as opening ones. */
#include "base/repair.h"
#include "serve/corenlp_given.h"
#include "tests/fuzz/fuzz.h"

/* Is the place of a word in all three units that of the text, not before `from`? */
static void check_place(StrView text, const LalToken *t, size_t from)
{
    require(t->begin >= from && t->begin < t->end && t->end <= text.len);
    require(answer_characters((StrView){ text.ptr, t->begin }) == t->begin_char);
    require(answer_characters((StrView){ text.ptr, t->end }) == t->end_char);
    require(t->begin_utf16 >= t->begin_char && t->end_utf16 - t->begin_utf16 >= t->end_char - t->begin_char);
}

static void check_trees(const Job *j)
{
    FREED(strbuf_fini) StrBuf trees = { 0 };
    Answer answer = { 0 };
    if (corenlp_given_trees(j, &trees, &answer)) {
        long depth = 0;
        for (size_t k = 0; k < trees.len; k++) {
            depth += (trees.ptr[k] == '(') - (trees.ptr[k] == ')');
            require(depth >= 0 && (trees.ptr[k] != '\n' || depth == 0));
        }
        require(depth == 0 && (!trees.len || utf8_invalid(trees.ptr, trees.len) == trees.len));
    } else require(answer.status == 400 && answer.body.len);
    strbuf_fini(&answer.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MADE(Arena, arena_init, arena_fini, a, 1024);
    Answer answer = { 0 };
    Job j = { .arena = &a, .body = fuzz_text(data, size) };
    CoreGiven given;
    LalResult result;
    bool good = corenlp_given_read(&j, INVALID_ERROR, &given, &answer);
    require(good || (answer.status == 400 && answer.body.len));
    if (good && given.n_words) {
        size_t n = 0, from = 0;
        require(corenlp_given_place(&j, &given, NULL, &result, &answer));
        for (size_t k = 0; k < result.n_sentences; k++)
            for (int w = 0; w < result.sentences[k].n_tokens; w++, n++) {
                const LalToken *t = &result.sentences[k].tokens[w];
                check_place(given.text, t, from);
                require(*t->form && utf8_invalid(t->form, strlen(t->form)) == strlen(t->form));
                from = t->end;
            }
        require(n == given.n_words && n == result.n_tokens);
    } else if (good) require(utf8_invalid(given.text.ptr, given.text.len) == given.text.len);
    strbuf_fini(&answer.body);
    check_trees(&j);
    return 0;
}
