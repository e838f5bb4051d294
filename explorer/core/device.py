"""Which of the devices this machine has, and what torch says of those it lacks."""

from functools import cache

import torch

from explorer.core.config import DEVICES

# What torch raises for a device that is not there or gives up: not one common class.
DEVICE_ERRORS = (RuntimeError, AssertionError)


@cache
def missing_devices() -> dict[str, str]:
    """The devices that cannot hold a tensor here → the first sentence of torch's own error."""
    missing = {}
    for device in DEVICES:
        try:
            torch.zeros(1, device=device)
        except DEVICE_ERRORS as error:
            missing[device] = first_sentence(error)
    return missing


def first_sentence(error: Exception) -> str:
    """The first sentence of an error; torch appends pages of dispatcher tables to some."""
    return str(error).split("\n")[0].split(". ")[0].rstrip(".")
