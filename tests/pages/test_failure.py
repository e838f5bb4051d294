"""An error of ours: the reader gets a sentence, the host the traceback and the link."""

import logging

import pytest

from explorer import frame, notices
from explorer.text import LANGS
from tests.pages import new_page, text

SECRET = "a path, a token, a sentence"


def fail(*_: object) -> None:
    raise RuntimeError(SECRET)


@pytest.mark.parametrize("lang", LANGS)
def test_a_page_that_raises_tells_the_reader_a_sentence_and_the_host_all(lang, monkeypatch, caplog):
    monkeypatch.setattr(frame, "show", fail)
    asked = {"page": "softmax", "lang": lang, "d_model": "16", "sentences": "我爱你"}
    with caplog.at_level(logging.WARNING):
        at = new_page(**asked).run()
    assert [error.value for error in at.error] == [notices.FAILED(lang)]
    assert SECRET not in text(at)
    assert all(SECRET not in error.proto.message for error in at.exception)
    assert not any(error.proto.stack_trace for error in at.exception)
    logged = caplog.text
    assert "Traceback" in logged
    assert SECRET in logged
    assert all(part in logged for part in ("page=softmax", f"lang={lang}", "d_model=16"))
    assert "sentences=%E6%88%91%E7%88%B1%E4%BD%A0" in logged


def test_after_an_error_the_link_still_holds_and_the_next_page_works(monkeypatch):
    at = new_page(page="softmax", d_model="16")
    with monkeypatch.context() as broken:
        broken.setattr(frame, "show", fail)
        at.run()
    assert at.query_params["d_model"] == "16"
    at.button("next").click().run()
    assert not at.exception
    assert not at.error
    assert at.query_params["page"] == "mix"
