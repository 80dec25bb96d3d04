/* All memory that the client takes for itself. In a build with ROOM_FAILS a test has it fail: by ROOM_FIRST, which of all that is
   taken fails first, from 1 on, and by ROOM_TIMES, how many fail. ROOM_REPORT names the file that gets how many were asked for. */

static __thread int no_room; /* whether the current thread's call got less memory than it needs */

#ifdef ROOM_FAILS
static long rooms;

static int room_fails(void)
{
    const char *first = getenv("ROOM_FIRST"), *times = getenv("ROOM_TIMES");
    long number = __atomic_add_fetch(&rooms, 1, __ATOMIC_SEQ_CST);
    return first != NULL && number >= atol(first) && number - atol(first) < (times == NULL ? 1 : atol(times));
}

__attribute__((destructor(101))) static void report_rooms(void)
{
    FILE *file = getenv("ROOM_REPORT") == NULL ? NULL : fopen(getenv("ROOM_REPORT"), "w");
    if (file == NULL)
        return;
    fprintf(file, "%ld", rooms);
    fclose(file);
}
#else
static int room_fails(void) { return 0; }
#endif

/* Return memory of so many bytes, which has what the old one had; NULL if there is none, and the old one stays. */
static void *room(void *old, size_t size)
{
    void *found = room_fails() ? NULL : realloc(old, size);
    no_room |= found == NULL;
    return found;
}

static void *zeros(size_t size)
{
    void *found = room(NULL, size);
    return found == NULL ? NULL : memset(found, 0, size);
}
