"""What can be done with the keyboard and the mouse, listed where the reader asks for it."""

import streamlit as st

from explorer.text import Text, table

SHORTCUTS = Text(en="Shortcuts", zh="快捷键")
PRESSED = Text(en="Key or click", zh="按键或点击")
DOES = Text(en="What it does", zh="作用")
ROWS = (
    (
        Text(en="Page Down, Page Up", zh="Page Down、Page Up"),
        Text(
            en="next page, previous page, from anywhere; a presenter's clicker sends them",
            zh="下一页、上一页，在哪里都行；翻页笔发的就是这两个键",
        ),
    ),
    (
        Text(en="→, ←", zh="→、←"),
        Text(
            en="the same, but in text and among choices they move the cursor and the choice",
            zh="同上；但在文本框里移动光标，在选项之间换选项",
        ),
    ),
    (
        Text(en="Tab, Shift + Tab", zh="Tab、Shift + Tab"),
        Text(en="next control, previous control", zh="下一个、上一个控件"),
    ),
    (
        Text(en="Enter or space", zh="回车或空格"),
        Text(en="press the button, open the list", zh="按下按钮，展开列表"),
    ),
    (
        Text(en="Ctrl + Enter (⌘ + Enter)", zh="Ctrl + 回车（⌘ + 回车）"),
        Text(en="apply the sentences", zh="采用输入的句子"),
    ),
    (Text(en="Esc", zh="Esc"), Text(en="close a list, or this table", zh="关闭列表或本表")),
    (
        Text(en="R", zh="R"),
        Text(
            en="run the page again: the same link gives the same numbers",
            zh="重新运行本页：同一链接，同样的数",
        ),
    ),
    (
        Text(en="The pointer on a number of a figure", zh="指针移到图中的数上"),
        Text(
            en="its index and value; in a product, the row and the column that meet in it",
            zh="它的下标和值；在矩阵乘积里，还有在此相交的行和列",
        ),
    ),
    (
        Text(en="A click on a number of a figure", zh="点击图中的数"),
        Text(en="where it came from", zh="这个数是怎么来的"),
    ),
    (
        Text(en="The camera in the corner of a figure", zh="图角的相机"),
        Text(
            en="the figure as PNG, 1920 pixels wide; “Save pictures” saves all of the page",
            zh="把图存为 PNG，宽 1920 像素；“保存图片”存下本页所有的图",
        ),
    ),
)


def shortcuts(lang: str) -> None:
    """Show the button that lists them; the list is only made once it is open."""
    popover = st.popover(SHORTCUTS(lang), type="tertiary", key="shortcuts", on_change="rerun")
    if popover.open:
        rows = [(pressed(lang), does(lang)) for pressed, does in ROWS]
        popover.markdown(table([PRESSED(lang), DOES(lang)], rows))
