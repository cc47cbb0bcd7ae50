// makecontext(3) takes a function of any number of ints, which Swift cannot call.
#ifndef GITSPACE_CCOROUTINE_SHIM_H
#define GITSPACE_CCOROUTINE_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/// A function with a stack of its own, and whoever resumes it.
struct gitspace_coroutine {
    ucontext_t inside, outside;
    void (*body)(void *);
    void *argument;
};

static inline void gitspace_coroutine_main(unsigned high, unsigned low) {
    struct gitspace_coroutine *coroutine =
        (struct gitspace_coroutine *)(uintptr_t)((uint64_t)high << 32 | low);
    coroutine->body(coroutine->argument);
}

/// The body must never return.
static inline void gitspace_coroutine_make(
    struct gitspace_coroutine *coroutine, void *stack, size_t size, void (*body)(void *), void *argument) {
    uint64_t address = (uint64_t)(uintptr_t)coroutine;
    getcontext(&coroutine->inside);
    coroutine->inside.uc_stack.ss_sp = stack;
    coroutine->inside.uc_stack.ss_size = size;
    coroutine->inside.uc_link = NULL;
    coroutine->body = body;
    coroutine->argument = argument;
    makecontext(&coroutine->inside, (void (*)(void))gitspace_coroutine_main, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

static inline void gitspace_coroutine_resume(struct gitspace_coroutine *coroutine) {
    swapcontext(&coroutine->outside, &coroutine->inside);
}

static inline void gitspace_coroutine_suspend(struct gitspace_coroutine *coroutine) {
    swapcontext(&coroutine->inside, &coroutine->outside);
}

#endif
