/* The ring: a file that the processes of the program and the reader map. Its layout stands in fakecuda.reach.shadow.ring, too. */

struct ring {
    uint64_t digest;         /* of the symbols by whose numbers records name functions */
    uint64_t capacity;       /* the bytes for records */
    uint64_t head, tail;     /* the bytes that were ever written and read */
    uint64_t tickets;        /* of all processes together */
    uint64_t lost;           /* records that no ring took */
    uint64_t nested;         /* calls within a call of the same thread, which have no record */
    int32_t reader, closed;  /* the process that reads, and whether it reads no more */
    pthread_mutex_t lock;
    uint64_t met[MOST_FAULTS], came[MOST_FAULTS]; /* for each fault: the calls so far, and those that it refused */
};

#define RING_HEAD 4096 /* where records begin */

enum { PROCESS_STARTED = 1, CALLED, ANSWERED, UNKNOWN_CALLED, STACK_OF_CALL, PROCESS_ENDED };
/* What the record should have had did not fit; a fork of a process that had used the driver; a fault answered. */
enum { IS_CUT = 1, FORKED_LATER = 2, IS_FAULT = 4 };

struct record {
    uint32_t size; /* with this head, without the padding to 8 bytes */
    uint8_t kind, flags;
    uint16_t symbol;
    uint64_t ticket;
    int32_t process, thread, code, parent;
};
