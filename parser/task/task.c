/* The table of tasks, by which names in model files are read. */
#include "parser/task/task.h"

#include <string.h>

/* The first one has no name in files. */
static const Task *const TASKS[] = {
#define TASK(task, name) &TASK_##task,
#include "parser/task/tasks.def"
};
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
