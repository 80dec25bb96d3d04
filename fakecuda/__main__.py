"""The command line: ``python -m fakecuda`` and its subcommands.

The subcommands are ``rules``, ``conform``, ``profiles``, ``smi`` and others.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from typing import TYPE_CHECKING

from fakecuda.errors import ProfileError
from fakecuda.modes import ERROR, KERNELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.machine.machine import Machine

USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The arguments after the program's name; ``sys.argv`` by default.

    Returns:
        The exit status: 0; 2 for wrong use; or the status of the suite or of a piped statement.
    """
    parser = argparse.ArgumentParser(
        prog="fakecuda", description="A simulated CUDA driver. Without a command: a prompt.", allow_abbrev=False
    )
    parser.set_defaults(run=_prompt)
    parser.add_argument(
        "--profile", default="h200-x2", help="the prompt's machine: a profile's name or the path of a TOML file"
    )
    parser.add_argument(
        "--permissive",
        action="store_true",
        help="answer undefined calls as the driver does, instead of raising an exception",
    )
    parser.add_argument("--plain", action="store_true", help="use Python's own prompt even if IPython is installed")
    commands = parser.add_subparsers(title="commands", metavar="command")
    rules = commands.add_parser("rules", help="list the rules of the calls, with their codes and sources")
    rules.add_argument(
        "function", nargs="?", metavar="FUNCTION", help="one call, such as cuMemMap; all calls by default"
    )
    rules.add_argument("--json", action="store_true", help="print JSON")
    rules.add_argument(
        "--evidence",
        metavar="RULE",
        help="print the evidence for rules: the calls that check them, their cases, recordings and mutants; RULE is an id, "
        "a part or a pattern of an id, a result code's name or number, or words of the statement",
    )
    rules.add_argument(
        "--forms",
        action="store_true",
        help="list the older versions of the driver's functions, such as cuCtxCreate_v2; print which are modelled, "
        "and why others are not",
    )
    rules.add_argument(
        "--hip",
        action="store_true",
        help="list the rules that HIP shares with CUDA, and what AMD's library or its source shows of each",
    )
    rules.set_defaults(run=_rules)
    conform = commands.add_parser(
        "conform",
        help="run the conformance suite; conform --help lists its options",
        add_help=False,
        allow_abbrev=False,
    )
    conform.set_defaults(run=_conform)
    doctor = commands.add_parser(
        "doctor", help="say whether packages and programs will work on fakecuda, without running them"
    )
    doctor.add_argument(
        "subjects",
        nargs="+",
        metavar="PACKAGE|FILE",
        help="an installed distribution or importable package, a wheel, a folder, a library, a program, a .py file, PTX, a cubin "
        "or a fatbin",
    )
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(run=_doctor)
    listed = commands.add_parser("profiles", help="list the profiles, or the values of one profile with their origins")
    listed.add_argument("which", nargs="?", metavar="PROFILE", help="a profile's name or the path of a TOML file")
    listed.set_defaults(run=_profiles)
    smi = commands.add_parser("smi", help="show the machine's cards as nvidia-smi does")
    smi.add_argument(
        "--profile", default=argparse.SUPPRESS, help="a profile's name or the path of a TOML file; h200-x2 by default"
    )
    smi.set_defaults(run=_smi)
    serve = commands.add_parser(
        "serve",
        help="offer the machine to other programs",
        epilog="serve -- COMMAND runs a command and its child processes on the machine; serve alone prints the "
        "environment variables that other programs need.",
    )
    serve.add_argument(
        "--kernels",
        choices=KERNELS,
        default=ERROR,
        help="what becomes of kernels without a Python function; error by default",
    )
    serve.add_argument("command", nargs="*", metavar="COMMAND", help="a program and its arguments, after --")
    serve.set_defaults(run=_serve)
    _add_record(commands)
    hook = commands.add_parser("hook", help="install the start-up hook of shared machines into this environment")
    hook.add_argument("--remove", action="store_true", help="remove the hook")
    hook.set_defaults(run=_hook)
    config = commands.add_parser(
        "config", help="print the option by which a C or C++ compiler finds fakecuda's headers"
    )
    config.add_argument("--include", action="store_true", help="print the folder alone, without -I")
    config.set_defaults(run=_config)
    options, rest = parser.parse_known_args(arguments)
    if rest and options.run is not _conform:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    try:
        return int(options.run(options))
    except ProfileError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # The reader has closed the pipe; the rest of the buffer cannot be written.
        sys.stdout = None
        return 0


def _add_record(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands for programs beside the real driver."""
    record = commands.add_parser(
        "record",
        help="record the calls that a program makes to the real driver, with the answers",
        epilog="record -o FILE -- PROGRAM runs PROGRAM unchanged. check FILE reports what it did wrong.",
    )
    record.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the recording: FILE.jsonl or FILE.jsonl.gz"
    )
    record.add_argument(
        "--profile", default="", help="the machine's profile, a name or a file; the driver is asked without it"
    )
    record.add_argument(
        "--stacks", action="store_true", help="write the stacks of calls that make or end objects, copy or fill"
    )
    _add_fail(record, "")
    record.add_argument("command", nargs="+", metavar="PROGRAM", help="a program and its arguments, after --")
    record.set_defaults(run=_record)
    check = commands.add_parser(
        "check",
        help="report what recorded programs did wrong, and the answers that the model gives otherwise",
        epilog="check FILE checks a recording. check --real -- PROGRAM runs PROGRAM on the real driver first.",
    )
    check.add_argument("--real", action="store_true", help="run a program on the real driver, and check its calls")
    check.add_argument(
        "-o", "--output", metavar="FILE", help="with --real: keep the recording: FILE.jsonl or FILE.jsonl.gz"
    )
    check.add_argument("--profile", default="", help="with --real: as for record")
    _add_fail(check, "with --real: ")
    check.add_argument(
        "--sweep",
        action="store_true",
        help="with --real: run the program again for each call that may fail, and report what it does wrong then",
    )
    check.add_argument(
        "--budget", type=float, metavar="SECONDS", help="with --sweep: when no further run begins; no limit by default"
    )
    check.add_argument(
        "what", nargs="+", metavar="FILE|PROGRAM", help="recordings; or a program and its arguments, after --"
    )
    check.set_defaults(run=_check)


def _add_fail(parser: argparse.ArgumentParser, when: str) -> None:
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="CALL",
        help=f"{when}refuse a call, as fail() does on a simulated machine: 'cuMemAlloc nth=3 code=OUT_OF_MEMORY times=None "
        "chance=5%% seed=1'; may be given several times",
    )


def _prompt(options: argparse.Namespace) -> int:
    import secrets  # noqa: PLC0415 - no other command needs it
    from pathlib import Path  # noqa: PLC0415 - as above

    from fakecuda.machine.machine import Machine  # noqa: PLC0415 - as above
    from fakecuda.prompt.console import Prompt  # noqa: PLC0415 - as above

    seed = secrets.randbits(32)  # a machine made again has the same addresses

    def made(profile: str = options.profile) -> Machine:
        return Machine(profile, strict=not options.permissive, seed=seed)

    path = Path(options.profile)
    origin = {"profile": str(path.resolve()) if path.suffix == ".toml" else options.profile}
    prompt = Prompt(made(), made, origin | ({"strict": False} if options.permissive else {}))
    try:
        return prompt.run(plain=options.plain)
    finally:
        prompt.machine.close()


def _serve(options: argparse.Namespace) -> int:
    from fakecuda.machine.serve import NoProgramError, serve  # noqa: PLC0415 - needs an extra

    try:
        return serve(options.profile, options.command, strict=not options.permissive, kernels=options.kernels)
    except NoProgramError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE


def _record(options: argparse.Namespace) -> int:
    if missing := _missing():
        print(f"fakecuda: record needs {missing}", file=sys.stderr)
        return USAGE
    from pathlib import Path  # noqa: PLC0415 - few commands need it

    from conformance.record.beside import record  # noqa: PLC0415 - another distribution
    from conformance.record.faults import faults_of  # noqa: PLC0415 - another distribution
    from fakecuda.machine.serve import to_its_end  # noqa: PLC0415 - few commands need it

    return to_its_end(
        lambda: record(
            options.command,
            Path(options.output),
            options.profile,
            stacks=options.stacks,
            faults=faults_of(options.fail),
        )
    )


def _check(options: argparse.Namespace) -> int:
    if missing := _missing():
        print(f"fakecuda: check needs {missing}", file=sys.stderr)
        return USAGE
    from pathlib import Path  # noqa: PLC0415 - few commands need it

    from conformance.record.beside import check, check_real  # noqa: PLC0415 - another distribution
    from conformance.record.faults import faults_of  # noqa: PLC0415 - another distribution
    from conformance.record.swept import sweep  # noqa: PLC0415 - another distribution
    from fakecuda.machine.serve import to_its_end  # noqa: PLC0415 - few commands need it

    if not options.real:
        if options.fail or options.sweep:
            print("fakecuda: --fail and --sweep need --real: a recording is not run again", file=sys.stderr)
            return USAGE
        return to_its_end(lambda: check([Path(path) for path in options.what]))
    if options.budget is not None and not options.sweep:
        print("fakecuda: --budget needs --sweep", file=sys.stderr)
        return USAGE
    if options.sweep and (options.fail or options.output):
        print(
            "fakecuda: --sweep chooses the calls itself and keeps no recording: leave out --fail and -o",
            file=sys.stderr,
        )
        return USAGE
    if options.sweep:
        return to_its_end(lambda: sweep(options.what, options.profile, budget=options.budget))
    output = Path(options.output) if options.output else None
    return to_its_end(lambda: check_real(options.what, output, options.profile, faults=faults_of(options.fail)))


def _hook(options: argparse.Namespace) -> int:
    from fakecuda.reach.remote.hook import put, remove  # noqa: PLC0415 - no other command needs it

    print(remove() if options.remove else put())
    return 0


def _config(options: argparse.Namespace) -> int:
    from pathlib import Path  # noqa: PLC0415 - few commands need it

    include = Path(__file__).with_name("include")
    print(include if options.include else f"-I{include}")
    return 0


def _rules(options: argparse.Namespace) -> int:
    if (
        options.function and "." in options.function and options.evidence is None
    ):  # the id of a rule, as failures print it
        options.function, options.evidence = "", options.function
    if options.evidence is not None and not (options.hip or options.forms):
        return _evidence(options)
    from fakecuda.prompt import rules_command  # noqa: PLC0415 - no other command needs it

    if options.hip:
        return rules_command.hip(options)
    if options.forms:
        return rules_command.forms(options)
    return rules_command.rules(options)


def _evidence(options: argparse.Namespace) -> int:
    if options.function:
        print(f"fakecuda: --evidence takes rules, not the call {options.function}: leave it out", file=sys.stderr)
        return USAGE
    from fakecuda.prompt import evidence  # noqa: PLC0415 - no other command needs it

    try:
        rules = evidence.select(options.evidence)
    except LookupError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    found = None
    if missing := _missing():
        print(f"fakecuda: cases, recordings and mutants need {missing}", file=sys.stderr)
    else:
        from conformance.evidence import of_rules  # noqa: PLC0415 - another distribution

        found = of_rules(rules)
    answers = evidence.answers(rules, found)
    if options.json:
        print(json.dumps([evidence.as_json(one) for one in answers], indent=1, ensure_ascii=False))
    else:
        print(evidence.evidence_text(answers))
    sys.stdout.flush()
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from fakecuda.doctor.examine import examine  # noqa: PLC0415 - no other command needs it
    from fakecuda.doctor.report import text_of  # noqa: PLC0415 - as above
    from fakecuda.doctor.subject import NoSubjectError  # noqa: PLC0415 - as above

    try:
        found = [examine(what) for what in options.subjects]
    except NoSubjectError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    print(
        json.dumps([one.as_json() for one in found], indent=1, ensure_ascii=False) if options.json else text_of(found)
    )
    sys.stdout.flush()
    return 0


def _profiles(options: argparse.Namespace) -> int:
    from fakecuda import profiles  # noqa: PLC0415 - no other command needs it
    from fakecuda.explain.reports.profile import profile_text, profiles_text  # noqa: PLC0415 - as above

    if options.which:
        print(profile_text(profiles.values(options.which)))
    else:
        print(profiles_text({name: profiles.load(name) for name in profiles.names()}))
    return 0


def _smi(options: argparse.Namespace) -> int:
    from fakecuda.machine.machine import Machine  # noqa: PLC0415 - few commands need it
    from fakecuda.prompt.smi import NoNvml, table_of  # noqa: PLC0415 - no other command needs it

    with Machine(options.profile) as machine:
        try:
            print(table_of(machine))
        except NoNvml as none:
            print(f"fakecuda: the cards of {machine.profile.name} have no NVML: {none}", file=sys.stderr)
            return USAGE
    return 0


def _conform(options: argparse.Namespace) -> int:
    if missing := _missing():
        print(f"fakecuda: conform needs {missing}", file=sys.stderr)
        return USAGE
    from conformance.run import main as run  # noqa: PLC0415 - another distribution

    return run(options.rest)


def _missing() -> str:
    """Return what the conformance suite lacks here and how to install it.

    The result is empty if nothing is missing.
    """
    suite = importlib.util.find_spec("conformance")
    if suite is None or suite.origin is None:  # find_spec also finds any folder named conformance
        there = "pip install . ./conformance, or run the command there"
        return f"the conformance suite, which is in a checkout of fakecuda: in the root of the checkout, {there}"
    names = [name for name in ("pytest", "hypothesis") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(names)}: pip install {' '.join(names)}" if names else ""


if __name__ == "__main__":
    sys.exit(main())
