/* Frames on a Unix socket: a header, a body, and descriptors that are sent with the first byte. */

enum { HELLO = 1, WELCOME, REFUSED, CALL, RESULT, RAISED, QUESTION, ANSWER, NOTE, NOTED, ENDED };

#define MOST_DESCRIPTORS 32

struct frame {
    int kind;
    uint8_t *body;
    struct cursor cursor;
    int descriptors[MOST_DESCRIPTORS];
    int count, lost; /* lost: whether descriptors came that this process could not take */
};

static __thread int failed_by; /* the system error of the last failure of a connection */

static int is_scarce(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == ETOOMANYREFS;
}

/* Return whether to repeat a failed system call. If a resource is short, this waits a little, a limited number of times. */
static int again(int *tries)
{
    if (errno == EINTR)
        return 1;
    if (!is_scarce(errno) || ++*tries > 8)
        return 0;
    usleep(1000u << *tries);
    return 1;
}

static void drop(struct frame *frame)
{
    for (int number = 0; number < frame->count; number++)
        close(frame->descriptors[number]);
    free(frame->body);
    frame->count = 0;
    frame->body = NULL;
}

/* Send a frame, with a descriptor unless it is -1; return whether the other end is still connected. */
static int send_frame(int line, int kind, const struct bytes *body, int descriptor)
{
    if (body->lost) {
        failed_by = ENOMEM;
        return 0;
    }
    uint8_t header[8];
    uint32_t size = (uint32_t)body->size;
    uint16_t version = PROTOCOL, what = (uint16_t)kind;
    memcpy(header, &size, 4);
    memcpy(header + 4, &version, 2);
    memcpy(header + 6, &what, 2);
    struct iovec parts[2] = {{header, 8}, {body->at, body->size}};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } beside = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (descriptor >= 0) {
        message.msg_control = beside.room;
        message.msg_controllen = sizeof beside.room;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    }
    int tries = 0;
    while (message.msg_iovlen) {
        ssize_t sent = sendmsg(line, &message, MSG_NOSIGNAL);
        if (sent < 0 && again(&tries))
            continue;
        if (sent < 0) {
            failed_by = errno;
            shutdown(line, SHUT_RDWR); /* so that the other end does not wait for the rest */
            return 0;
        }
        message.msg_control = NULL;
        message.msg_controllen = 0;
        while (message.msg_iovlen && (size_t)sent >= message.msg_iov->iov_len) {
            sent -= (ssize_t)message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
            message.msg_iov->iov_len -= (size_t)sent;
        }
    }
    return 1;
}

static int receive_all(int line, void *to, size_t size, struct frame *frame)
{
    int tries = 0;
    for (size_t done = 0; done < size;) {
        union {
            struct cmsghdr head;
            char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
        } beside;
        struct iovec part = {(char *)to + done, size - done};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.room, .msg_controllen = sizeof beside.room};
        ssize_t came = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
        if (came < 0 && again(&tries))
            continue;
        if (came <= 0) {
            failed_by = came ? errno : 0;
            return 0;
        }
        frame->lost |= (message.msg_flags & MSG_CTRUNC) != 0;
        done += (size_t)came;
        for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head != NULL; head = CMSG_NXTHDR(&message, head)) {
            int found = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
                continue;
            for (int number = 0; number < found; number++) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(head) + number * (int)sizeof(int), sizeof(int));
                if (frame->count < MOST_DESCRIPTORS)
                    frame->descriptors[frame->count++] = descriptor;
                else
                    close(descriptor);
            }
        }
    }
    return 1;
}

/* Receive a frame of this protocol; return whether one came. The caller drops it. */
static int receive_frame(int line, struct frame *frame)
{
    uint8_t header[8];
    uint32_t size;
    uint16_t version, kind;
    memset(frame, 0, sizeof *frame);
    int came = receive_all(line, header, 8, frame);
    memcpy(&size, header, 4);
    memcpy(&version, header + 4, 2);
    memcpy(&kind, header + 6, 2);
    if (came && version == PROTOCOL && size <= MOST_BODY) {
        frame->kind = kind;
        frame->body = room(NULL, size + 1);
        if (frame->body == NULL)
            failed_by = ENOMEM;
        frame->cursor = (struct cursor){frame->body, frame->body + size};
        if (frame->body != NULL && receive_all(line, frame->body, size, frame))
            return 1;
    }
    drop(frame);
    return 0;
}

/* Set a time limit in seconds for connecting, sending and receiving; 0 for no limit. */
static void limit(int line, int seconds)
{
    struct timeval time = {seconds, 0};
    setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/* Return whether this process is at the other end of a connection. A test that plays both ends defines BOTH_ENDS. */
static int is_own(int line)
{
    struct ucred other = {0};
    socklen_t size = sizeof other;
#ifdef BOTH_ENDS
    return 0;
#endif
    return !getsockopt(line, SOL_SOCKET, SO_PEERCRED, &other, &size) && other.pid == getpid();
}

/* Connect to a socket. Its path may be longer than the system allows. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), directory = -1, failed = line < 0;
    const char *name = strrchr(path, '/');
    if (!failed)
        limit(line, GREETED);
    if (strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
    } else {
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
        directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        failed = failed || directory < 0;
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d%.60s", directory, name);
    }
    while (!failed && connect(line, (struct sockaddr *)&address, sizeof address))
        failed = errno != EINTR;
    failed_by = errno;
    if (directory >= 0)
        close(directory);
    if (!failed)
        return line;
    if (line >= 0)
        close(line);
    return -1;
}
