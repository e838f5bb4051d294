"""Five thousand examples through the parsers, the tokenizer and Config: none raises."""

from dataclasses import fields
from random import Random

import pytest

from explorer.core import Config, embed
from explorer.core.config import TOKENIZERS
from explorer.core.limits import LIMITS
from explorer.core.tokens import V, token_id, tokenize, visible
from explorer.settings.parameters import CONFIG_FIELDS, PARAMETERS
from explorer.text import LANGS, as_code, shorten
from tests import hostile
from tests.pages import outside_code
from tests.test_contracts import VALID

SURROGATES = ("\ud800", "\udfff", "\ud83d")  # halves of a character, as a text may hold them


def example(seed: int) -> tuple[Random, str]:
    random = Random(seed)
    text = hostile.text(random, 30)
    return random, text + random.choice((*SURROGATES, "", "", ""))


@pytest.mark.parametrize("tens", range(10))
def test_no_text_makes_a_parser_the_tokenizer_or_a_config_raise(tens):
    for seed in range(500 * tens, 500 * tens + 500):
        random, text = example(seed)
        values = {}
        for name, parameter in PARAMETERS.items():
            raw = text if random.random() < 0.5 else hostile.value(random, name)
            values[name], problem = parameter.parse(raw)
            assert VALID[name](values[name]), (seed, name, raw)
            for lang in LANGS:
                assert not problem or problem.text(lang, **problem.values), (seed, name)
        config = Config(**{name: values[name] for name in CONFIG_FIELDS})
        assert config.sentences == values["sentences"], seed
        for sentence in config.sentences:
            for tokenizer in TOKENIZERS:
                tokens = tokenize(sentence, tokenizer)
                assert "".join("".join(tokens).split()) == "".join(sentence.split()), seed
                assert all(0 < token_id(token) < V and visible(token) for token in tokens), seed
                shown = as_code(shorten(visible(tokens[0]), 24))
                assert hostile.MARK not in outside_code(shown), seed


@pytest.mark.parametrize("seed", range(200))
def test_whatever_is_typed_becomes_a_batch_of_ids(seed):
    _, text = example(seed)
    sentences, _ = PARAMETERS["sentences"].parse(text)
    if sentences:
        ids = embed(Config(sentences, d_model=4)).ids
        assert ids.shape[0] == len(sentences)
        assert 1 <= ids.shape[1] <= LIMITS.tokens
        assert bool(((ids >= 0) & (ids < V)).all())


def test_no_value_of_any_type_makes_config_raise_anything_but_an_error_that_names_it():
    random = Random(0)
    values = (
        None,
        True,
        0,
        -1,
        1.5,
        float("nan"),
        float("inf"),
        10**400,
        "",
        "8",
        b"8",
        (),
        [],
        {},
    )
    names = [field.name for field in fields(Config)]
    for _ in range(5000):
        name = random.choice(names)
        said = refusal(name, random.choice((*values, hostile.text(random))))
        assert said is None or f"{name}=" in said


def refusal(name: str, value: object) -> str | None:
    try:
        Config(**{name: value})
    except ValueError as error:
        return str(error)
    return None
