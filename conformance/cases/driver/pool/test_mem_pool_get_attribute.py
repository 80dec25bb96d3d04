"""cuMemPoolGetAttribute: a setting, a size or a property of a pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.pool.fixtures import (
    ATTRIBUTE,
    CHUNK,
    HOST_NUMA,
    SIZE,
    books,
    imported,
    memory,
    pool,
    props,
    refuse,
    value,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED, POSIX
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemPoolGetAttribute", pool=pool(a), attr=ATTRIBUTE["RELEASE_THRESHOLD"])


entry = Entry("cuMemPoolGetAttribute", valid)
refuse(entry)
entry.null("value", "RESULT_IS_GIVEN")
for attribute in (0, 16, 99):
    entry.breaks("ATTRIBUTE_IS_KNOWN", f"attribute {attribute}", attr=attribute)
for name, attribute in ATTRIBUTE.items():
    if attribute > ATTRIBUTE["USED_MEM_HIGH"]:
        entry.breaks("ATTRIBUTE_IS_KNOWN", name.lower(), attr=attribute)
    else:
        entry.also(name.lower(), attr=attribute)


entry.also("of the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))


@entry.also("memory in use")
def in_use(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    for size in (1, 512, 513, SIZE, CHUNK):
        memory(a, source, size)
        for name in ("RESERVED_MEM_CURRENT", "RESERVED_MEM_HIGH", "USED_MEM_CURRENT", "USED_MEM_HIGH"):
            value(a, source, name)


@entry.also("what cuMemFree has freed goes on counting as used")
def freed(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    a.ok.cuMemFree(memory(a, source))
    assert books(a, source) == (0, SIZE)


for name, attribute in ATTRIBUTE.items():
    if attribute <= ATTRIBUTE["USED_MEM_HIGH"]:

        @entry.world("POOL_HAS_BOOKS", name.lower())
        def of_an_import(w: World, i: Invocation, attribute: int = attribute) -> Invocation:
            return i.evolve(pool=imported(i.process, w.process())[0], attr=attribute)


test_mem_pool_get_attribute = entry.test()


def test_what_a_newer_driver_knows() -> None:
    """Drivers newer than the recorded ones report the properties of a pool."""
    wanted = {
        "ALLOCATION_TYPE": PINNED,
        "EXPORT_HANDLE_TYPES": POSIX,
        "LOCATION_ID": 0,
        "LOCATION_TYPE": HOST_NUMA,
        "MAX_POOL_SIZE": 2 * CHUNK,
        "HW_DECOMPRESS_ENABLED": 0,
    }
    for release, domain in ((13020, (Result.INVALID_VALUE, None)), (13040, (Result.SUCCESS, -1))):
        with described(attrs.evolve(load("h200"), driver_version=release)) as c:
            _, made = c.cuMemPoolCreate(props(handle_types=POSIX, location=(HOST_NUMA, 0), max_size=CHUNK + 1))
            for name, expected in wanted.items():
                assert c.cuMemPoolGetAttribute(made, ATTRIBUTE[name]) == (Result.SUCCESS, expected)
            assert c.cuMemPoolGetAttribute(made, ATTRIBUTE["LOCALITY_DOMAIN_ID"]) == domain
            assert c.cuMemPoolSetAttribute(made, ATTRIBUTE["LOCATION_ID"], 0) == (Result.INVALID_VALUE,)


def test_what_an_older_driver_does_not_know() -> None:
    """The header of CUDA 13.1 has none of these attributes."""
    with described(attrs.evolve(load("h200"), driver_version=13010)) as c:
        _, made = c.cuMemPoolCreate(props(handle_types=POSIX))
        assert c.cuMemPoolGetAttribute(made, ATTRIBUTE["ALLOCATION_TYPE"]) == (Result.INVALID_VALUE, None)


def test_a_pool_for_decompression_says_so() -> None:
    with described(attrs.evolve(load("h200"), driver_version=13020)) as c:
        _, made = c.cuMemPoolCreate(props(usage=2))
        assert c.cuMemPoolGetAttribute(made, ATTRIBUTE["HW_DECOMPRESS_ENABLED"]) == (Result.SUCCESS, 1)


def test_an_imported_pool_exports_nothing() -> None:
    with described(attrs.evolve(load("h200"), driver_version=13020)) as c:
        _, made = c.cuMemPoolCreate(props(handle_types=POSIX))
        _, descriptor = c.cuMemPoolExportToShareableHandle(made, POSIX, 0)
        _, into = c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
        assert c.cuMemPoolGetAttribute(into, ATTRIBUTE["EXPORT_HANDLE_TYPES"]) == (Result.SUCCESS, 0)
        assert c.cuMemPoolGetAttribute(into, ATTRIBUTE["LOCATION_TYPE"]) == (Result.SUCCESS, DEVICE)
        os.close(descriptor)
