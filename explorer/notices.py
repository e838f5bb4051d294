"""What the page says where the input could not be taken as it stands, and how to go on."""

import streamlit as st

from explorer.core import IndivisibleHeads
from explorer.core.device import first_sentence
from explorer.core.limits import LIMITS
from explorer.core.tokens import visible
from explorer.core.wrong import split_unevenly
from explorer.runs import Run, TooLarge
from explorer.settings import state
from explorer.text import Text, as_code, shorten

CUT = Text(
    en="Sentence {item} has {all} tokens; the first {kept} are kept, up to {last}. The other "
    "{cut} are left out: a heatmap of more could not be read.",
    zh="第 {item} 句有 {all} 个词元，保留前 {kept} 个，到 {last} 为止；其余 {cut} 个已略去，"
    "因为再多热力图就看不清了。",
)
DEVICE_FAILED = Text(
    en="`{device}` did not work here, so this run was computed on the CPU. torch says: {error}",
    zh="`{device}` 在本机不可用，这次改在 CPU 上计算。torch 的原话：{error}",
)
UNKNOWN_PAGE = Text(
    en="There is no page {page}; this is the first one.", zh="没有 {page} 这一页，这里是第一页。"
)
NO_TOKENS = Text(
    en="There is nothing to read yet. Type at least one word or character into the sentence field "
    "in the sidebar, or click an example there.",
    zh="还没有可读的内容。请在侧栏的句子框里至少输入一个词或字，或点一个例句。",
)
TOO_LARGE = Text(
    en="This run would have {name} = {size:,}; one run may have {limit:,}. {advice}",
    zh="这次运行会有 {name} = {size:,}，而上限是 {limit:,}。{advice}",
)
TOO_WIDE = Text(
    en="Use fewer heads, a smaller d_k or a smaller d_model.",
    zh="请减少头数，或减小 d_k 或 d_model。",
)
TOO_MANY = Text(
    en="Use fewer or shorter sentences, or fewer heads.", zh="请减少或缩短句子，或减少头数。"
)
FAILED = Text(
    en="Something went wrong on this page, and the host's log has it. Reload to try again; other "
    "pages and the settings in your link are not lost.",
    zh="这一页出错了，错误已记入服务器日志。可以刷新重试；其他页面照常可用，链接里的设置也没有丢。",
)
INDIVISIBLE = Text(
    en="**d_model = {d_model} cannot be cut into h = {h} equal heads.** "
    "{d_model} ÷ {h} = {quotient:.4g}, and a head cannot have a part of a dimension: "
    "every head gets d_k = d_model / h whole numbers, and side by side the h heads must fill "
    "exactly d_model again. {h} heads of {d_k} would leave {rest} over.",
    zh="**d_model = {d_model} 不能平均分成 h = {h} 个头。** "
    "{d_model} ÷ {h} = {quotient:.4g}，而一个头不能有零点几维："
    "每个头分到 d_k = d_model / h 个数，必须是整数，h 个头并排起来要正好拼回 d_model。"
    "{h} 个头、每头 {d_k} 维，会剩下 {rest} 维。",
)
TORCH_SAYS = Text(en="What torch itself says:", zh="torch 自己的报错：")
NEAREST = Text(en="The nearest h that divide {d_model}:", zh="能整除 {d_model} 的最近的 h：")
OR_D_K = Text(
    en="Or set d_k apart under “More settings”: then h·d_k need not be d_model.",
    zh="或者在“更多设置”里单独设定 d_k：那样 h·d_k 就不必等于 d_model。",
)
STILL = Text(
    en="The pages that need no heads still work: {pages}.", zh="不需要分头的页面照常可用：{pages}。"
)


def say_problems(page: str) -> None:
    """Say in one box what of the link could not be taken as it stands; `page` is shown instead."""
    lang, asked = state.read("lang"), state.raw("page")
    said = [
        f"{problem.text(lang, **problem.values)} {as_code(shorten(problem.received, 120))}"
        for problem in state.problems()
    ]
    if asked not in ("", page):
        said.append(UNKNOWN_PAGE(lang, page=as_code(shorten(asked, 60))))
    if said:
        st.warning("\n\n".join(said))


def say_failed() -> None:
    """An error of ours; what it was is no reader's business."""
    with st.container(key="failed"):
        st.error(FAILED(state.read("lang")))


def say_no_tokens() -> None:
    """Every sentence is blank."""
    st.info(NO_TOKENS(state.read("lang")))


def say_of_run(run: Run) -> None:
    """Say what was cut off, and which device did not work."""
    lang = state.read("lang")
    for item, cut in enumerate(run.trace.cut):
        if cut:
            last = as_code(shorten(visible(run.trace.tokens[item][-1]), 24))
            counts = {"all": LIMITS.tokens + cut, "kept": LIMITS.tokens, "cut": cut}
            st.warning(CUT(lang, item=item, last=last, **counts))
    if run.device_error:
        error = as_code(first_sentence(run.device_error))
        st.warning(DEVICE_FAILED(lang, device=state.read("device"), error=error))


def refuse(run: Run, still: list[str]) -> None:
    """Say why this run has no heads, and offer the nearest that has."""
    lang, refusal = state.read("lang"), run.refusal
    if isinstance(refusal, TooLarge):
        say_too_large(refusal, lang)
    else:
        _refuse_heads(run, refusal, lang)
    st.markdown(STILL(lang, pages=("、" if lang == "zh" else ", ").join(still)))


def say_too_large(refusal: TooLarge, lang: str) -> None:
    """Say which size is past its limit, and what to reduce."""
    advice = (TOO_MANY if "T" in refusal.name else TOO_WIDE)(lang)
    words = {"name": refusal.name, "size": refusal.size, "limit": refusal.limit}
    st.warning(TOO_LARGE(lang, **words, advice=advice))


def _refuse_heads(run: Run, refusal: IndivisibleHeads, lang: str) -> None:
    d_model, h = refusal.d_model, refusal.h
    d_k, rest = divmod(d_model, h)
    st.error(INDIVISIBLE(lang, d_model=d_model, h=h, quotient=d_model / h, d_k=d_k, rest=rest))
    st.markdown(TORCH_SAYS(lang))
    errors = split_unevenly(run.trace.x, h)
    st.code(
        "\n\n".join(f"{call}\n  {error}" for call, error in errors.items()),
        language=None,
        wrap_lines=True,
    )
    st.markdown(NEAREST(lang, d_model=d_model))
    with st.container(horizontal=True):
        for near in refusal.nearest:
            values = {"h": near}
            st.button(f"h = {near}", key=f"nearest-{near}", on_click=state.change, kwargs=values)
    st.caption(OR_D_K(lang))
