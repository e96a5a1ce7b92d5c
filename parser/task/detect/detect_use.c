/* Text for models that are only parts of others, to learn from and to look at their
 * heads */
#include "parser/task/classify/class_heads.h"
#include "parser/task/counts.h"
#include "parser/task/detect/replaced.h"
#include "parser/task/use.h"
#include "parser/train/text_data.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    TextDataOptions text = o->text ? *o->text : (TextDataOptions){ .kind = TEXT_TREEBANK };
    text.notes = o->notes;
    return text_data_load(out, f->gold, text, e);
}

#define TEXT_OPTIONS "input newline markup hyphens replace replace_power"
static const TaskHeads HEADS = { .sentences = "sentences", .options = "html", .text = class_heads_words, CLASS_HEADS };

static const TaskCounts COUNTS = { .names = "words\tright\tloss",
                                   .n = 3,
                                   .n_losses = 3,
                                   .metric = { { "accuracy", "accuracy", COUNTS_BITS(2), 0, &COUNTS_SHARE },
                                               { "nll", "nll", COUNTS_BIT(0) | COUNTS_BIT(2), 0, &COUNTS_MEAN } },
                                   .n_metrics = 2 };

#define READS_TEXT .heads = &HEADS, .files = "", .needs_gold = true, .gold = gold

const TaskUse TASK_DETECT_USE = {
    .training = &DETECT_TRAINING, .options = TEXT_OPTIONS, .counts = &COUNTS, READS_TEXT
};
const TaskUse TASK_MASK_USE = {
    .training = &DETECT_MASK_TRAINING, .options = TEXT_OPTIONS " most_words", .counts = &COUNTS, READS_TEXT
};
const TaskUse TASK_ENCODE_USE = { READS_TEXT };
