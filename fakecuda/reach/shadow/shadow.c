/* A library that stands before the real driver, and writes each call into a ring.

   The stub libcuda.so.1 of its folder has the functions of the real driver and jumps to the functions here. Each passes its
   arguments on unchanged and returns what the driver returns. Functions of which no arguments are known are counted and jumped
   to. A call has two records: one before the driver's work, with the words of its arguments, and one after it, with its code,
   the values of its arguments, and its results. So a free is written before the driver can hand out the address again, and an
   allocation after it has. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "versions.h"

#ifdef FIRST
#define FIRST_OF_ROBUST "GLIBC_2.12"
IN_VERSION(dladdr, FIRST)
IN_VERSION(dlerror, FIRST)
IN_VERSION(dlvsym, FIRST)
IN_VERSION(pthread_mutexattr_init, FIRST)
IN_VERSION(pthread_mutexattr_setpshared, FIRST)
IN_VERSION(pthread_mutexattr_setrobust, FIRST_OF_ROBUST)
IN_VERSION(pthread_mutex_consistent, FIRST_OF_ROBUST)
#endif

#include "constants.h"
#include "ring.h"
#include "ring.c"

/* The client's conversions take no more memory than a record may have. */
static void *room(void *old, size_t size)
{
    (void)old, (void)size;
    return NULL;
}

static void *zeros(size_t size) { return room(NULL, size); }

static uint64_t read_number(const char **text)
{
    uint64_t found = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        found = found * 10 + (uint64_t)(**text - '0');
    return found;
}

#define IN_AND_OUT 1 /* a call's flag: it reads what it then overwrites */
#define MOST_READ 40 /* words of all that a call overwrites: the parameters of a node are the most */

#include "values.c"
#include "calls.c"
#include "results.c"

#define MOST_WORDS 16
#define LONGEST 4000 /* the bytes of a record's values */
#define MISSING 999  /* the answer of a function that the real driver lacks: nothing calls it */

/* A function that the driver exports. */
struct function {
    const char *base, *name;
    int version, own_stream, has_own_stream, call;
    uint32_t (*function)(), (*found_function)();
};

static uint32_t (*real[SYMBOL_COUNT])(), (*found[SYMBOL_COUNT])();
static char folder[4096]; /* of this library and of its stub, with a slash at its end */
static char stub_path[sizeof folder + 16];
static const struct function functions[SYMBOL_COUNT];

/* The C library's dlsym: a preloaded library may have another, which returns its own functions in the driver's place. */
static void *(*symbol_in)(void *, const char *) = dlsym;

#include "stacks.c"
#include "faults.c"

static void before(int symbol, int place, const uint64_t *words, int count_of_words, uint64_t *read)
{
    if (ring == NULL)
        return;
    if (self.inside++) {
        count(&ring->nested);
        return;
    }
    int error = errno;
    if (place >= 0 && calls[place].flags & IN_AND_OUT)
        read_first(&calls[place], words, read);
    if (has_stack[symbol])
        put_stack();
    put_call((struct record){.kind = CALLED, .symbol = (uint16_t)symbol}, words, 8 * (uint64_t)count_of_words);
    errno = error;
}

static void after(int symbol, int place, const uint64_t *words, const uint64_t *read, uint32_t code, uint8_t flags)
{
    if (ring == NULL)
        return;
    if (self.inside > 1) {
        self.inside--;
        return;
    }
    int error = errno;
    uint8_t room_for_values[LONGEST];
    struct bytes body = {.at = room_for_values, .room = sizeof room_for_values};
    const struct call *call = place < 0 ? NULL : &calls[place];
    const uint64_t *first = read;
    if (call != NULL) {
        put_array(&body, (uint64_t)(call->inputs + (code ? 0 : call->outputs)));
        for (int number = 0; number < call->inputs; number++) {
            const struct input *input = &call->input[number];
            unsigned size = overwritten(call, input, words);
            if (size)
                load(&body, input->shape, (uint64_t)read);
            else
                put_given(&body, input, words, (int)code);
            read += size;
        }
        for (int number = 0; !code && number < call->outputs; number++)
            put_result(&body, call, &call->output[number], words, first);
    }
    struct record record = {.kind = ANSWERED, .symbol = (uint16_t)symbol, .code = (int32_t)code, .flags = flags | (body.lost ? IS_CUT : 0)};
    put_call(record, body.at, body.lost ? 0 : body.size);
    self.inside--; /* until here, a signal handler's calls come within this one */
    errno = error;
}

#define PASS(symbol, place, through, types, given, ...)                                    \
    ({                                                                                     \
        uint64_t words[] = {__VA_ARGS__};                                                  \
        uint64_t read[MOST_READ];                                                          \
        before(symbol, place, words, (int)(sizeof words / sizeof *words), read);           \
        uint32_t fault = faults_of[symbol] ? fault_of(symbol) : 0, code = MISSING;         \
        if (fault)                                                                         \
            code = fault;                                                                  \
        else if (through[symbol] != NULL)                                                  \
            code = ((uint32_t(*) types)through[symbol]) given;                             \
        after_call(symbol, place, words, read, code, fault ? IS_FAULT : 0);                \
    })

static uint32_t after_call(int symbol, int place, const uint64_t *words, const uint64_t *read, uint32_t code, uint8_t flags);

/* Two thousand functions. To optimise them takes the compiler 5 s, and makes a call 6 ns of 85 faster. */
#pragma GCC push_options
#pragma GCC optimize("O0")
#include "functions.h"
#pragma GCC pop_options

/* Return the stub's function, as dlsym returns it to the program: the driver's look-up returns what it exports. */
static void *exported(int place)
{
    void *stub = dlopen(stub_path, RTLD_NOW | RTLD_NOLOAD), *function = stub ? symbol_in(stub, functions[place].name) : NULL;
    return function ? function : (void *)functions[place].function;
}

/* Return what stands for a function that the driver has found: one of these, or the driver's if it is not known.

   The form is the newest that the driver has and the version asks for; an address that the driver also exports says which. */
static void *stand_for(const char *base, int version, uint64_t flags, void *address)
{
    Dl_info of;
    if (version > NEWEST || (dladdr(address, &of) && !strncmp(of.dli_fname, folder, strlen(folder))))
        return address;
    for (int place = 0; place < SYMBOL_COUNT; place++)
        if (address == (void *)real[place] && functions[place].function != NULL)
            return exported(place);
    for (int place = 0; place < SYMBOL_COUNT; place++) { /* the newest first */
        const struct function *one = &functions[newest[place]];
        int own_stream = one->has_own_stream && flags & PER_THREAD_DEFAULT_STREAM;
        if (strcmp(one->base, base) || real[newest[place]] == NULL || one->version > version || one->own_stream != own_stream)
            continue;
        if (one->function == NULL || (found[newest[place]] != NULL && (void *)found[newest[place]] != address))
            return address;
        found[newest[place]] = (uint32_t(*)())address;
        return (void *)one->found_function;
    }
    return address;
}

static uint32_t after_call(int symbol, int place, const uint64_t *words, const uint64_t *read, uint32_t code, uint8_t flags)
{
    if (IS_LOOK_UP(symbol) && !code && words[1] && *(void **)words[1])
        *(void **)words[1] = stand_for((const char *)words[0], (int)words[2], words[3], *(void **)words[1]);
    after(symbol, place, words, read, code, flags);
    return code;
}

/* Functions of the driver whose arguments are not known. */
static struct {
    char name[128];
    void *function;
} others[OTHERS];

void *shadow_other(uint32_t number)
{
    int error = errno;
    if (ring != NULL && !self.inside)
        put_call((struct record){.kind = UNKNOWN_CALLED, .symbol = (uint16_t)number}, others[number].name, strlen(others[number].name));
    errno = error;
    return others[number].function;
}

#define QUOTED(text) #text
#define TEXT_OF(text) QUOTED(text)

/* shadow_other_0 and so on: keep all registers with arguments, ask for the function, and jump to it. */
__asm__(".text\n"
        "other:\n"
        "    pushq %rbp\n    movq %rsp, %rbp\n    pushq %rdi\n    pushq %rsi\n    pushq %rdx\n    pushq %rcx\n"
        "    pushq %r8\n    pushq %r9\n    pushq %rax\n    pushq %r10\n    subq $128, %rsp\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    movl %r11d, %edi\n    call shadow_other@PLT\n    movq %rax, %r11\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    addq $128, %rsp\n    popq %r10\n    popq %rax\n    popq %r9\n    popq %r8\n    popq %rcx\n    popq %rdx\n"
        "    popq %rsi\n    popq %rdi\n    popq %rbp\n    jmp *%r11\n"
        ".altmacro\n"
        ".macro other_function number\n"
        ".globl shadow_other_\\number\n.type shadow_other_\\number, @function\n"
        "shadow_other_\\number:\n    endbr64\n    movl $\\number, %r11d\n    jmp other\n"
        ".endm\n"
        ".set place, 0\n"
        ".rept " TEXT_OF(OTHERS) "\n    other_function %place\n    .set place, place + 1\n.endr\n"
        ".noaltmacro\n");

/* Read the names of the driver's other functions, one a line. */
static void find_others(const char *path, void *driver)
{
    FILE *file = fopen(path, "re");
    for (int number = 0; file != NULL && number < OTHERS; number++) {
        char *name = others[number].name;
        if (fgets(name, sizeof others[number].name, file) == NULL)
            break;
        name[strcspn(name, "\n")] = 0;
        others[number].function = symbol_in(driver, name);
    }
    if (file != NULL)
        fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
    Dl_info own;
    char path[sizeof folder + 16], driver_path[4096] = "";
    if (!dladdr((void *)begin, &own) || strrchr(own.dli_fname, '/') == NULL)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(own.dli_fname, '/') + 1 - own.dli_fname), own.dli_fname);
    snprintf(stub_path, sizeof stub_path, "%slibcuda.so.1", folder);
    snprintf(path, sizeof path, "%sdriver", folder);
    if (readlink(path, driver_path, sizeof driver_path - 1) < 0)
        return; /* the reader has loaded this library */
#ifdef FIRST
    static const char *const homes[] = {"libc.so.6", "libdl.so.2"}; /* the second before glibc 2.34 */
    for (int home = 0; home < 2; home++) {
        void *library = dlopen(homes[home], RTLD_NOW | RTLD_NOLOAD), *own_dlsym = library ? dlvsym(library, "dlsym", FIRST) : NULL;
        if (own_dlsym != NULL)
            symbol_in = (void *(*)(void *, const char *))own_dlsym;
    }
#endif
    void *driver = dlopen(driver_path, RTLD_NOW | RTLD_LOCAL);
    if (driver == NULL) {
        fprintf(stderr, "fakecuda: the driver %s cannot be loaded: %s\n", driver_path, dlerror());
        return;
    }
    for (int place = 0; place < SYMBOL_COUNT; place++)
        real[place] = (uint32_t(*)())symbol_in(driver, functions[place].name);
    snprintf(path, sizeof path, "%sothers", folder);
    find_others(path, driver);
    snprintf(path, sizeof path, "%sstacks", folder);
    find_unwinder(path);
    snprintf(path, sizeof path, "%sfaults", folder);
    find_faults(path);
    snprintf(path, sizeof path, "%sring", folder);
    find_ring(path);
    notice_forks();
    dlerror(); /* a program may ask for it before its first own look-up */
}

/* Say that this process ends in order, after its exit handlers. */
__attribute__((destructor)) static void end(void)
{
    if (ring != NULL && process->number)
        put_call((struct record){.kind = PROCESS_ENDED}, NULL, 0);
}
