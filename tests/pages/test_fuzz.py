"""Three hundred whole page runs on texts and links that nobody should send."""

from random import Random
from urllib.parse import urlencode

import pytest

from explorer.labs import LABS
from explorer.settings.parameters import PARAMETERS
from explorer.steps import STEPS
from tests import hostile
from tests.pages import charts, markdown, new_page, outside_code, widget

SLUGS = [page.slug for page in STEPS + LABS]
RUNS = 300
PARTS = 15
LONGEST = 2**19  # characters of a query string; Streamlit leaves a longer one out, and logs it


@pytest.mark.parametrize("part", range(PARTS))
def test_no_link_makes_a_page_raise_or_stay_empty_or_take_text_for_markup(part):
    for seed in range(part, RUNS, PARTS):
        random, slug = Random(seed), SLUGS[seed % len(SLUGS)]
        asked = hostile.link(random) | {"page": slug, "sentences": hostile.text(random)}
        if random.random() < 0.5:
            asked["guess"] = f"{slug}:skip"
        at = new_page(**asked).run()
        where = f"seed {seed}, page {slug}"
        assert not at.exception, where
        assert charts(at) or at.info or at.warning or at.error, where
        assert all(chart.alt for chart in charts(at).values()), where
        alive = [text for text in markdown(at) if hostile.MARK in outside_code(text)]
        assert not alive, where
        if len(urlencode(asked, doseq=True)) < LONGEST:
            typed = asked["sentences"][: PARAMETERS["sentences"].longest]
            assert widget(at, "sentences").value == typed, where
