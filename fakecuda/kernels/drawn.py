"""A launch in a drawn order of its blocks and threads, for the search over orders.

Blocks begin in any order, each when the order says so. A thread may be switched before each access that other threads may see, and
at each jump. Stores may be late (:mod:`fakecuda.kernels.late`). An order is drawn by its number, so that it can be repeated.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

from fakecuda.errors import KernelError
from fakecuda.kernels.clusters import Cluster, members, waits_for_ever
from fakecuda.kernels.grid import Grid
from fakecuda.kernels.late import LateMemory
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from fakecuda.kernels.blocks import Block
    from fakecuda.kernels.spaces import GlobalMemory
    from fakecuda.kernels.threads import Kernel, Lane
    from fakecuda.model.code.kernel_run import Run
    from fakecuda.model.code.kernels import Config
    from fakecuda.model.code.module import Function

LONG = 60
"""The number of instructions in a long turn of a thread."""
SHORT = (1, 1, 1, 8, 30)
"""Those in a short turn: it ends with a piece of code."""
BEGINS = (0.02, 0.3, 1.0)
"""Probabilities that another block begins in a round: an order has one of them. So has it the others."""
RESTS = (0.0, 0.3, 0.7)
"""Probabilities that a warp rests in a round."""
STAYS = (0.2, 0.8)
"""Probabilities that the turns of a warp are long."""
MAKES = (0.2, 0.6)
"""Probabilities that a block's late store is made in a round."""
CONVERGES = 0.1
"""The probability that threads in a round wait no longer for threads that may converge with them."""


class DrawnGrid(Grid):
    """A launch in a drawn order.

    Args:
        kernel: The kernel, with its pieces split.
        function: The kernel as the model has it.
        config: How it is launched.
        args: The bytes of each parameter.
        run: What it reads and writes.
        fuel: How many instructions it may execute.
        number: The number of the order.

    Attributes:
        draw: What draws the order.
        late: The memory of each block that has begun and may have late stores.
    """

    def __init__(
        self,
        kernel: Kernel,
        function: Function,
        config: Config,
        args: tuple[bytes, ...],
        run: Run,
        fuel: int,
        number: int,
    ) -> None:
        super().__init__(kernel, function, config, args, run, fuel)
        self.draw = random.Random(number)  # noqa: S311 - not for cryptography
        self.late: list[LateMemory] = []
        self._is_late = kernel.is_late
        self._begins, self._rests, self._stays, self._makes = map(self.draw.choice, (BEGINS, RESTS, STAYS, MAKES))

    def seen(self) -> GlobalMemory:
        """Return global memory as a new block sees it."""
        if not self._is_late:
            return self.memory
        self.late.append(LateMemory(self.memory))
        return cast("GlobalMemory", self.late[-1])

    def run(self) -> None:
        """Execute all blocks in the drawn order.

        Raises:
            Fault: A thread does what ends the kernel with an error.
            KernelError: The kernel does not end.
        """
        draw = self.draw
        later = list(members(self.size, self.cluster))
        draw.shuffle(later)
        resident: list[Cluster] = []
        while resident or later:
            while later and (not resident or (self.has_room(len(resident)) and draw.random() < self._begins)):
                resident.append(Cluster(self, later.pop()))
            for cluster in draw.sample(resident, len(resident)):
                for block in draw.sample(cluster.left, len(cluster.left)):
                    self._turn(block)
                if cluster.live and not any(_is_ready(lane) for block in cluster.left for lane in block.lanes):
                    told = waits_for_ever(f"block {cluster.left[0].index}", self.many)
                    raise KernelError(self.told(told, cluster.left))
            resident = [one for one in resident if one.live]
            if self.spent > self.fuel:
                raise self.endless([block for one in resident for block in one.left])
            for memory in self.late:
                if draw.random() < self._makes:
                    memory.make_some(draw)
            used = {id(block.memory) for one in resident for block in one.left}
            self.late = [memory for memory in self.late if memory.late or id(memory) in used]
        for memory in self.late:
            memory.make_all()

    def _turn(self, block: Block) -> None:
        """Give the warps of a block a round of turns, in which some rest."""
        draw = self.draw
        block.begun = True
        warps = [block.lanes[first : first + WARP] for first in range(0, len(block.lanes), WARP)]
        draw.shuffle(warps)
        for lanes in warps:
            if draw.random() < self._rests:
                continue
            long = draw.random() < self._stays
            together = draw.choice(SHORT)
            apart = draw.random() < self._stays
            for lane in draw.sample(lanes, len(lanes)) if apart else lanes:
                if _is_ready(lane):
                    self.spend(lane.run(LONG if long else draw.choice(SHORT) if apart else together))
        if block.converging and (not any(map(_is_ready, block.lanes)) or draw.random() < CONVERGES):
            block.converged()


def _is_ready(lane: Lane) -> bool:
    """Return whether a thread can go on now."""
    return not lane.done and lane.waits is None
