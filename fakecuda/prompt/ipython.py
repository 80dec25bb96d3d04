"""The prompt in IPython, if installed.

IPython's keys and colours, with the prompt's functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.terminal.embed import InteractiveShellEmbed  # noqa: T100 - a prompt, not a breakpoint

from fakecuda.errors import FakeCudaError
from fakecuda.prompt.complete import complete, place_of
from fakecuda.prompt.session import typed
from fakecuda.prompt.shown import by_fields, meant, say, without_own_frames
from fakecuda.spec.hip import STRUCTS

if TYPE_CHECKING:
    from fakecuda.prompt.change import Watch
    from fakecuda.prompt.console import Prompt

STRUCTURES = ("hip.hip", "rocm.bindings.hip")
"""Modules of hip-python's structures, by release. Their ``repr`` shows no fields."""


def talk(prompt: Prompt) -> None:
    """Run IPython in the terminal until ctrl-D.

    Args:
        prompt: The prompt, with its names and its kept statements.
    """
    prompt.scope.load()
    shell: Any = InteractiveShellEmbed(  # type: ignore[no-untyped-call]  # noqa: T100 - a prompt, not a breakpoint
        user_ns=prompt.scope, banner1=prompt.banner() + "\n", confirm_exit=False, enable_tip=False
    )
    prompt.given |= set(prompt.scope)
    keeper = _Keeper(prompt)
    shell.events.register("pre_run_cell", keeper.begin)
    shell.events.register("post_run_cell", keeper.end)
    shell.set_custom_exc((FakeCudaError, NameError, AttributeError), _shower(prompt))
    shell.Completer.custom_matchers.append(_matcher(prompt))
    text = shell.display_formatter.formatters["text/plain"]
    for module in STRUCTURES:
        for name in STRUCTS:
            text.for_type_by_name(module, name, lambda value, printer, _: printer.text(repr(by_fields(value))))
    shell()


class _Keeper:
    """Keeps each executed cell, for ``save``, ``undo`` and ``replay``."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.watch: Watch | None = None

    def begin(self, _: Any) -> None:
        """Note the state before a cell."""
        self.watch = self.prompt.begin()

    def end(self, result: Any) -> None:
        """Keep a cell."""
        prompt, source = self.prompt, result.info.raw_cell
        watch, self.watch = self.watch, None
        if watch is None:  # a blank cell, which does not begin
            return
        done = watch.end()
        if prompt.undone or result.error_before_exec is not None or not source.strip():
            return
        if result.info.transformed_cell.rstrip("\n") == source.rstrip("\n"):  # IPython's magics are not Python
            prompt.error = prompt.error or result.error_in_exec
            prompt.keep(typed(source, result.result, done, prompt))


def _shower(prompt: Prompt) -> Any:
    def show(shell: Any, kind: type[BaseException], error: BaseException, trace: Any, tb_offset: Any = None) -> None:
        prompt.failed, prompt.error = True, error
        if isinstance(error, FakeCudaError):
            say(without_own_frames(error))
            return
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        if found := meant(error, prompt.scope):
            say(f"did you mean: {', '.join(found)}")

    return show


def _matcher(prompt: Prompt) -> Any:
    @context_matcher()  # type: ignore[untyped-decorator]
    def match(context: Any) -> dict[str, Any]:
        text, cursor = context.full_text, context.cursor_position
        found = complete(text, cursor, prompt.scope, prompt.machine)
        return {
            "completions": [SimpleCompletion(text=one.text, type=one.note) for one in found],
            "suppress": bool(found),
            "matched_fragment": place_of(text, cursor).word,
        }

    return match
