/* Sentences for models that are only parts of others, to look at their heads */
#include "parser/model/corpus.h"
#include "parser/task/task.h"

static Status gold(const struct Model *m, const GoldFiles *f, Notes *notes, Corpus *out, Error *e)
{
    (void)m;
    return corpus_sentences(out, f->gold, notes, e);
}

const TaskUse TASK_DETECT_USE = { .files = "", .needs_gold = true, .gold = gold };
