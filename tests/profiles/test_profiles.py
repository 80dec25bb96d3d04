"""What a profile says, how many devices it can have, and what is said of one that is malformed."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest

from fakecuda import Machine, ProfileError
from fakecuda.near import suggestion
from fakecuda.profiles import LIMITS, Peer, Profile, load, names, parse
from fakecuda.profiles.keys import READ
from fakecuda.spec.driver import ENUMS

MINIMAL = """
schema = 1
name = "tiny"
origin = "documented"
driver_version = 12040
[[device]]
name = "Tiny"
uuid = "00000000000000000000000000000001"
pci = "0000:01:00.0"
total_memory = 1048576
attributes = { CU_DEVICE_ATTRIBUTE_WARP_SIZE = 32, READ, CU_DEVICE_ATTRIBUTE_OF_ANOTHER_DRIVER = 1 }
[granularity]
minimum = 65536
recommended = 2097152
""".replace("READ", ", ".join(f"{name} = 1" for name in READ))

HEAD, TAIL = MINIMAL.partition("[[device]]")[0], MINIMAL.partition("[granularity]")[2]


LINK = """
[[peer]]
src = 0
dst = 1
can_access = true
attributes = { CU_DEVICE_P2P_ATTRIBUTE_LUCK = 1 }
"""


def written(folder: Path, text: str) -> Path:
    """Return the path of a profile of that text."""
    path = folder / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", names())
def test_profiles_that_ship_are_well_formed(name: str) -> None:
    """Each names itself, has devices with names of their own, and links between devices that are there."""
    profile = load(name)
    assert profile.name == name
    assert profile.origin in {"probed", "documented"}
    assert profile.driver_version >= 12000
    cards = {device.pci for device in profile.devices}
    assert (
        len({device.uuid for device in profile.devices})
        == len(cards) + sum(device.mig for device in profile.devices) // 2
        == len(profile.devices)
    )
    for device in profile.devices:
        assert len(device.uuid) == 16
        assert 0 < device.free_memory <= device.total_memory
    for src, dst in profile.peers:
        assert src != dst
        assert max(src, dst) < len(profile.devices)
    assert profile.recommended % profile.granularity == 0


def test_h200_ships() -> None:
    """One card and a linked pair."""
    assert {"h200", "h200-x2"} <= set(names())


def test_a_profile_is_taken_as_it_is() -> None:
    """Whoever has one can change it and use it."""
    profile = attrs.evolve(load("h200"), driver_version=12000)
    assert load(profile) is profile
    with Machine(profile) as machine:
        assert machine.spawn().c.cuDriverGetVersion() == (0, 12000)


@pytest.mark.parametrize("as_text", [True, False])
def test_a_profile_is_read_from_a_path(tmp_path: Path, *, as_text: bool) -> None:
    """With defaults for what few machines differ in; attributes of other drivers are left out."""
    path = written(tmp_path, MINIMAL)
    profile = load(str(path) if as_text else path)
    (device,) = profile.devices
    assert (profile.name, profile.granularity, profile.recommended) == ("tiny", 65536, 2097152)
    assert device.free_memory == device.total_memory == 1 << 20
    assert device.attributes == {10: 32} | dict.fromkeys([ENUMS["CUdevice_attribute"][name] for name in READ], 1)
    assert device.limits == LIMITS
    assert device.limits is not LIMITS
    assert profile.peers == {}
    assert profile.strings[0]
    assert not profile.fabric
    assert profile.stream_priorities == (0, -5)


def test_limits_are_read(tmp_path: Path) -> None:
    """None stands for one that the device does not support; one that the driver does not know is left out."""
    more = """
[device.limits.attributes]
CU_LIMIT_STACK_SIZE = 512
CU_LIMIT_OF_ANOTHER_DRIVER = 1
[device.limits.refused]
CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = "UNSUPPORTED_LIMIT"
CU_LIMIT_OF_ANOTHER_DRIVER_STILL = "UNSUPPORTED_LIMIT"
CU_LIMIT_PER_BLOCK_MEMORY_SIZE = "INVALID_VALUE"
"""
    (device,) = load(written(tmp_path, MINIMAL.replace("[granularity]", more + "[granularity]"))).devices
    assert device.limits == {0: 512, 3: None}


def test_options_of_devices_and_links_are_read(tmp_path: Path) -> None:
    """LUIDs, kinds of execution affinity, and atomic operations over the links to the host and to peers."""
    more = """
luid = "0102030405060708"
node_mask = 1
exec_affinities = ["CU_EXEC_AFFINITY_TYPE_SM_COUNT"]
host_atomics = { CU_ATOMIC_OPERATION_CAS = 3 }
[[peer]]
src = 0
dst = 1
can_access = false
atomics = { CU_ATOMIC_OPERATION_INTEGER_MIN = 5 }
"""
    profile = load(written(tmp_path, MINIMAL.replace("[granularity]", more + "[granularity]")))
    (device,) = profile.devices
    assert (device.luid, device.node_mask) == (bytes(range(1, 9)), 1)
    assert (device.exec_affinities, device.host_atomics) == (frozenset({0}), {9: 3})
    assert profile.peers[0, 1].atomics == {1: 5}


def test_a_luid_has_its_length(tmp_path: Path) -> None:
    """Eight bytes."""
    path = written(tmp_path, MINIMAL.replace("[granularity]", 'luid = "01"\n[granularity]'))
    with pytest.raises(ProfileError, match="write a text of 16 hex digits"):
        load(path)


def test_options_are_read(tmp_path: Path) -> None:
    """Memory of a context, addresses, peers, fabric, priorities of streams, bandwidths, texts of errors, and links."""
    more = """
[memory]
context_memory = 4096
window = 1073741824
peer_limit = 1
fabric = true
[context]
stream_priorities = [0, -2]
[bandwidth]
bus = 1_000
[strings]
1 = "invalid argument"
[[peer]]
src = 0
dst = 1
can_access = false
attributes = { CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 3 }
"""
    profile = load(written(tmp_path, MINIMAL + more))
    assert (profile.context_memory, profile.window, profile.peer_limit, profile.fabric) == (4096, 1 << 30, 1, True)
    assert profile.stream_priorities == (0, -2)
    assert profile.bandwidth == attrs.evolve(load("h200").bandwidth, bus=1000)
    assert profile.strings == {1: "invalid argument"}
    assert profile.peers == {(0, 1): Peer(can_access=False, attributes={1: 3})}


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    """And only then."""
    path = written(tmp_path, MINIMAL)
    first = parse(path)
    assert parse(path) is first
    path.write_text(MINIMAL.replace('"tiny"', '"other"'))
    os.utime(path, ns=(1, 1))
    assert parse(path).name == "other"


@pytest.mark.parametrize("count", [1, 2, 3, 8, 16])
def test_a_count_makes_a_machine_of_so_many_cards(count: int) -> None:
    """All alike but for what tells them apart, all linked as the pair is."""
    profile = load(f"h200-x{count}")
    assert profile.name == f"h200-x{count}"
    assert len(profile.devices) == count
    assert len({device.uuid for device in profile.devices}) == count
    assert len({device.pci for device in profile.devices}) == count
    assert len({(device.name, device.total_memory) for device in profile.devices}) == 1
    assert len(profile.peers) == count * (count - 1)
    assert all(peer.can_access for peer in profile.peers.values())


def test_eight_cards_are_a_machine() -> None:
    """Found by their bus ids, each by its own."""
    with Machine("h200-x8") as machine:
        a = machine.spawn()
        a.c.cuInit(0)
        assert machine.profile.origin == "documented"
        assert a.c.cuDeviceGetCount() == (0, 8)
        for device in range(8):
            code, bus = a.c.cuDeviceGetPCIBusId(13, device)
            assert code == 0
            assert a.c.cuDeviceGetByPCIBusId(bus) == (0, device)
            assert a.c.cuDeviceCanAccessPeer(device, (device + 1) % 8) == (0, 1)


def test_fewer_devices_are_the_first_ones() -> None:
    """Links to those that are left out go with them."""
    pair = load("h200-x2")
    one = pair.with_devices(1)
    assert one.devices == pair.devices[:1]
    assert one.peers == {}
    assert pair.with_devices(0).devices == ()
    assert pair.with_devices(2).peers == pair.peers


def test_cards_without_a_link_are_not_linked_by_their_number() -> None:
    """A profile that says nothing of links gives none."""
    profile = load("h200").with_devices(3)
    assert list(profile.peers.values()) == [Peer(can_access=False, attributes={})] * 6


@pytest.mark.parametrize("bus", range(0x10, 0x18))
def test_added_cards_have_bus_ids_of_their_own(bus: int) -> None:
    """Wherever the first one is plugged in."""
    first = attrs.evolve(load("h200").devices[0], pci=f"0000:{bus:02x}:00.0")
    profile = attrs.evolve(load("h200"), devices=(first,)).with_devices(8)
    assert len({device.pci for device in profile.devices}) == 8


@pytest.mark.parametrize(
    "name", ["nope", "h200-x0", "h200-x", "h200-x-1", "h200-x²", "h200-x257", "nope-x2", "", "h100"]
)
def test_an_unknown_name_is_told_the_nearest_ones(name: str) -> None:
    """In one line, with the fix; without a near one, all of them."""
    with pytest.raises(ProfileError) as caught:
        load(name)
    assert (
        str(caught.value)
        == f"profile {name!r} is unknown; {suggestion(name, names())}; or write the path of a .toml file"
    )


def test_a_path_without_a_file_is_unknown(tmp_path: Path) -> None:
    """The path is named, and where it is looked for."""
    path = tmp_path / "missing.toml"
    with pytest.raises(ProfileError) as caught:
        load(path)
    assert str(caught.value).startswith(
        f"there is no file {str(path)!r} (current folder: {Path.cwd()}): write the path of a profile's TOML file, or"
    )


MALFORMED = {
    "text": (
        "schema = = 1",
        "not readable as TOML (Invalid value (at line 1, column 10)); write it again with: python -m realcuda.probe -o mine.toml",
    ),
    "schema": (
        MINIMAL.replace("schema = 1", "schema = 2"),
        "schema is 2, not 1; write it again with: python -m realcuda.probe",
    ),
    "no schema": (
        MINIMAL.replace("schema = 1", ""),
        "schema is None, not 1; write it again with: python -m realcuda.probe",
    ),
    "no name": (MINIMAL.replace('name = "tiny"', ""), "name is missing"),
    "no origin": (MINIMAL.replace('origin = "documented"', ""), "origin is missing"),
    "no driver": (MINIMAL.replace("driver_version = 12040", ""), "driver_version is missing"),
    "no uuid": (MINIMAL.replace("uuid = ", "id = "), "'id' is not a key of [device]; did you mean: uuid, luid"),
    "no pci": (MINIMAL.replace("pci = ", "bus = "), "'bus' is not a key of [device]"),
    "no memory": (
        MINIMAL.replace("total_memory = ", "memory = "),
        "'memory' is not a key of [device]; did you mean: free_memory, total_memory",
    ),
    "no attributes": (
        MINIMAL.replace("attributes = ", "values = "),
        "'values' is not a key of [device]; did you mean: attributes",
    ),
    "attributes of another kind": (
        MINIMAL.replace("attributes = {", "attributes = [{").replace("= 1 }", "= 1 }]"),
        "write a table",
    ),
    "no device": (MINIMAL.replace("[[device]]", "[[card]]"), "'card' is not a key of a profile"),
    "devices of another kind": (
        MINIMAL.replace("[[device]]", "device = 1\n[names]"),
        "device = 1: write a list of at most 256 tables",
    ),
    "an empty list of devices": (
        f"{HEAD}device = []\n[granularity]{TAIL}",
        "device is empty: write a table [[device]]",
    ),
    "no granularity": (MINIMAL.partition("[granularity]")[0], "granularity is missing"),
    "a table instead of a text": (f"{MINIMAL}[driver]", "driver = {}: write a text"),
    "an unknown key of a context": (f"{MINIMAL}[context]\nflag = 1", "'flag' is not a key of [context]"),
    "a bad uuid": (
        MINIMAL.replace("000000000001", "00000000000x"),
        "device[0].uuid = '0000000000000000000000000000000x': write a text of 32 hex digits",
    ),
    "an unknown attribute of a link": (MINIMAL + LINK, "CU_DEVICE_P2P_ATTRIBUTE_LUCK"),
    "an unknown bandwidth": (MINIMAL + "[bandwidth]\nbeam = 1\n", "'beam'"),
    "bytes that do not move": (
        MINIMAL + "[bandwidth]\nlink = 0\n",
        "bandwidth.link = 0: write a whole number from 1 to",
    ),
    "bytes in words": (MINIMAL + '[bandwidth]\nbus = "64 GB/s"\n', "bandwidth.bus = '64 GB/s': write a whole number"),
    "a misspelt table": (
        MINIMAL + "[memroy]\nwindow = 1\n",
        "'memroy' is not a key of a profile; did you mean: memory",
    ),
    "a misspelt key": (MINIMAL + "[memory]\nwidnow = 1\n", "'widnow' is not a key of [memory]; did you mean: window"),
    "a list for a name": (
        MINIMAL.replace('name = "tiny"', "name = []"),
        "name = []: write a printable text of 1 to 255 bytes",
    ),
    "memory that is no number": (
        MINIMAL.replace("total_memory = ", "total_memory = nan # "),
        "device[0].total_memory = nan: write a whole number from 0 to",
    ),
    "no number of devices": (
        MINIMAL.replace("schema = 1", "schema = 1\ncount = 99999999999999999999"),
        "count = 99999999999999999999: write a whole number from 1 to 256",
    ),
    "a code that is no number": (MINIMAL + '[strings]\nx = "y"\n', "strings.x: write numbers of codes"),
}


@pytest.mark.parametrize(("text", "said"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_profile_is_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    """The file, what is wrong with it, and the fix; the cause is kept."""
    path = written(tmp_path, text)
    with pytest.raises(ProfileError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"profile {path}: ")
    assert said in message
    assert "python -m realcuda.probe" in message or message.endswith("write it as in fakecuda/profiles/h200.toml")
    assert "\n" not in message


WRONG = {
    "a short uuid": MINIMAL.replace("00000000000000000000000000000001", "00"),
    "memory in words": MINIMAL.replace("total_memory = 1048576", 'total_memory = "1 MiB"'),
    "a version in words": MINIMAL.replace("driver_version = 12040", 'driver_version = "12.4"'),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_values_of_a_wrong_kind_are_said_when_read(tmp_path: Path, text: str) -> None:
    """Not by the first call that stumbles over them."""
    path = written(tmp_path, text)
    with pytest.raises(ProfileError, match=r"mine\.toml: "):
        load(path)


def test_a_file_that_is_no_text_is_malformed(tmp_path: Path) -> None:
    """Nor is a folder."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ProfileError, match="not readable as TOML"):
        load(path)
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ProfileError, match="not readable as TOML"):
        load(folder)


def test_a_machine_says_what_is_wrong_with_its_profile() -> None:
    """The error of the profile is the machine's."""
    with pytest.raises(ProfileError, match="'b300' is unknown"):
        Machine("b300")


def test_profiles_are_values() -> None:
    """Frozen, and equal when they say the same."""
    assert load("h200-x4") == load("h200-x4")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        load("h200").name = "other"  # type: ignore[misc]
    assert isinstance(load("h200"), Profile)


def test_a_base_may_name_a_count_of_devices(tmp_path: Path) -> None:
    """As a profile's name may; an own count goes before it."""
    own = 'schema = 1\nname = "mine"\norigin = "documented"\nbase = "h200-x3"\n'
    assert len(load(written(tmp_path, own)).devices) == 3
    assert len(load(written(tmp_path, own + "count = 5\n")).devices) == 5
