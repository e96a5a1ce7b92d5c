/* The table of tasks, by which names in model files are read. */
#include "parser/task/task.h"

#include <string.h>

/* The first one has no name in files. */
static const Task *const TASKS[] = { &TASK_PARSE,  &TASK_CLASSIFY, &TASK_CLASSES,   &TASK_SUMMARY, &TASK_SEGMENTS,
                                     &TASK_DETECT, &TASK_MASK,     &TASK_TRANSLATE, &TASK_ENCODE };
enum { TASKS_N = sizeof TASKS / sizeof *TASKS };

const char *task_key(const Task *task) { return task == TASKS[0] ? NULL : task->name; }

const Task *task_find(const char *text, StrBuf *expected)
{
    if (!text) return TASKS[0];
    for (int k = 1; k < TASKS_N; k++)
        if (strcmp(text, TASKS[k]->name) == 0) return TASKS[k];
    for (int k = 1; expected && k < TASKS_N; k++)
        strbuf_printf(expected, "%s%s", k == 1 ? "" : k == TASKS_N - 1 ? " or " : ", ", TASKS[k]->name);
    return NULL;
}
