/* Faults: calls that are answered with an error and do not reach the driver.

   The file `faults` beside the library has a line of numbers for each: its code, the first call that is refused, how many are, of
   2^32 calls the share that is, a seed, and the functions. The ring counts the calls of all processes. */

static struct fault {
    uint64_t code, nth, times, share, seed;
} faults[MOST_FAULTS];
static uint32_t faults_of[SYMBOL_COUNT]; /* a bit for each fault */

/* Return a number below 2^32 that follows from a seed and the number of a call: splitmix64. */
static uint64_t drawn(uint64_t seed, uint64_t number)
{
    uint64_t mixed = seed + number * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return (mixed ^ mixed >> 31) >> 32;
}

/* Return the code that a call is answered with in the driver's place; 0 if the driver answers. */
static uint32_t fault_of(int symbol)
{
    uint32_t code = 0;
    if (ring == NULL || self.inside != 1)
        return 0;
    for (int place = 0; place < MOST_FAULTS; place++) {
        const struct fault *one = &faults[place];
        if (!(faults_of[symbol] >> place & 1))
            continue;
        uint64_t number = __atomic_add_fetch(&ring->met[place], 1, __ATOMIC_RELAXED);
        if (number < one->nth || drawn(one->seed, number) >= one->share)
            continue;
        if (__atomic_fetch_add(&ring->came[place], 1, __ATOMIC_RELAXED) >= one->times)
            __atomic_fetch_sub(&ring->came[place], 1, __ATOMIC_RELAXED);
        else if (!code)
            code = (uint32_t)one->code;
    }
    return code;
}

/* Read the faults of a folder: a line of numbers for each. */
static void find_faults(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    for (int place = 0; file != NULL && place < MOST_FAULTS && fgets(line, sizeof line, file) != NULL; place++) {
        const char *at = line;
        uint64_t numbers[] = {0, 0, 0, 0, 0};
        for (int number = 0; number < 5; number++, at++)
            numbers[number] = read_number(&at);
        faults[place] = (struct fault){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
        for (; *at >= '0' && *at <= '9'; at++) {
            uint64_t symbol = read_number(&at);
            if (symbol < SYMBOL_COUNT)
                faults_of[symbol] |= 1u << place;
        }
    }
    if (file != NULL)
        fclose(file);
}
