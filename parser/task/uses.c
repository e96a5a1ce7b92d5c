/* Apart from task.c, so that a program that only parses has no trainers and no other use in it */
#include "parser/task/task.h"

static const struct TaskRow {
    const Task *task;
    const TaskTraining *training;
    const TaskUse *use;
} ROWS[] = { { &TASK_PARSE, &TASK_PARSE_TRAINING, &TASK_PARSE_USE },
             { &TASK_CLASSIFY, &TASK_CLASSIFY_TRAINING, &TASK_CLASSIFY_USE },
             { &TASK_CLASSES, &TASK_DOCUMENT_TRAINING, &TASK_DOCUMENT_USE },
             { &TASK_SUMMARY, &TASK_DOCUMENT_TRAINING, &TASK_DOCUMENT_USE },
             { &TASK_SEGMENTS, &TASK_DOCUMENT_TRAINING, &TASK_DOCUMENT_USE },
             { &TASK_DETECT, &TASK_DETECT_TRAINING, &TASK_DETECT_USE },
             { &TASK_MASK, &TASK_MASK_TRAINING, &TASK_DETECT_USE },
             { &TASK_TRANSLATE, &TASK_TRANSLATE_TRAINING, &TASK_TRANSLATE_USE },
             { &TASK_ENCODE, NULL, &TASK_DETECT_USE } };

static const struct TaskRow *find(const Task *task)
{
    static const struct TaskRow none;
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++)
        if (ROWS[k].task == task) return &ROWS[k];
    return &none;
}

const TaskTraining *task_training(const Task *task) { return find(task)->training; }
const TaskUse *task_use(const Task *task) { return find(task)->use; }
