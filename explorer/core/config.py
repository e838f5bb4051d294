"""What a run is computed from: the one record that, with the code, decides every number."""

from dataclasses import dataclass

TOKENIZERS = ("word", "char")
MASKS = ("causal", "none")
INITS = ("default", "xavier", "kaiming")
DEVICES = ("cpu", "cuda", "mps")


@dataclass(frozen=True)
class Config:
    """The sizes, sentences and choices of one run (the paper's names; d_k=None is d_model / h).

    Blank sentences are dropped. Raises ValueError for a size below 1, a negative seed, an unknown
    choice or a value of another type. An h that does not divide d_model is a Config all the same:
    `attend` refuses it.
    """

    sentences: tuple[str, ...] = ("我爱深度学习",)
    tokenizer: str = "word"
    d_model: int = 8
    h: int = 2
    d_k: int | None = None
    mask: str = "causal"
    init: str = "default"
    bias: bool = False
    positions: bool = True
    scale_embedding: bool = False
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not _are_sentences(self.sentences):
            raise ValueError(f"sentences={self.sentences!r}: expected a tuple of sentences")
        kept = tuple(sentence for sentence in self.sentences if sentence.strip())
        object.__setattr__(self, "sentences", kept)
        for name in ("d_model", "h", "d_k"):
            size = getattr(self, name)
            if name == "d_k" and size is None:
                continue
            if type(size) is not int or size < 1:
                raise ValueError(f"{name}={size!r}: expected a whole number of at least 1")
        if type(self.seed) is not int or self.seed < 0:
            raise ValueError(f"seed={self.seed!r}: expected a whole number of at least 0")
        for name in ("bias", "positions", "scale_embedding"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected True or False")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected one of {choices}")

    @property
    def causal(self) -> bool:
        """Whether every key after the query is hidden."""
        return self.mask == "causal"


def _are_sentences(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(line, str) for line in value)


CHOICES = {"tokenizer": TOKENIZERS, "mask": MASKS, "init": INITS, "device": DEVICES}


class IndivisibleHeads(ValueError):
    """d_model cannot be cut into h equal heads; carries d_model, h and the nearest valid h."""

    def __init__(self, d_model: int, h: int) -> None:
        self.d_model, self.h = d_model, h
        self.nearest = nearest_divisors(d_model, h)
        super().__init__(
            f"d_model={d_model} is not a multiple of h={h}; the nearest h that divide it: "
            + ", ".join(map(str, self.nearest))
        )


class NoTokens(ValueError):
    """There is no sentence with a token in it, so there is nothing to compute."""


def divisors(n: int) -> tuple[int, ...]:
    """Every h that divides n, ascending.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    return tuple(h for h in range(1, n + 1) if n % h == 0)


def nearest_divisors(n: int, h: int) -> tuple[int, ...]:
    """The divisors of n next below and next above h.

    >>> nearest_divisors(512, 7)
    (4, 8)
    """
    below = [d for d in divisors(n) if d < h]
    above = [d for d in divisors(n) if d > h]
    return tuple(below[-1:] + above[:1])


def head_size(config: Config) -> int:
    """d_k of this run; raises IndivisibleHeads where it is not set and d_model / h is not whole."""
    if config.d_k is not None:
        return config.d_k
    if config.d_model % config.h:
        raise IndivisibleHeads(config.d_model, config.h)
    return config.d_model // config.h
