import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, embed
from explorer.core.tokens import token_id, tokenize, visible
from tests.core import runs

ROOT = Path(__file__).parents[2]
CLUSTERS = ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "🇨🇳", "👍🏽", "ก็"]  # E27
# Characters that join what stands beside them, blanks, and plain ones for them to join.
AWKWARD = (
    "我爱深度a1١ℹ👍🏽🇨🇳 .'’\n"
    "\u0301\u200d\u200c\ufe0f\u20e3\u0600\u0d4e\uff9e\u0e33\U00016ff0\U000e0061"
)
texts = st.text(st.one_of(st.characters(), st.sampled_from(AWKWARD)), max_size=30)
tokenizers = pytest.mark.parametrize("tokenizer", ["word", "char"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我爱深度学习", "我 爱 深度 学习"),
        ("我爱你", "我爱你"),
        ("the cat saw the dog", "the cat saw the dog"),  # E31
        ("3加5等于8", "3 加 5 等于 8"),  # E32
        ("$5, 50%, 1,000", "$ 5 , 50 % , 1,000"),  # E32
        ("<s>&lt;b&gt;", "< s > & lt ; b & gt ;"),  # E34
        ("don't  naïve\t3.14", "don't naïve 3.14"),
        ("a*b*c # h", "a * b * c # h"),  # E40
    ],
)
def test_words(text, words):
    assert tokenize(text) == words.split()


def test_mixed_chinese_latin_digits_and_rare_characters():
    """E26: split() gives one token; [\\u4e00-\\u9fff] misses 𠮷, which is outside the BMP."""
    text = "我爱AI，GPT-4 在2024年。𠮷野家"
    words = ["我", "爱", "AI", "，", "GPT", "-", "4", "在", "2024", "年", "。", "𠮷"]
    assert tokenize(text)[: len(words)] == words
    assert tokenize(text, "char") == list(text.replace(" ", ""))


@tokenizers
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_what_is_read_as_one_character_is_one_token(cluster, tokenizer):
    assert tokenize(cluster, tokenizer) == [cluster]
    assert "".join(tokenize(f"我{cluster}爱", tokenizer)) == f"我{cluster}爱"


@tokenizers
@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
def test_white_space_alone_has_no_tokens(text, tokenizer):
    assert tokenize(text, tokenizer) == []


@tokenizers
@runs(300)
@given(text=texts)
def test_tokens_are_the_whole_text_cut_only_between_grapheme_clusters(tokenizer, text):
    tokens = tokenize(text, tokenizer)
    assert all(token.strip() for token in tokens)
    assert "".join("".join(tokens).split()) == "".join(text.split())
    clusters = [cluster for cluster in regex.findall(r"\X", text) if cluster.strip()]
    assert "".join(tokens) == "".join(clusters)
    assert ends(tokens) <= ends(clusters)
    if tokenizer == "char":
        assert tokens == clusters


def ends(pieces):
    return {len("".join(pieces[: i + 1])) for i in range(len(pieces))}


@pytest.mark.parametrize(
    "text",
    [
        "a🏽",
        "我🏽",
        "1🏽",
        "我\uff9e",
        "1\u0e33",
        "我\u200c",
        "\u0d4e1",
        "ℹ\u200d🔥",
        "深\U00016ff0",
    ],
)
def test_a_word_or_number_does_not_end_inside_a_cluster(text):
    assert tokenize(text) == [text]


@tokenizers
@runs(200)
@given(text=texts)
def test_a_token_of_a_text_has_an_id_of_the_vocabulary_that_is_not_padding(tokenizer, text):
    assert all(1 <= token_id(token) <= 9999 for token in tokenize(text, tokenizer))


@tokenizers
def test_nobody_can_type_padding(tokenizer):
    assert 0 not in map(token_id, tokenize("<pad>", tokenizer))


def test_the_ids_of_the_worked_sentence_are_those_of_the_texts():
    assert embed(Config()).ids.tolist() == [[15, 256, 1024, 4096]]
    assert token_id("<pad>") == 0


def test_a_shorter_sentence_is_filled_up_with_padding():
    start = embed(Config(sentences=("我爱深度学习", "我爱你")))
    assert start.tokens == (("我", "爱", "深度", "学习"), ("我爱你", "<pad>", "<pad>", "<pad>"))
    assert (start.ids == 0).tolist() == [[False] * 4, [False, True, True, True]]


def test_ids_spread_over_the_whole_vocabulary_but_padding():
    """1,000 words in 9,999 rows: about 50 share a row by chance, 100 would be far out."""
    assert len({token_id(f"word{i}") for i in range(1000)}) > 900
    assert {token_id(f"word{i}") for i in range(200_000)} == set(range(1, 10_000))


def test_ids_are_the_same_in_another_process():
    tokens = ["AI", "学习", "👍🏽", "\ud800", *(f"word{i}" for i in range(50))]
    code = (
        "import json, sys; from explorer.core.tokens import token_id; "
        "print(json.dumps([token_id(token) for token in json.load(sys.stdin)]))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(tokens),
        env=os.environ | {"PYTHONHASHSEED": "4242"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(answer.stdout) == [token_id(token) for token in tokens]


# A letter, number, sign or punctuation mark that puts ink on the page.
INK = regex.compile(r"(?V1)[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]")
HARMFUL = regex.compile(r"[\p{Cc}\p{Cs}]")


@tokenizers
@runs(300)
@given(text=texts)
def test_every_token_can_be_seen(tokenizer, text):
    for token in tokenize(text, tokenizer):
        assert INK.search(visible(token))
        assert not HARMFUL.search(visible(token))


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("\u0301", "U+0301"),
        ("\u200d", "U+200D"),
        ("\u202e", "U+202E"),
        ("\0", "U+0000"),
        ("\ud800", "U+D800"),
        ("\u3164", "U+3164"),  # a Hangul letter that is blank by design
        ("\u2800", "U+2800"),  # Braille without dots
        (" \u0301", "U+0020 U+0301"),
        ("\U000e0061", "U+E0061"),
    ],
)
def test_a_token_with_nothing_to_see_is_shown_as_its_code_points(token, shown):
    assert visible(token) == shown


@pytest.mark.parametrize("control", ["\0", "\x1b", "\ud800"])
def test_what_cannot_be_shown_is_left_out_of_a_token_that_can(control):
    assert visible(f"a{control}b") == "ab"


@pytest.mark.parametrize("token", [*CLUSTERS, "<s>", "爱", "don't", "1,000", "<pad>", "$x$"])
def test_a_token_with_something_to_see_is_shown_as_it_is(token):
    assert visible(token) == token
