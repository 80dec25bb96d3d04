/* Say which call answers something else than it should, and end. */
#define EXPECT(code, call)                                                      \
    do {                                                                        \
        int answered = (call);                                                  \
        if (answered != (code)) {                                               \
            printf("line %d: %s: %d\n", __LINE__, #call, answered);             \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
#define CHECK(fact)                                                             \
    do {                                                                        \
        if (!(fact)) {                                                          \
            printf("line %d: %s does not hold\n", __LINE__, #fact);             \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
