/* parser/task/training.c: apart from task.c, so that a program that trains nothing has no trainers in it */
#include "parser/task/task.h"

const TaskTraining *task_training(const Task *task)
{
    static const struct {
        const Task *task;
        const TaskTraining *training;
    } trained[] = { { &TASK_PARSE, &TASK_PARSE_TRAINING },       { &TASK_CLASSIFY, &TASK_CLASSIFY_TRAINING },
                    { &TASK_CLASSES, &TASK_DOCUMENT_TRAINING },  { &TASK_SUMMARY, &TASK_DOCUMENT_TRAINING },
                    { &TASK_SEGMENTS, &TASK_DOCUMENT_TRAINING }, { &TASK_DETECT, &TASK_DETECT_TRAINING },
                    { &TASK_MASK, &TASK_MASK_TRAINING },         { &TASK_TRANSLATE, &TASK_TRANSLATE_TRAINING } };
    for (size_t k = 0; k < sizeof trained / sizeof *trained; k++)
        if (trained[k].task == task) return trained[k].training;
    return NULL;
}
