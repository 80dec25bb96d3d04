/* Requests of the owner that concern this process's memory: loads, stores, copies and mappings; and texts to print. */

enum { LOAD = 1, STORE, TO_FILE, TO_MEMORY, ACCESS, RUN, WITHIN, FILL, EACH, VALUES, PRINT };

#define MOST_FILES 32
#define READABLE 1
#define WRITABLE 3

static struct {
    uint64_t start, end;
    int files[MOST_FILES];
    uint8_t *bases[MOST_FILES];
    int count;
    pthread_mutex_t lock;
} space = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t unknown_at, unknown_size;
static int unmapped; /* whether a device's file did not fit into this process's address space */

/* Return whether a byte can be copied between two addresses of this process. A copy by the system does not fault. */
static int can_copy(uint64_t to, uint64_t from)
{
    struct iovec target = {(void *)to, 1}, source = {(void *)from, 1};
    return process_vm_readv(getpid(), &target, 1, &source, 1, 0) == 1;
}

static int access_of_byte(uint64_t at)
{
    uint8_t room;
    if (can_copy(at, at) || errno == ENOSYS || errno == EPERM)
        return WRITABLE;
    return can_copy((uint64_t)&room, at) ? READABLE : 0;
}

/* Return the access of this process to a range, from its first and last page; 0 if parts are not mapped. */
static int access_of(uint64_t start, uint64_t size)
{
    uint64_t page = start & ~(uint64_t)(getpagesize() - 1), end = start + size;
    if (!size)
        return WRITABLE;
    if (end < start || msync((void *)page, end - page, MS_ASYNC))
        return 0;
    int first = access_of_byte(start), last = access_of_byte(end - 1);
    return first < last ? first : last;
}

static int reaches(uint64_t start, uint64_t size, int access)
{
    if (access_of(start, size) >= access)
        return 1;
    unknown_at = start;
    unknown_size = size;
    return 0;
}

/* Return the address of a file of the machine in this process. Host memory has the same addresses in all processes. */
static uint8_t *base_of(uint64_t file)
{
    struct stat status;
    if (file == 0)
        return (uint8_t *)space.start;
    pthread_mutex_lock(&space.lock);
    if (space.bases[file] == NULL && !syscall(SYS_fstat, space.files[file], &status)) {
        void *base = mmap(
            NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, space.files[file], 0);
        space.bases[file] = base == MAP_FAILED ? NULL : base;
    }
    pthread_mutex_unlock(&space.lock);
    return space.bases[file];
}

static void exchange(uint64_t what, uint64_t at, uint64_t file, uint64_t offset, uint64_t size)
{
    if (!reaches(at, size, what == TO_MEMORY ? WRITABLE : READABLE) || file >= (uint64_t)space.count)
        return;
    uint8_t *base = base_of(file);
    unmapped |= base == NULL;
    if (base == NULL)
        complain("a device of the machine does not fit into this process's address space: raise its limit (ulimit -v unlimited)");
    else if (what == TO_FILE)
        memmove(base + offset, (void *)at, size);
    else
        memmove((void *)at, base + offset, size);
}

static void give(struct bytes *to, uint64_t at, uint64_t size)
{
    put_bytes(to, reaches(at, size, READABLE) ? (void *)at : NULL, size);
}

/* Do a request, and append the answer. Functions are run in another place. */
static void serve(struct cursor *from, struct bytes *to)
{
    size_t members = next(from).size;
    uint64_t what = next(from).number, numbers[4] = {0};
    if (what == EACH) {
        struct bytes none = {0};
        for (size_t left = next(from).size; left; left--)
            serve(from, &none);
        free(none.at);
        put_nothing(to);
        return;
    }
    if (what == VALUES) {
        size_t count = next(from).size;
        put_array(to, count);
        for (; count; count--) {
            next(from);
            uint64_t at = next(from).number;
            give(to, at, next(from).number);
        }
        return;
    }
    struct item content = {0};
    for (size_t place = 0; place + 1 < members && place < 4; place++) {
        struct item item = next(from);
        if (item.kind == BYTES)
            content = item;
        numbers[place] = item.number;
    }
    if (what == LOAD) {
        give(to, numbers[0], numbers[1]);
        return;
    }
    if (what == ACCESS) {
        int outside = numbers[0] >= space.end || numbers[0] + numbers[1] <= space.start;
        put_unsigned(to, outside ? (uint64_t)access_of(numbers[0], numbers[1]) : 0);
        return;
    }
    if (what == STORE && reaches(numbers[0], content.size, WRITABLE))
        memmove((void *)numbers[0], content.bytes, content.size);
    else if (what == WITHIN && reaches(numbers[1], numbers[2], READABLE) && reaches(numbers[0], numbers[2], WRITABLE))
        memmove((void *)numbers[0], (void *)numbers[1], numbers[2]);
    else if (what == FILL && reaches(numbers[0], numbers[2], WRITABLE))
        memset((void *)numbers[0], (int)numbers[1], numbers[2]);
    else if (what == TO_FILE || what == TO_MEMORY)
        exchange(what, numbers[0], numbers[1], numbers[2], numbers[3]);
    else if (what == PRINT)
        fwrite(content.bytes, 1, content.size, stdout); /* between the program's own texts */
    put_nothing(to);
}

/* Map files at device addresses, or unmap them; return whether the system has done it. */
static int map_changes(struct cursor *from)
{
    int done = 1;
    for (size_t left = next(from).size; left; left--) {
        next(from);
        uint64_t at = next(from).number, size = next(from).number;
        int64_t file = (int64_t)next(from).number;
        off_t offset = (off_t)next(from).number;
        if (at < space.start || at + size > space.end || file >= space.count)
            continue;
        if (file < 0)
            mmap((void *)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        else
            done &= mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, space.files[file], offset) !=
                    MAP_FAILED;
    }
    if (!done)
        complain("memory of the machine cannot be mapped in this process: raise vm.max_map_count or its limit (ulimit -v)");
    return done;
}

/* Reserve the machine's device addresses, so that nothing else is mapped there. */
static int reserve(uint64_t start, uint64_t end)
{
    if (space.start == start && space.end == end)
        return 1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap((void *)start, end - start, PROT_NONE, flags, -1, 0) != (void *)start)
        return 0;
    space.start = start;
    space.end = end;
    return 1;
}
