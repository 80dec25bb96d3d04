/* One of two processes between which UCX moves bytes of devices: "target" lends its memory, "source" puts and gets. */
#include <poll.h>
#include <ucp/api/ucp.h>

#include "cuda.h"

#define SIZE 300000
#define GIVEN 7
#define PUT 11

static CUdeviceptr memory(int device, unsigned seed)
{
    void *context;
    CUdeviceptr pointer;
    unsigned char *bytes = malloc(SIZE);
    for (int place = 0; place < SIZE; place++)
        bytes[place] = (unsigned char)(place * seed >> 3);
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, device));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuMemAlloc_v2(&pointer, SIZE));
    EXPECT(0, cuMemcpyHtoD_v2(pointer, bytes, SIZE));
    free(bytes);
    return pointer;
}

static void compare(CUdeviceptr pointer, unsigned seed)
{
    unsigned char *bytes = malloc(SIZE);
    EXPECT(0, cuMemcpyDtoH_v2(bytes, pointer, SIZE));
    for (int place = 0; place < SIZE; place++)
        CHECK(bytes[place] == (unsigned char)(place * seed >> 3));
    free(bytes);
}

static void say(const void *bytes, size_t size)
{
    for (size_t place = 0; place < size; place++)
        printf("%02x", ((const unsigned char *)bytes)[place]);
    printf("\n");
    fflush(stdout);
}

static void *hear(size_t *size)
{
    static char text[1 << 16];
    CHECK(fgets(text, sizeof text, stdin) != NULL);
    *size = strcspn(text, "\n") / 2;
    unsigned char *bytes = malloc(*size + 1);
    for (size_t place = 0; place < *size; place++) {
        unsigned byte;
        sscanf(text + 2 * place, "%2x", &byte);
        bytes[place] = (unsigned char)byte;
    }
    return bytes;
}

static void finish(ucp_worker_h worker, ucs_status_ptr_t request)
{
    CHECK(!UCS_PTR_IS_ERR(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    EXPECT(UCS_OK, ucp_request_check_status(request));
    ucp_request_free(request);
}

static void lend(ucp_context_h context, ucp_worker_h worker)
{
    CUdeviceptr pointer = memory(0, GIVEN);
    ucp_mem_map_params_t asked = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
        .address = (void *)pointer,
        .length = SIZE,
        .memory_type = UCS_MEMORY_TYPE_CUDA};
    ucp_mem_h mapped;
    ucp_address_t *address;
    void *key;
    size_t size;
    EXPECT(UCS_OK, ucp_mem_map(context, &asked, &mapped));
    EXPECT(UCS_OK, ucp_worker_get_address(worker, &address, &size));
    say(address, size);
    EXPECT(UCS_OK, ucp_rkey_pack(context, mapped, &key, &size));
    say(key, size);
    say(&pointer, sizeof pointer);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    while (poll(&input, 1, 0) == 0)
        ucp_worker_progress(worker);
    compare(pointer, PUT);
    ucp_rkey_buffer_release(key);
    ucp_worker_release_address(worker, address);
    EXPECT(UCS_OK, ucp_mem_unmap(context, mapped));
}

static void move(ucp_worker_h worker)
{
    CUdeviceptr pointer = memory(1, PUT), there, room;
    size_t size;
    ucp_ep_params_t asked = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = hear(&size)};
    ucp_ep_h end;
    ucp_rkey_h key;
    EXPECT(UCS_OK, ucp_ep_create(worker, &asked, &end));
    void *packed = hear(&size);
    EXPECT(UCS_OK, ucp_ep_rkey_unpack(end, packed, &key));
    memcpy(&there, hear(&size), sizeof there);
    ucp_request_param_t plain = {0};
    EXPECT(0, cuMemAlloc_v2(&room, SIZE));
    finish(worker, ucp_get_nbx(end, (void *)room, SIZE, there, key, &plain));
    compare(room, GIVEN);
    unsigned char *bytes = calloc(1, SIZE);
    finish(worker, ucp_get_nbx(end, bytes, SIZE, there, key, &plain)); /* into memory of the host: by cuda_copy */
    for (int place = 0; place < SIZE; place++)
        CHECK(bytes[place] == (unsigned char)(place * GIVEN >> 3));
    finish(worker, ucp_put_nbx(end, (void *)pointer, SIZE, there, key, &plain));
    finish(worker, ucp_ep_flush_nbx(end, &plain));
    say("put", 3);
    hear(&size); /* the target has looked */
    ucp_rkey_destroy(key);
    finish(worker, ucp_ep_close_nbx(end, &plain));
}

int main(int count, char **arguments)
{
    ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_RMA};
    ucp_worker_params_t modes = {0};
    ucp_context_h context;
    ucp_worker_h worker;
    CHECK(count == 2);
    EXPECT(0, cuInit(0));
    EXPECT(UCS_OK, ucp_init(&features, NULL, &context));
    EXPECT(UCS_OK, ucp_worker_create(context, &modes, &worker));
    if (!strcmp(arguments[1], "target"))
        lend(context, worker);
    else
        move(worker);
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    return 0;
}
