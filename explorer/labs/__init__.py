"""The labs: why it is done this way, and what happens when it is not; in the order of the steps."""

from explorer.labs import (
    apart,
    direct_view,
    initialisation,
    masks,
    merging,
    order,
    reading,
    scaling,
    sizes,
    slicing,
)
from explorer.page import Page

LABS: tuple[Page, ...] = (
    sizes.PAGE,
    order.PAGE,
    initialisation.PAGE,
    slicing.PAGE,
    apart.PAGE,
    direct_view.PAGE,
    reading.PAGE,
    scaling.PAGE,
    masks.PAGE,
    merging.PAGE,
)
