"""The memory of adapter slots: A and B of every module and layer, at one rank for all.

    slot s, module m, layer l     A [rank, in]     B [out, rank]     beyond an adapter's rank: 0

Mirrors: sglang 0.5.23 lora/mem_pool.py (A_buffer, B_buffer)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from pools.errors import InvalidSize

#: a module's name in an adapter, and the module of the server that holds it
FUSED = {
    "q_proj": "qkv_proj",
    "k_proj": "qkv_proj",
    "v_proj": "qkv_proj",
    "gate_proj": "gate_up_proj",
    "up_proj": "gate_up_proj",
}
#: in and out features of the modelled modules; the default of a pool that is given none
MODULES = {"qkv_proj": (16, 24), "o_proj": (16, 16)}


@dataclass(frozen=True, slots=True)
class Weights:
    """One adapter on the host.

    Attributes:
        rank: its own, at most that of the slots.
        a: per module of the server, float32 [layers, rank, in].
        b: per module of the server, float32 [layers, out, rank].
    """

    rank: int
    a: Mapping[str, torch.Tensor]
    b: Mapping[str, torch.Tensor]


class LoraBuffers:
    """Per module A [slots, layers, rank, in] and B [slots, layers, out, rank], float32."""

    def __init__(
        self,
        slots: int,
        max_rank: int,
        *,
        modules: Mapping[str, tuple[int, int]] = MODULES,
        num_layers: int = 2,
        device: str = "cpu",
    ) -> None:
        """Zeroed memory.

        Raises:
            InvalidSize: nothing to allocate.
        """
        sizes = [size for pair in modules.values() for size in pair]
        if not modules or min(slots, max_rank, num_layers, *sizes) < 1:
            raise InvalidSize(
                f"adapter buffers: {slots} slots, rank {max_rank}, {num_layers} layers, modules "
                f"{dict(modules)}: all must be 1 or more",
                slots=slots,
                max_rank=max_rank,
                num_layers=num_layers,
            )
        self.slots, self.max_rank, self.num_layers = slots, max_rank, num_layers
        self.modules = dict(modules)
        shape = (slots, num_layers)
        self.a = {
            name: torch.zeros((*shape, max_rank, width), device=device)
            for name, (width, _) in modules.items()
        }
        self.b = {
            name: torch.zeros((*shape, width, max_rank), device=device)
            for name, (_, width) in modules.items()
        }

    @property
    def device(self) -> str:
        """Where the buffers are."""
        return str(next(iter(self.a.values())).device)

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(one.nbytes for one in (*self.a.values(), *self.b.values()))

    def check(self, weights: Weights) -> None:
        """Refuse weights of another shape than a slot takes.

        Raises:
            InvalidSize: naming the module and both shapes.
        """
        for name in {*weights.a, *weights.b}:
            if name not in self.modules:
                text = f"adapter weights of {name}: give those of {FUSED.get(name, 'a module')}"
                raise InvalidSize(text, rank=weights.rank)
            width_in, width_out = self.modules[name]
            rank, layers = weights.rank, self.num_layers
            wanted = ((layers, rank, width_in), (layers, width_out, rank))
            found = tuple(
                tuple(part[name].shape) if name in part else () for part in (weights.a, weights.b)
            )
            if found != wanted:
                text = f"adapter weights of {name} have shapes {found}, rank {rank} takes {wanted}"
                raise InvalidSize(text, rank=rank)

    def load(self, slot: int, weights: Weights | None) -> None:
        """Write an adapter into a slot; without weights (the base model) zeros."""
        for name in self.modules:
            a, b = self._filled(name, weights)
            self.a[name][slot], self.b[name][slot] = a, b

    def equal(self, slot: int, weights: Weights | None) -> bool:
        """Whether a slot holds exactly these weights, and zeros beyond them."""
        return all(
            torch.equal(self.a[name][slot], a) and torch.equal(self.b[name][slot], b)
            for name in self.modules
            for a, b in [self._filled(name, weights)]
        )

    def _filled(self, name: str, weights: Weights | None) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = torch.zeros_like(self.a[name][0]), torch.zeros_like(self.b[name][0])
        if weights is not None and name in weights.a:
            a[:, : weights.rank] = weights.a[name]
            b[:, :, : weights.rank] = weights.b[name]
        return a, b


def normalized(target_modules: list[str] | tuple[str, ...] | set[str]) -> set[str]:
    """Modules of the server that an adapter's modules lie in; prefixes are cut."""
    names = (name.rsplit(".", 1)[-1] for name in target_modules)
    return {FUSED.get(name, name) for name in names}
