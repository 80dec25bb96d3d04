/* Stacks of calls, for a recording that asks for them: the file of each return address, and its offset there. Where the
   interpreter of Python called, its lines end the stack.

   The unwinder finds them by the tables that compilers write for each function. It takes about a microsecond for each frame, so
   only calls that make or end objects, copy or fill have one; a launch has none. The file of an address is looked up among the
   segments of the loaded files and kept: dladdr would look at each symbol of the file, which takes milliseconds. */

#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <unwind.h>

#define DEEPEST 16
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

/* Where an address lies: the file's name, and what is added to its offsets, as long as no further file is unloaded. */
struct site {
    uint64_t address, base, unloads;
    const char *file;
};

/* Those of all threads: a thread's stack may have no room for them. A thread that finds them taken looks by itself. */
static struct {
    int taken;
    struct site known[256];
} sites;

static int find_site(struct dl_phdr_info *info, size_t size, void *one)
{
    struct site *site = one;
    for (int number = 0; number < info->dlpi_phnum; number++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[number];
        if (segment->p_type == PT_LOAD && site->address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
            site->base = info->dlpi_addr;
            site->file = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *unloads)
{
    *(uint64_t *)unloads = size > offsetof(struct dl_phdr_info, dlpi_subs) ? info->dlpi_subs : 0;
    return 1;
}

static int take_sites(void) { return !__atomic_exchange_n(&sites.taken, 1, __ATOMIC_ACQUIRE); }

static void give_sites(void) { __atomic_store_n(&sites.taken, 0, __ATOMIC_RELEASE); }

/* Return where an address lies; without a file if that is not known. */
static struct site site_of(uint64_t address, uint64_t unloads)
{
    struct site site = {.file = NULL}, *kept = &sites.known[(address * 0x9E3779B97F4A7C15) >> 56];
    if (take_sites()) {
        site = *kept;
        give_sites();
    }
    if (site.address != address || site.unloads != unloads) {
        site = (struct site){.address = address, .unloads = unloads};
        dl_iterate_phdr(find_site, &site);
        if (take_sites()) {
            *kept = site;
            give_sites();
        }
    }
    return site;
}

#include "lines.c"

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

/* Write the stack of the call that follows: a line for each return address outside this library and its stub.

   The interpreter's own addresses say nothing of the program, so the lines of Python stand in their place. */
static void put_stack(void)
{
    struct walk walk = {0};
    char text[ROOM_FOR_STACK];
    size_t size = 0;
    uint64_t unloads = 0;
    dl_iterate_phdr(read_unloads, &unloads);
    unwinder.backtrace(step, &walk);
    for (int number = 0; number < walk.count; number++) {
        struct site site = site_of(walk.address[number] - 1, unloads);
        if (walk.address[number] - getauxval(AT_ENTRY) < ENTRY_SIZE)
            break;
        if (site.file == NULL || !strncmp(site.file, folder, strlen(folder)))
            continue;
        if (python.layout != NULL && !strcmp(site.file, python.at.file)) {
            size_t lines = put_lines(text + size, sizeof text - size);
            if (lines) {
                size += lines;
                break;
            }
        }
        int added = snprintf(text + size, sizeof text - size, "%lx %s\n", (unsigned long)(site.address - site.base), site.file);
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
    find_python();
    for (int place = 0; place < SYMBOL_COUNT; place++)
        for (size_t part = 0; part < sizeof with_stacks / sizeof *with_stacks; part++)
            has_stack[place] |= strstr(functions[place].name, with_stacks[part]) != NULL;
}
