"""Sentences that show something, one click away."""

from explorer.settings import state
from explorer.settings.actions import actions
from explorer.text import Text

LABEL = Text(en="Examples", zh="例句")
# What a click on an example sets: the sentences, and the tokenizer that shows what they are for.
EXAMPLES = {
    "translation": (
        Text(en="我爱深度学习 / I love deep learning", zh="我爱深度学习 / I love deep learning"),
        {"sentences": "我爱深度学习\nI love deep learning", "tokenizer": "word"},
    ),
    "order": (
        Text(en="我爱你 / 你爱我", zh="我爱你 / 你爱我"),
        {"sentences": "我爱你\n你爱我", "tokenizer": "char"},
    ),
    "twice": (
        Text(en="the cat sat on the mat", zh="the cat sat on the mat"),
        {"sentences": "the cat sat on the mat", "tokenizer": "word"},
    ),
    "long": (
        Text(en="a long one", zh="长句"),
        {
            "sentences": "注意力机制让模型在处理每一个词的时候，都能看到句子里所有其他的词，"
            "并且自己决定该看哪一个、看多少。",
            "tokenizer": "word",
        },
    ),
}


def examples(lang: str) -> None:
    """Show all examples."""
    words = {name: label(lang) for name, (label, _) in EXAMPLES.items()}
    actions("examples", LABEL(lang), words, lambda name: state.change(**EXAMPLES[name][1]))
