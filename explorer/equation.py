"""The equation of a number, with the numbers of this run in the place of its symbols."""

from explorer.core import Embedded
from explorer.core.explain import Explanation, Term
from explorer.core.tokens import visible
from explorer.text import Text, as_code, shorten

MORE = Text(en="({n} more: {rest})", zh="（另 {n} 项共 {rest}）")
SAME = Text(
    en="the same number in the same memory, read with other strides",
    zh="同一块内存里的同一个数，只是换了步长来读",
)
COPIED = Text(en="copied to a place of its own", zh="复制到了自己的位置")
HASH = Text(en="the id of the token {token}", zh="词元 {token} 的 id")
DRAWN = Text(
    en="drawn at random with the seed {seed}, never trained", zh="按种子 {seed} 随机取的，未经训练"
)
NO_POSITION = Text(en="positions are switched off", zh="没有加位置编码")
PADDING = Text(en="−∞, because the key is `<pad>`", zh="−∞，因为这个键是 `<pad>`")
LATER = Text(en="−∞, because the key comes after the query", zh="−∞，因为这个键在查询之后")
SEEN = Text(en="0, because the query may see this key", zh="0，因为这个查询可以看这个键")


def equation(trace: Embedded, it: Explanation, lang: str) -> str:
    """What stands right of the = sign (Markdown): numbers, or words where there are none."""
    return _SIDES[it.how](trace, it, lang)


def number(value: float) -> str:
    """A number as it is read: four significant digits, a real minus, −∞.

    >>> number(-0.012345), number(12.0), number(float("-inf"))
    ('−0.01235', '12', '−∞')
    """
    return f"{value:.4g}".replace("inf", "∞").replace("-", "−")


def _factor(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)


def _product(term: Term) -> str:
    return "·".join(_factor(factor.value) for factor in term.factors)


def _sum(trace: Embedded, it: Explanation, lang: str) -> str:
    parts = [_product(term) for term in it.terms]
    if it.left:
        parts.append(MORE(lang, n=it.left, rest=number(it.rest)))
    return " + ".join(parts)


def _looked_up(trace: Embedded, it: Explanation, lang: str) -> str:
    value = _factor(it.terms[-1].value)
    return f"{value} × √{trace.config.d_model}" if trace.config.scale_embedding else value


def _wave(trace: Embedded, it: Explanation, lang: str) -> str:
    if not trace.config.positions:
        return f"0 ({NO_POSITION(lang)})"
    position, column = it.element.index
    name, pair = ("sin", "cos")[column % 2], column // 2
    return f"{name}({position} ÷ 10000^(2·{pair}/{trace.config.d_model}))"


def _scaled(trace: Embedded, it: Explanation, lang: str) -> str:
    return f"({_sum(trace, it, lang)}) ÷ √{trace.q_split.shape[-1]}"


def _hidden(trace: Embedded, it: Explanation, lang: str) -> str:
    if it.element.value == 0:
        return SEEN(lang)
    return (PADDING if it.terms[0].value == 0 else LATER)(lang)


def _softmax(trace: Embedded, it: Explanation, lang: str) -> str:
    top = _factor(it.numbers["top"])
    own = _factor(trace.masked_scores[it.element.index].item())
    powers = [f"e^({_factor(term.factors[0].value)} − {top})" for term in it.terms]
    if it.left:
        powers.append(MORE(lang, n=it.left, rest=number(it.rest)))
    return f"e^({own} − {top}) ÷ ({' + '.join(powers)})"


def _standardized(trace: Embedded, it: Explanation, lang: str) -> str:
    own, mean = trace.residual[it.element.index].item(), it.numbers["mean"]
    return f"({number(own)} − {_factor(mean)}) ÷ {number(it.numbers['deviation'])}"


def _token(trace: Embedded, it: Explanation, lang: str) -> str:
    item, position = it.element.index
    return HASH(lang, token=as_code(shorten(visible(trace.tokens[item][position]), 24)))


_SIDES = {
    "hash": _token,
    "lookup": _looked_up,
    "wave": _wave,
    "sum": _sum,
    "product": _sum,
    "same": lambda trace, it, lang: SAME(lang),
    "copied": lambda trace, it, lang: COPIED(lang),
    "scaled": _scaled,
    "hidden": _hidden,
    "softmax": _softmax,
    "standardized": _standardized,
    "drawn": lambda trace, it, lang: DRAWN(lang, seed=trace.config.seed),
}
