"""A run as a script and as a notebook, which need nothing but torch."""

from dataclasses import fields
from pprint import pformat
from textwrap import indent

from explorer.core import Config
from explorer.core.config import CHOICES
from explorer.core.limits import LIMITS
from explorer.core.source import Recipe, recipe
from explorer.core.tokens import PAD
from explorer.core.trace import lookup
from explorer.notebook import as_notebook
from explorer.page import Page
from explorer.scene import Scene
from explorer.text import Text

ABOUT = Text(
    en="It needs nothing but torch: it makes the numbers of this run again, with the functions of "
    "the app,\nand prints the tensors of this step. On another machine they may be rounded "
    "otherwise.",
    zh="只需要 torch：用本应用自己的函数把这次运行重算一遍，并打印出这一步的张量。\n"
    "换一台机器，末位的舍入可能略有不同。",
)
SENTENCE = Text(en="Sentence {item}: {sentence}", zh="第 {item} 句：{sentence}")
LINK = Text(en="Link: {link}", zh="链接：{link}")
CHOSEN = Text(
    en="The choices of this run. Change one, and run it again.",
    zh="这次运行的设置。改一个，再运行一次。",
)
CUT_BY = {
    "word": Text(
        en="The sentences, cut into words (Chinese by rjieba).",
        zh="切成词的句子（中文用 rjieba）。",
    ),
    "char": Text(
        en="The sentences, cut into characters (grapheme clusters).",
        zh="切成字符的句子（字素簇）。",
    ),
}
KEPT = Text(en="Of each, the first {limit} tokens are kept.", zh="每句只保留前 {limit} 个词元。")
FUNCTIONS = Text(en="The functions of the app, as they ran", zh="本应用的函数，就是运行的那些")
RUN = Text(en="The run", zh="这次运行")
RESULT = Text(
    en="The shape of every tensor on the way, then the tensors of this step",
    zh="一路上所有张量的形状，然后是这一步的张量",
)
SHOW = """torch.set_printoptions(precision=8, linewidth=100)
print(*(f"{n:14}{tuple(t.shape)}" for n, t in globals().items() if torch.is_tensor(t)), sep="\\n")


def show(name, tensor):
    print(f"\\n{name} {tuple(tensor.shape)}\\n{tensor}")


"""
APART = "\n\n\n"
# What can be chosen, in the order told; the mask is told apart from the tensor of that name.
ORDER = [field.name.replace("mask", "causal") for field in fields(Config)][1:]


def script(scene: Scene, page: Page, link: str) -> str:
    """The run up to the tensors that a page lists, in Python; `link` is told in its head."""
    lang, made = scene.lang, recipe(_shown(scene, page))
    known = [text for stage in made.stages for text in stage.definitions]
    constants = [text for text in known if not text.startswith("def ")]
    functions = [text for text in known if text not in constants]
    lines = [line for stage in made.stages for line in stage.lines]
    parts = [
        _top(scene, page, made, link),
        "\n".join([_comment(FUNCTIONS(lang)), *constants]),
        *functions,
        "\n".join([_comment(RUN(lang)), *lines]),
        _end(scene, page),
    ]
    return APART.join(parts) + "\n"


def notebook(scene: Scene, page: Page, link: str) -> str:
    """The same as a Jupyter notebook, with a cell for each stage of the run."""
    lang, made = scene.lang, recipe(_shown(scene, page))
    words = f"# {page.title(lang)}\n\n{page.body(lang)}\n\n{ABOUT(lang)}"
    stages = (APART.join([*s.definitions, "\n".join(s.lines)]) for s in made.stages)
    return as_notebook(words, [_top(scene, page, made, link), *stages, _end(scene, page)])


def _shown(scene: Scene, page: Page) -> tuple[str, ...]:
    return tuple(name for name in page.tensors if lookup(scene.trace, name) is not None)


def _top(scene: Scene, page: Page, made: Recipe, link: str) -> str:
    """What the script is, what it imports, and what is chosen."""
    trace, lang, s = scene.trace, scene.lang, scene.sizes
    sizes = {"B": s.B, "T": s.T, "d_model": s.d_model, "h": s.h, "d_k": s.d_k}
    # User text stands in a comment only as a literal, in which a new line is written \n.
    sentences = enumerate(map(repr, trace.config.sentences))
    head = [page.title(lang), ABOUT(lang), ""]
    head += [SENTENCE(lang, item=item, sentence=sentence) for item, sentence in sentences]
    head += [", ".join(f"{name} = {size}" for name, size in sizes.items() if size)]
    head += [LINK(lang, link=link)]
    imports = sorted(made.imports, key=lambda text: ("torch" in text, "from" in text, text))
    chosen = [f"{name} = {_value(trace.config, name)}" for name in ORDER if name in made.inputs]
    parts = [
        _comment("\n".join(head)),
        "\n".join(imports),
        "\n".join([_comment(CHOSEN(lang)), *chosen]),
        _sentences(scene),
    ]
    return "\n\n".join(parts)


def _value(config: Config, name: str) -> str:
    """What a choice is set to, with all that there are where they are words."""
    if name == "d_k" and config.d_k is None:
        return "d_model // h\nassert h * d_k == d_model"
    others = f"  # {' | '.join(CHOICES[name])}" if name in CHOICES else ""
    return repr(getattr(config, name)) + others


def _sentences(scene: Scene) -> str:
    trace = scene.trace
    how = CUT_BY[trace.config.tokenizer](scene.lang)
    if any(trace.cut):
        how += " " + KEPT(scene.lang, limit=LIMITS.tokens)
    rows = ([token for token in row if token != PAD] for row in trace.tokens)
    lines = indent(",\n".join(pformat(row, width=90, compact=True) for row in rows), " " * 4)
    return f"{_comment(how)}\nsentences = [\n{lines},\n]"


def _end(scene: Scene, page: Page) -> str:
    shows = "\n".join(f'show("{name}", {name})' for name in _shown(scene, page))
    return f"{_comment(RESULT(scene.lang))}\n{SHOW}{shows}"


def _comment(words: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in words.splitlines())
