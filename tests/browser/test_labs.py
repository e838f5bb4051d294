"""Every lab with its answer, once through the browser: drawn, worded, open to all, restored."""

from explorer.labs import LABS

from .looks import TALL, axe, charts, inks, language, wording
from .reader import copied, differences, idle, none_of, open_page, view


def test_every_lab_is_drawn_and_restored_by_reload_and_by_a_copied_link(new_page):
    page, other, problems = new_page(size=TALL), new_page(locale="zh-CN", size=TALL), []
    for lab in LABS:
        open_page(page, lab.slug, "en", guess=f"{lab.slug}:skip")
        found = language(page, "en") + wording(page) + inks(page) + charts(page)
        problems += [(lab.slug, each) for each in found]
        problems += [(f"{lab.slug} {html}", each) for each, html in axe(page, "light")]
        shown = view(page)
        page.reload()
        idle(page)
        problems += [(f"{lab.slug} reloaded", each) for each in differences(page, shown)]
        other.goto(copied(page))
        idle(other)
        problems += [(f"{lab.slug} copied", each) for each in differences(other, shown)]
    none_of(problems)


def test_every_lab_in_chinese_on_a_dark_page(new_page):
    page, problems = new_page(size=TALL, scheme="dark"), []
    for lab in LABS:
        open_page(page, lab.slug, "zh", guess=f"{lab.slug}:skip")
        found = language(page, "zh") + wording(page) + inks(page)
        problems += [(lab.slug, each) for each in found]
        problems += [(f"{lab.slug} {html}", each) for each, html in axe(page, "dark")]
    none_of(problems)
