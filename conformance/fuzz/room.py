"""Memory that a program in C has not: ``python -m conformance.fuzz.room [--first N] [--count N]``.

The client for programs without Python takes memory for frames, answers, texts, arrays and functions that it calls. Each time that
it asks for some it gets none, once, and from then on. A program that makes calls of each kind ends in order: a call answers that
memory is out, or the client says in a line what is wrong. It neither crashes nor hangs, and the next program has the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import harm, tell
from fakecuda import Machine
from fakecuda.progress import each, say
from fakecuda.reach.remote.linked import build

HERE = Path(__file__).parent
FLAG = "-DROOM_FAILS"
EVER = 1 << 30
"""The number of failures if all allocations fail from some moment on."""
LIMIT = 60
"""Seconds after which a program without memory hangs."""
LONG = 300
"""Seconds after which a program with all its memory hangs."""
WELL = "well\n"
OUT_OF_MEMORY = " answers 2\n"


def lacking() -> str:
    """Return a reason why these trials cannot run here, or nothing."""
    return "" if build.compiler() else "no C compiler is found"


def built(folder: Path) -> str:
    """Build the program and a client with failing malloc; return the program's path."""
    command = build.compiler()
    assert command is not None
    os.environ[build.CACHE], os.environ["CC"] = str(folder), " ".join([*command, FLAG])
    program = str(folder / "room")
    subprocess.run([*command, "-std=gnu11", str(HERE / "room.c"), "-o", program, "-ldl", "-pthread"], check=True)  # noqa: S603 - the user's own
    return program


def run(program: str, environ: dict[str, str], first: int, times: int, trials: Trials) -> int:
    """Run the program with failing allocations; return the client's requests.

    Args:
        program: Its path.
        environ: Where it finds the machine.
        first: Which of all that it asks for fails first, from 1 on; 0 for none.
        times: How many fail.
        trials: What comes of it is added here.
    """
    trials.counts["programs"] += 1
    report = Path(program).with_name("report")
    report.unlink(missing_ok=True)
    fails = {"ROOM_FIRST": str(first), "ROOM_TIMES": str(times)} if first else {}
    who = f"{'all' if times == EVER else 'one'} from {first} on"
    try:
        done = subprocess.run(  # noqa: S603 - it is the loop's own
            [program],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | environ | fails | {"ROOM_REPORT": str(report)},
            timeout=LIMIT if first else LONG,
        )
    except subprocess.TimeoutExpired:
        trials.wrong.append(f"{who}: it stands still")
        return 0
    said = [line for line in done.stderr.splitlines() if line.startswith("fakecuda: ")]
    if done.returncode == 0 and done.stdout == WELL:
        trials.counts["well"] += 1
        if first and not said:
            trials.wrong.append(f"{who}: the program and the client say nothing")
    elif done.returncode == 1 and done.stdout.endswith(OUT_OF_MEMORY):
        trials.counts["out of memory"] += 1
    elif done.returncode == 1 and said:
        trials.counts["told"] += 1
    else:
        trials.wrong.append(f"{who}: ended by {done.returncode}: {done.stdout.strip()}; {done.stderr.strip()}")
    return int(report.read_text()) if report.exists() else 0


def inside(firsts: tuple[int, ...] = ()) -> Trials:
    """Return the findings; this process keeps the client's build.

    Args:
        firsts: From which moments on memory fails; all by default.
    """
    with tempfile.TemporaryDirectory() as folder:
        return tried(built(Path(folder)), firsts)


def tried(program: str, firsts: tuple[int, ...]) -> Trials:
    """Return the findings of a program of :func:`built`; arguments as of inside()."""
    trials = Trials()
    with Machine("h200") as machine, machine.shared(export=False) as offer:
        offer.link()
        environ = offer.environ()
        trials.counts["moments"] = count = run(program, environ, 0, 0, trials)
        if trials.counts["well"] != 1:
            trials.wrong.append("where nothing fails the program does not end well")
            return trials
        for first in each(firsts or range(1, count + 1), str):
            for times in (1, EVER):
                run(program, environ, first, times, trials)
                trials.wrong += [f"{first}: {line}" for line in harm(machine)]
        run(program, environ, 0, 0, trials)
    return trials


def done(firsts: tuple[int, ...] = ()) -> Trials:
    """Return the findings of a new process; arguments as of :func:`inside`."""
    return in_process(f"[inside({firsts!r})]")[0]


def in_process(finds: str, before: str = "") -> list[Trials]:
    """Return the findings of a new process.

    Args:
        finds: An expression whose value is a list of :class:`Trials`, in this module's terms.
        before: Python that runs first.
    """
    code = (
        f"import json, attrs\nfrom conformance.fuzz.room import *\n{before}\n"
        f"print(json.dumps([attrs.asdict(one) for one in {finds}]))"
    )
    ended = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - it is this module
    if ended.returncode:
        return [Trials(wrong=[f"the process of the programs ended by {ended.returncode}"])]
    return [Trials.of(one) for one in json.loads(ended.stdout.splitlines()[-1])]


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.room", description=__doc__.partition("\n")[0])
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first moment; all by default")
    parser.add_argument("--count", type=int, default=1, metavar="N", help="how many moments from that on; 1 by default")
    options = parser.parse_args()
    if why := lacking():
        say(why)
        return 0
    trials = done(tuple(range(options.first, options.first + options.count)) if options.first else ())
    return tell(trials.counts, trials.wrong)


if __name__ == "__main__":
    sys.exit(main())
