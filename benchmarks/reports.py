"""How long after its call each live report comes: ``python -m benchmarks.reports SECONDS LAUNCHES``.

On a card, a loop of PyTorch with so many launches a second runs by ``check --real``. After a quarter, a half and three quarters of the
time, two streams write the same memory. The command ends without the check at the end, which takes longer.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from threading import Thread

PROGRAM = """
import sys, time, torch
seconds, rate = map(int, sys.argv[1:])
x = torch.zeros(1 << 10, device="cuda")
a, b, c = (torch.ones(1 << 22, device="cuda") for _ in range(3))
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
begun, wrong, launched = time.time(), [0.25, 0.5, 0.75], 0
while (passed := time.time() - begun) < seconds:
    for _ in range(20):
        x.add_(1)
    launched += 20
    if wrong and passed > wrong[0] * seconds:
        del wrong[0]
        torch.cuda.synchronize()
        print("CALL", time.time(), flush=True)
        with torch.cuda.stream(first):
            a.copy_(b)
        with torch.cuda.stream(second):
            a.copy_(c)
        torch.cuda.synchronize()
    time.sleep(max(0, begun + launched / rate - time.time()))
print("END", launched / seconds, flush=True)
"""
REPORT = "fakecuda: undefined behaviour"


def main() -> None:
    """Print the launches a second, and the seconds between each call and its report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reports", description="time live reports on a card")
    parser.add_argument("seconds", type=int, help="how long the program runs, such as 40")
    parser.add_argument("launches", type=int, help="how many it makes a second, such as 10000")
    options = parser.parse_args()
    program = [sys.executable, "-c", PROGRAM, str(options.seconds), str(options.launches)]
    command = [sys.executable, "-m", "fakecuda", "check", "--real", "--", *program]
    calls: list[float] = []
    reports: list[float] = []
    said: list[str] = []
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:  # noqa: S603 - it is ours
        assert process.stdout is not None
        assert process.stderr is not None
        errors = process.stderr

        def read() -> None:
            for line in errors:
                said.append(line)
                if line.startswith(REPORT):
                    reports.append(time.time())

        reader = Thread(target=read, daemon=True)
        reader.start()
        launches = ""
        for line in process.stdout:
            word, value = line.split()
            if word == "END":
                launches = value
                break
            calls.append(float(value))
        deadline = time.monotonic() + 60
        while len(reports) < len(calls) and reader.is_alive() and time.monotonic() < deadline:
            time.sleep(0.1)
        if not launches:  # the program needs a card and PyTorch
            reader.join()
            sys.exit("".join(said))
        os.killpg(process.pid, signal.SIGKILL)
    later = ", ".join(f"{report - call:.2f}" for call, report in zip(calls, reports, strict=False))
    sys.stdout.write(
        f"{launches} launches a second, {len(reports)} of {len(calls)} reports; seconds after their calls: {later}\n"
    )


if __name__ == "__main__":
    main()
