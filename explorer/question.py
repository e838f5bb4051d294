"""What a lab asks before it answers: the reader guesses, or skips, and then sees what happens."""

import re
from dataclasses import dataclass, field

import streamlit as st

from explorer.settings import state
from explorer.text import Text

SKIP = "skip"
PREDICT = Text(en="**Predict first.** {ask}", zh="**先猜一猜。** {ask}")
SHOW = Text(en="Just show me", zh="直接看结果")
GUESS = Text(en="your guess", zh="你的猜测")
TYPED = Text(
    en="your guess, like 4, 2 (or: error), then Enter", zh="你的猜测，例如 4, 2（或：error），回车"
)
RIGHT = Text(en="**Right**: {right}.", zh="**猜对了**：{right}。")
WRONG = Text(
    en="You said {guess}. **What happens here**: {right}.",
    zh="你猜的是 {guess}。**实际上**：{right}。",
)


@dataclass(frozen=True)
class Question:
    """A question of the lab named `lab`: the answers to pick from, none where a shape is typed."""

    lab: str
    ask: Text
    answers: dict[str, Text] = field(default_factory=dict)


def answered(question: Question, right: str, lang: str, **values: object) -> bool:
    """Ask, and say whether the guess was right; False until the reader has guessed or skipped.

    `right` is the key of an answer, or the shape itself; `values` fill in the words of the
    question and its answers.
    """
    lab, guess = state.read("guess")
    guess = guess if lab == question.lab else ""
    with st.container(border=True):
        st.markdown(PREDICT(lang, ask=question.ask(lang, **values)))
        take = _pick if question.answers else _type
        words, guessed = take(question, guess, lang, values)
        if not guessed and guess != SKIP:
            skip = {"guess": f"{question.lab}:{SKIP}"}
            st.button(SHOW(lang), key="skip", on_click=state.change, kwargs=skip)
        if guessed:
            said = {"guess": words(guess), "right": words(right)}
            st.markdown((RIGHT if words(guess) == words(right) else WRONG)(lang, **said))
    return guessed or guess == SKIP


def _pick(question: Question, guess: str, lang: str, values: dict):
    def words(answer: str) -> str:
        return question.answers[answer](lang, **values)

    known = guess in question.answers
    st.pills(
        GUESS(lang),
        list(question.answers),
        format_func=words,
        label_visibility="collapsed",
        **state.guess(question.lab, guess if known else None, map(words, question.answers)),
    )
    return words, known


def _type(question: Question, guess: str, lang: str, values: dict):
    typed = "" if guess == SKIP else guess
    st.text_input(TYPED(lang), max_chars=40, width=360, **state.guess(question.lab, typed))
    return _shape, bool(typed.strip())


def _shape(text: str) -> str:
    """A shape however it was typed, as code: its numbers; without any or a () it means an error."""
    numbers = re.findall(r"\d{1,9}", text, re.ASCII)
    return f"`({', '.join(numbers)})`" if numbers or "()" in text else "`error`"
