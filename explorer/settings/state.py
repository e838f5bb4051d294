"""The URL is the whole state: here it is read, and here it is written.

A session keeps the text of every parameter. A widget shows one of them and changes it, as `widget`
says how; after the run the URL is brought up to date. The URL is taken over where a session begins
and where the reader goes back or forward; at any other time it may lag behind what was written.
Streamlit's own bind="query-params" writes the words on a widget into the URL, and those change with
the language.
"""

from collections.abc import Callable, Iterable
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.settings.kinds import Problem
from explorer.settings.parameters import CONFIG_FIELDS, PARAMETERS
from explorer.settings.session import session
from explorer.text import Text

KEYS = 8  # that a widget takes in turn
GIVEN_TWICE = Text(
    en="`{name}` stands in the link more than once; the last one counts",
    zh="链接里多次出现 `{name}`；以最后一个为准",
)


def load() -> None:
    """Take over the URL, if it is the reader who changed it."""
    kept, url = session(), st.query_params.to_dict()
    begins, moves = not kept.raw, get_script_run_ctx().is_history_navigation
    if url == kept.written or not (begins or moves):
        return
    known = {name: url[name] for name in PARAMETERS if name in url}
    _store(_defaults() | known)
    kept.repeated = {
        name: values for name in known if len(values := st.query_params.get_all(name)) > 1
    }


def read(name: str) -> object:
    """The value of a parameter: what its text was taken for."""
    return PARAMETERS[name].parse(session().raw[name])[0]


def raw(name: str) -> str:
    """The text of a parameter, as it was typed or stands in the link."""
    return session().raw[name]


def snapshot() -> tuple[str, ...]:
    """The text of every parameter: together they decide what a page shows."""
    return tuple(session().raw.values())


def config_values() -> dict[str, object]:
    """The value of every field of Config."""
    return {name: read(name) for name in CONFIG_FIELDS}


def problems() -> list[Problem]:
    """What in the link could not be taken as it stands."""
    raw, repeated = session().raw, session().repeated
    found = [
        Problem(GIVEN_TWICE, {"name": name}, " / ".join(values))
        for name, values in repeated.items()
    ]
    parsed = (parameter.parse(raw[name])[1] for name, parameter in PARAMETERS.items())
    return found + [problem for problem in parsed if problem]


def change(**values: object) -> None:
    """Set parameters from a button's callback, before the script runs."""
    _store({name: _as_text(value) for name, value in values.items()})
    session().repeated = {}


def widget(
    name: str,
    value: object,
    words: Iterable[str] = (),
    text_of: Callable[[object], str] | None = None,
    then: Callable[[], None] | None = None,
    part: str = "",
) -> dict[str, object]:
    """The key and callback of a widget that shows `value` and changes the parameter `name`.

    `text_of` says what parameter a value stands for, `then` is called after the change. `part`
    tells widgets apart that each change a part of one parameter.

    Streamlit keeps a choice by the words on it, and the browser sends what it last showed. So the
    key is another one wherever the `words` of the choices change, or something else than this
    widget has changed the parameter. What an outdated widget still sends is no one's choice, if it
    is what was shown on it. Streamlit never forgets a key, so they come again after a while.
    """
    kept, words = session(), (read("lang"), *words)
    known_by = f"{name}-{part}" if part else name
    if kept.words.setdefault(known_by, words) != words:
        kept.words[known_by] = words
        kept.versions[known_by] += 1
    key = f"{known_by}-{kept.versions[known_by] % KEYS}"
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    kept.values[key] = value
    return {"key": key, "on_change": _take, "args": (name, key, text_of or _as_text, then)}


def guess(slug: str, shown: str | None, words: Iterable[str] = ()) -> dict[str, object]:
    """The key and callback of a widget that takes the reader's guess in the lab `slug`.

    A guess is kept with the name of its lab, so that no other lab takes it for its own.
    """
    return widget("guess", shown, words, lambda said: f"{slug}:{_as_text(said)}", part=slug)


def write() -> None:
    """Bring the URL up to date: every parameter that is not at its default."""
    kept, defaults = session(), _defaults()
    url = {name: text for name, text in kept.raw.items() if text != defaults[name]}
    if url != st.query_params.to_dict() or kept.repeated:
        st.query_params.from_dict(url)
    kept.written = url


def link(page: str) -> str:
    """A link that writes every parameter, so that it means the same elsewhere and next year.

    `page` is the slug of the page shown, which a bare URL leaves open.
    """
    return f"{st.context.url or ''}?{urlencode(session().raw | {'page': page})}"


def _take(
    name: str, key: str, text_of: Callable[[object], str], then: Callable[[], None] | None
) -> None:
    """What was chosen by a widget becomes the parameter's text."""
    kept, chosen = session(), st.session_state[key]
    if chosen == kept.values[key]:
        return
    kept.values[key] = chosen
    kept.raw[name] = text_of(chosen)[: PARAMETERS[name].longest]
    kept.repeated = {}
    if then:
        then()


def _store(texts: dict[str, str]) -> None:
    """Set parameters from anything but their own widgets, which are made anew."""
    raw = session().raw
    for name, text in texts.items():
        text = text[: PARAMETERS[name].longest]
        if raw.get(name, text) != text:
            _renew(name)
        raw[name] = text


def _renew(name: str) -> None:
    kept = session()
    kept.versions.update(it for it in kept.words if it.partition("-")[0] == name)


def _defaults() -> dict[str, str]:
    return {name: it.default for name, it in PARAMETERS.items()} | {"lang": _browser_language()}


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "" if value is None else str(value)


def _browser_language() -> str:
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
