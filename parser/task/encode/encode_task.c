/* Published encoders with their tokenizers (parser/model/import.h), which have no
 * scorers and are trained further as a part of other models */
#include "parser/task/task.h"

const Task TASK_ENCODE = {
    .name = "encode", .model = "an encoder without a parser (lal model import)", .verb = "parse", .vocabs = ""
};
