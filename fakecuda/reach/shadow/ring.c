/* Writing into the ring.

   A robust lock orders the writers of all processes: if one is killed with it, the next takes it over, and what the dead one
   was writing does not count, because the head has not moved. So nothing that was written is lost by a signal.
   If the ring is full, the writer waits for the reader. If the reader is gone, the record is counted as lost. */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* headers before glibc 2.27 do not have it */
#endif

static struct ring *ring;
static int is_head_only; /* there was no room to map more of the ring: each record is lost */
static char ring_path[4096 + 16];

/* The current process, once it has a record. A fork has a page of zeros in its place, also if no handler ran at the fork. */
static struct process {
    int32_t number;
} own_process, *process = &own_process;
static int was_told; /* whether this process or one that it is a fork of has a record */

/* The current thread. */
static __thread struct {
    int32_t number, process;
    int inside;  /* how many calls of the driver it makes */
    int writing; /* whether it holds the lock: a signal handler that calls the driver must not wait for it */
} self;

static void count(uint64_t *what) { __atomic_add_fetch(what, 1, __ATOMIC_RELAXED); }

/* Return whether the reader lives. A program may number processes in another way than the reader, which holds a lock on the file. */
static int is_read(void)
{
    if (!kill(ring->reader, 0) || errno != ESRCH)
        return 1;
    int file = open(ring_path, O_RDONLY | O_CLOEXEC);
    int locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (file >= 0)
        close(file);
    return locked;
}

/* Return whether there is room for some bytes. Wait for it while there is a reader. */
static int has_room(uint64_t size)
{
    struct timespec a_moment = {0, 50000};
    while (ring->capacity - (ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) < size) {
        if (ring->closed || !is_read()) {
            ring->closed = 1;
            return 0;
        }
        syscall(SYS_nanosleep, &a_moment, NULL); /* the C library's own is a point of cancellation */
    }
    return !ring->closed;
}

/* Copy bytes behind the head, and continue at the ring's begin at its end. */
static uint64_t copy_in(uint64_t at, const void *from, uint64_t size)
{
    uint8_t *records = (uint8_t *)ring + RING_HEAD;
    uint64_t place = at % ring->capacity, first = ring->capacity - place < size ? ring->capacity - place : size;
    memcpy(records + place, from, first);
    memcpy(records, (const uint8_t *)from + first, size - first);
    return at + size;
}

/* Write a record at the head; the caller holds the lock. */
static void put_locked(struct record record, const void *body, uint64_t size)
{
    record.size = (uint32_t)(sizeof record + size);
    uint64_t padded = (record.size + 7ull) & ~7ull;
    if (is_head_only || !has_room(padded)) {
        count(&ring->lost);
        return;
    }
    record.ticket = ++ring->tickets;
    record.process = process->number;
    record.thread = self.number;
    copy_in(copy_in(ring->head, &record, sizeof record), body, size);
    __atomic_store_n(&ring->head, ring->head + padded, __ATOMIC_RELEASE);
}

/* Say who this process is, before its first record: another thread may not write before that. */
static void tell_process(void)
{
    static char name[4096]; /* the lock guards it */
    process->number = getpid();
    ssize_t size = readlink("/proc/self/exe", name, sizeof name);
    struct record record = {.kind = PROCESS_STARTED, .parent = getppid(), .flags = was_told ? FORKED_LATER : 0};
    was_told = 1;
    put_locked(record, name, size < 0 ? 0 : (uint64_t)size);
}

static void put_call(struct record record, const void *body, uint64_t size)
{
    if (self.writing) {
        count(&ring->lost);
        return;
    }
    self.writing = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (pthread_mutex_lock(&ring->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&ring->lock);
    if (!process->number || self.process != process->number)
        self.number = (int32_t)syscall(SYS_gettid);
    if (!process->number)
        tell_process();
    self.process = process->number;
    put_locked(record, body, size);
    pthread_mutex_unlock(&ring->lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self.writing = 0;
}

static void in_child(void) { process->number = 0; }

/* Notice forks. The C library's _Fork and the system call run no handlers; systems before Linux 4.14 give no pages of zeros. */
static void notice_forks(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED && !madvise(at, page, MADV_WIPEONFORK))
        process = at;
    pthread_atfork(NULL, NULL, in_child);
}

/* Make a ring of a file that is mapped; the reader calls it. */
void shadow_make(struct ring *made, uint64_t digest, uint64_t capacity)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&made->lock, &kind);
    made->digest = digest;
    made->capacity = capacity;
    made->reader = getpid();
}

/* Map the ring of a folder, or at least its head, which counts lost records; without one, calls pass without a record. */
static void find_ring(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    snprintf(ring_path, sizeof ring_path, "%s", path);
    off_t size = lseek(file, 0, SEEK_END);
    if (size > RING_HEAD) {
        void *at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        is_head_only = at == MAP_FAILED;
        if (is_head_only)
            at = mmap(NULL, RING_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at != MAP_FAILED && ((struct ring *)at)->digest == SYMBOLS)
            ring = at;
    }
    close(file);
}
