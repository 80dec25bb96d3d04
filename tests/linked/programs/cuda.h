/* What the programs of the tests know of the driver API: prototypes of the manual. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

typedef unsigned long long CUdeviceptr;
typedef struct { char reserved[64]; } CUipcMemHandle;
typedef struct { int type, id; } CUmemLocation;
typedef struct { int type, requestedHandleTypes; CUmemLocation location; void *win32; struct { unsigned char a, b; unsigned short c; unsigned char reserved[4]; } flags; } CUmemAllocationProp;
typedef struct { CUmemLocation location; int flags; } CUmemAccessDesc;
typedef unsigned long long CUmemGenericAllocationHandle;

int cuInit(unsigned);
int cuDeviceGetCount(int *);
int cuDeviceGetName(char *, int, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(CUdeviceptr *, size_t);
int cuMemFree_v2(CUdeviceptr);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, void *, const char *);
int cuModuleUnload(void *);
int cuLinkCreate_v2(unsigned, int *, void **, void **);
int cuLinkAddData_v2(void *, int, const void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(void *, void **, size_t *);
int cuLinkDestroy(void *);
int cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
int cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
int cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, void *);
int cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *, size_t, void *);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuIpcOpenMemHandle_v2(CUdeviceptr *, CUipcMemHandle, unsigned);
int cuIpcCloseMemHandle(CUdeviceptr);
int cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *, void *, int);
int cuMemExportToShareableHandle(void *, CUmemGenericAllocationHandle, int, unsigned long long);
int cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
int cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
int cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
int cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
int cuStreamCreate(void **, unsigned);
int cuStreamSynchronize(void *);
int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuGetErrorName(int, const char **);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuLaunchKernelEx(void);
int cuTexRefCreate(void);
