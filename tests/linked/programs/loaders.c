/* What a compiled library does to find the driver: dlopen, in this thread or in a new one. */

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct question {
    const char *name, *function;
    int answer;
};

static void *ask(void *asked)
{
    struct question *question = asked;
    void *library = dlopen(question->name, RTLD_NOW | RTLD_LOCAL);
    void *found = library == NULL ? NULL : dlsym(library, question->function);
    question->answer = found == NULL ? -1 : ((int (*)(unsigned))found)(0);
    return NULL;
}

int answer_here(const char *name, const char *function)
{
    struct question question = {name, function, -2};
    ask(&question);
    return question.answer;
}

int answer_in_a_thread(const char *name, const char *function)
{
    struct question question = {name, function, -2};
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, &question))
        return -3;
    pthread_join(thread, NULL);
    return question.answer;
}
