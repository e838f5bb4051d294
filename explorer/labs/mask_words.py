"""The lab of masks: what each way is called, and what is to be learnt from it."""

from explorer.text import Text

# name → (what it is called in the list, what it teaches)
WORDS: dict[str, tuple[Text, Text]] = {
    "multiplied": (
        Text(en="scores × a mask of 1 and 0", zh="分数乘 0/1 掩码"),
        Text(
            en="A score of 0 is a score like any other: e⁰ = 1. The hidden key **keeps a part**, "
            "and among negative scores even the largest. A mask must take the score to where "
            "e to its power is 0: to −∞.",
            zh="0 分也是分：e⁰ = 1。被遮的键**照样分到一份**，别的分数为负时它甚至分得最多。"
            "掩码要把分数降到指数为 0 的地方，也就是 −∞。",
        ),
    ),
    "added": (
        Text(en="attn_mask = a float mask of 1 and 0", zh="attn_mask 传入浮点 0/1 掩码"),
        Text(
            en="torch **adds** a float mask to the scores. The 1 of “may be seen” raises those "
            "scores by 1, and nothing becomes 0. As a bool mask, `may.bool()`, it would be right "
            "here.",
            zh="浮点掩码会被 torch **加到**分数上：“可以看”的分数只是各加了 1，没有一个权重变成 0。"
            "换成布尔掩码 `may.bool()`，这里就对了。",
        ),
    ),
    "after": (
        Text(en="weights × mask, after the softmax", zh="softmax 之后再乘掩码"),
        Text(
            en="The hidden weights are 0, yet the hidden keys had their say in the softmax: what "
            "is left of a row **no longer sums to 1**, and least is left where most is hidden.",
            zh="被遮的权重确实是 0，但那些键已经参与了 softmax：一行剩下的**加起来不再是 1**，"
            "遮得越多，剩得越少。",
        ),
    ),
    "zero_times_inf": (
        Text(en="(1 − mask) · −∞", zh="(1 − 掩码) · −∞"),
        Text(
            en="**0 · ∞ is NaN** (IEEE 754). Wherever this mask should be 0 it is NaN, and one NaN "
            "takes its whole row along. `masked_fill` and `torch.where` choose, they do not "
            "multiply.",
            zh="**0 · ∞ 是 NaN**（IEEE 754）。这个掩码本该是 0 的地方全成了 NaN，"
            "一个 NaN 就毁掉一整行。应该用 `masked_fill` 或 `torch.where`：它们是选，不是乘。",
        ),
    ),
    "large": (
        Text(en="−10⁹ instead of −∞, float32", zh="用 −10⁹ 代替 −∞，float32"),
        Text(
            en="In float32 this is **as good as −∞**, as long as a row has a key to see: e to the "
            "power of −10⁹ is 0. See what becomes of it in float16, and in a row without any key.",
            zh="在 float32 里，只要一行还有键可看，这**和 −∞ 一样好**：e 的 −10⁹ 次方就是 0。"
            "再看看 float16 里会怎样，以及一个键都没有的行会怎样。",
        ),
    ),
    "half": (
        Text(en="−10⁹ instead of −∞, float16", zh="用 −10⁹ 代替 −∞，float16"),
        Text(
            en="float16 ends at −65504: it **has no −10⁹**, and torch refuses. Every float type "
            "has −∞, and a lowest number of its own, `torch.finfo(dtype).min`.",
            zh="float16 最小只到 −65504，**没有 −10⁹**，torch 拒绝执行。每种浮点类型都有 −∞，"
            "也都有自己的最小值 `torch.finfo(dtype).min`。",
        ),
    ),
    "half_min": (
        Text(en="finfo.min instead of −∞, float16", zh="用 finfo.min 代替 −∞，float16"),
        Text(
            en="The lowest number of the scores' own type, −65504 in float16: the weights are "
            "**right** to the three digits that float16 has.",
            zh="取分数自己类型的最小值（float16 是 −65504）：权重**是对的**，"
            "精确到 float16 的三位有效数字。",
        ),
    ),
    "mha": (
        Text(en="nn.MultiheadAttention, True = may", zh="nn.MultiheadAttention，True 当作可以看"),
        Text(
            en="For `nn.MultiheadAttention` **True means blocked**. Here every query sees only "
            "what comes after it, and the last one nothing at all: NaN.",
            zh="在 `nn.MultiheadAttention` 里 **True 表示遮住**。这里每个查询只看得到自己后面的键，"
            "最后一个什么都看不到：NaN。",
        ),
    ),
    "sdpa_blocked": (
        Text(en="scaled_dot_product_attention, True = blocked", zh="SDPA，True 当作遮住"),
        Text(
            en="For `F.scaled_dot_product_attention` **True means may attend**, the other way "
            "round than for `nn.MultiheadAttention`. Every query sees only the future; the last "
            "has no key, so its row is 0. No error, no NaN.",
            zh="在 `F.scaled_dot_product_attention` 里 **True 表示可以看**，"
            "与 `nn.MultiheadAttention` 正相反。每个查询只看得到未来，最后一个没有键，整行是 0。"
            "不报错，也没有 NaN。",
        ),
    ),
    "integer": (
        Text(en="attn_mask = whole numbers", zh="attn_mask 传入整数"),
        Text(
            en="Whole numbers could be meant either way, so torch **refuses** them. Say bool (who "
            "may be seen) or float (what is added).",
            zh="整数两种意思都说得通，所以 torch **拒绝**。要么给布尔（谁可以看），"
            "要么给浮点（加多少）。",
        ),
    ),
    "diagonal": (
        Text(en="triu() instead of triu(1)", zh="triu() 而不是 triu(1)"),
        Text(
            en="`triu()` begins on the diagonal, so **no token sees itself**, and query 0 has no "
            "key left: NaN. `triu(1)` begins one further right. The first row of right causal "
            "weights is always 1, 0, 0, …",
            zh="`triu()` 从对角线开始，于是**谁都看不到自己**，查询 0 一个键也不剩：NaN。"
            "`triu(1)` 才从右边一格开始。正确的因果权重，第一行总是 1、0、0……",
        ),
    ),
    "axis": (
        Text(en="softmax over dim=-2", zh="softmax 用 dim=-2"),
        Text(
            en="`dim=-2` makes every **column** sum to 1: the keys are shared out among the "
            "queries. Shape and zeros look right; only the sums of the rows tell.",
            zh="`dim=-2` 让每一**列**加起来是 1：成了每个键在查询之间分配。形状和 0 都看着对，"
            "只有行和露馅。",
        ),
    ),
    "no_key": (
        Text(en="no key left: −∞ and softmax", zh="一个键都没有：−∞ 加 softmax"),
        Text(
            en="Padding on the left: key 0 is padding, and query 0 sees no other. A row of nothing "
            "but −∞ is 0 ÷ 0: **NaN**, which the next layer spreads to every token. This app pads "
            "on the right, where every query still sees token 0.",
            zh="填充放在左边：键 0 是填充，而查询 0 又看不到别的键。整行都是 −∞，softmax 就是 0 ÷ "
            "0：**NaN**，到下一层再传给所有词元。本应用在右边填充，每个查询至少看得到词元 0。",
        ),
    ),
    "no_key_min": (
        Text(en="no key left: finfo.min", zh="一个键都没有：finfo.min"),
        Text(
            en="The softmax only knows differences. Where **all** keys have the same lowest score, "
            "each gets 1/n: no NaN and no error, but query 0 mixes in padding and the future.",
            zh="softmax 只看差值。**所有**键都是同一个最低分时，每个键得 1/n：没有 NaN，也不报错，"
            "但查询 0 混进了填充和未来。",
        ),
    ),
    "no_key_twice": (
        Text(en="no key left: finfo.min added twice", zh="一个键都没有：finfo.min 加了两次"),
        Text(
            en="−65504 added twice (once for the model, once more in the layer) **overflows to "
            "−∞**, and the NaN that finfo.min was to prevent is back.",
            zh="−65504 加了两次（模型里一次，层里又一次）就**溢出成 −∞**，"
            "finfo.min 本想避免的 NaN 又回来了。",
        ),
    ),
    "no_key_zeroed": (
        Text(en="no key left: nan_to_num afterwards", zh="一个键都没有：事后 nan_to_num"),
        Text(
            en="The weights look fine. But the softmax was NaN before, and learning goes back "
            "through it: **the gradient is NaN**, and after one step so is every weight.",
            zh="权重看上去没问题。但之前的 softmax 已经是 NaN，学习时要从它反传回去："
            "**梯度是 NaN**，走一步之后所有参数也都是。",
        ),
    ),
    "no_key_sdpa": (
        Text(en="no key left: scaled_dot_product_attention", zh="一个键都没有：SDPA"),
        Text(
            en="torch's own function gives such a row **0**: nothing seen, nothing mixed in, the "
            "residual carries the token on. Its gradient is finite. Of the three answers (NaN, "
            "1/n, 0) the one to want.",
            zh="torch 自己的函数给这样的行 **0**：什么都没看到，就什么都不混入，"
            "残差把词元原样带过去。梯度也是有限的。三种答案（NaN、1/n、0）里，要的是这一种。",
        ),
    ),
    "key_mask": (
        Text(en="padding (B, T) without its other axes", zh="填充掩码 (B, T)，没补别的轴"),
        Text(
            en="Shapes are matched from the right: T is the key, and **B is taken for the query**. "
            "Row t hides the padding of sentence t. torch only raises where B ≠ T; "
            "with one sentence it is right by luck.",
            zh="形状从右边对齐：T 对上键，**B 却对上了查询**。第 t 行遮的是第 t 句的填充。"
            "只有 B ≠ T 时 torch 才报错；只有一句时碰巧是对的。",
        ),
    ),
    "query_mask": (
        Text(en="padding (B, T, 1)", zh="填充掩码 (B, T, 1)"),
        Text(
            en="Matched from the right, this hides **rows instead of columns**, and B is taken for "
            "the head. Rows of padding are NaN, and all others see the padding. torch only raises "
            "where B is neither h nor 1.",
            zh="从右边对齐，遮住的是**行而不是列**，B 还对上了头。填充的行成了 NaN，"
            "其他行照样看到填充。只有 B 既不等于 h 也不是 1 时 torch 才报错。",
        ),
    ),
    "averaged": (
        Text(en="no mask error: averaged over heads", zh="不是掩码错：各头取了平均"),
        Text(
            en="`nn.MultiheadAttention` returns the **mean over heads** unless it is given "
            "`average_attn_weights=False`. Rows sum to 1, nothing leaks, and what this head looks "
            "at cannot be told any more.",
            zh="`nn.MultiheadAttention` 默认返回**各头的平均**，除非给它 "
            "`average_attn_weights=False`。行和是 1，也没有泄漏，但这个头在看什么已经看不出来了。",
        ),
    ),
    "dropped": (
        Text(en="no mask error: dropout left on", zh="不是掩码错：dropout 没关"),
        Text(
            en="In training, dropout (p = 0.5) sets weights to 0 **after** the softmax and doubles "
            "the others: the rows do not sum to 1. Call `.eval()` before looking at weights.",
            zh="训练时 dropout（p = 0.5）在 softmax **之后**把一些权重设为 0，其余加倍："
            "行和不再是 1。看权重之前先调用 `.eval()`。",
        ),
    ),
}
