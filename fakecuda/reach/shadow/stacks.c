/* Stacks of calls, for a recording that asks for them: the file of each return address, and its offset there.

   The unwinder finds them by the tables that compilers write for each function. It takes some microseconds, so only calls that make
   or end objects, copy or fill have one; a launch has none. */

#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>

#define DEEPEST 24
#define ROOM_FOR_STACK 3500
#define ENTRY_SIZE 64 /* of the code at which a program begins */

static struct unwinder {
    _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
    _Unwind_Ptr (*address)(struct _Unwind_Context *);
} unwinder;

static const char *const with_stacks[] = {
    "Alloc", "Create", "Retain", "Load", "MemMap", "Reserve", "Import", "Export", "Open", "Register", "Instantiate", "EnablePeer",
    "Free", "Destroy", "Release", "Unmap", "Unload", "Close", "Unregister", "Reset", "Detach", "Memcpy", "Memset",
};

static uint8_t has_stack[SYMBOL_COUNT];

struct walk {
    int count;
    uint64_t address[DEEPEST];
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *one)
{
    struct walk *walk = one;
    walk->address[walk->count++] = (uint64_t)unwinder.address(context);
    return walk->count == DEEPEST ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/* Write the stack of the call that follows: a line for each return address outside this library and its stub. */
static void put_stack(void)
{
    struct walk walk = {0};
    char text[ROOM_FOR_STACK];
    size_t size = 0;
    unwinder.backtrace(step, &walk);
    for (int number = 0; number < walk.count; number++) {
        Dl_info info;
        struct link_map *object = NULL;
        const void *inside = (const void *)(walk.address[number] - 1);
        if (walk.address[number] - getauxval(AT_ENTRY) < ENTRY_SIZE)
            break;
        if (!dladdr1(inside, &info, (void **)&object, RTLD_DL_LINKMAP) || object == NULL || !strncmp(info.dli_fname, folder, strlen(folder)))
            continue;
        int added = snprintf(text + size, sizeof text - size, "%lx %s\n", (unsigned long)((uint64_t)inside - object->l_addr), object->l_name);
        if (added < 0 || size + (size_t)added >= sizeof text)
            break;
        size += (size_t)added;
    }
    put_call((struct record){.kind = STACK_OF_CALL}, text, size);
}

/* Look for the unwinder, if the recording wants stacks. */
static void find_unwinder(const char *path)
{
    void *library = access(path, F_OK) ? NULL : dlopen("libgcc_s.so.1", RTLD_NOW);
    if (library == NULL)
        return;
    unwinder.address = (_Unwind_Ptr(*)(struct _Unwind_Context *))dlsym(library, "_Unwind_GetIP");
    unwinder.backtrace = (_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))dlsym(library, "_Unwind_Backtrace");
    if (unwinder.address == NULL || unwinder.backtrace == NULL)
        return;
    for (int place = 0; place < SYMBOL_COUNT; place++)
        for (size_t part = 0; part < sizeof with_stacks / sizeof *with_stacks; part++)
            has_stack[place] |= strstr(functions[place].name, with_stacks[part]) != NULL;
}
