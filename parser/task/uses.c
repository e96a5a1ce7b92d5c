/* Apart from task.c, so that a program that only parses has no trainers and no other use in it */
#include "parser/task/use.h"

static const struct TaskRow {
    const Task *task;
    const TaskUse *use;
} ROWS[] = {
#define TASK(task, name) { &TASK_##task, &TASK_##task##_USE },
#include "parser/task/tasks.def"
};

static const Task *const TRAINED[] = {
#define TASK(task, name) &TASK_##task,
#define UNTRAINED_TASK(task, name)
#include "parser/task/tasks.def"
    NULL
};

#define TASK(task, name) "|" #name
#define UNTRAINED_TASK(task, name)
const char TASK_NAMES[] =
#include "parser/task/tasks.def"
    ;

const TaskUse *task_use(const Task *task)
{
    size_t k = 0;
    while (ROWS[k].task != task) k++;
    return ROWS[k].use;
}

const TaskTraining *task_training(const Task *task) { return task_use(task)->training; }
const Task *task_choice(int k) { return TRAINED[k]; }
