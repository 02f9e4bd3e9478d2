"""The degree controls in the browser: a slider over common values and a field for any whole number."""

from collections.abc import Callable, Mapping

from assets.component import component

_mount = component("degrees")


def show(
    values: Mapping[str, int],
    *,
    key: str,
    language: str,
    largest: int,
    follows: Mapping[str, str],
    heard: int | None,
    on_degrees_change: Callable[[], None],
) -> None:
    """One row for each name in `values`, in their order.

    `largest` is the largest number the field takes. A name in `follows` takes the value of another row
    until it is set itself. The component reports `degrees`: all values that are set, and under "sent"
    when they were sent; hand the newest such time back as `heard`, so that an answer from before the
    newest change is not taken for one to it.
    """
    _mount(
        key=key,
        data={
            "rows": [
                {"name": name, "value": value, "follows": follows.get(name)}
                for name, value in values.items()
            ],
            "largest": largest,
            "heard": heard,
            "language": language,
        },
        on_degrees_change=on_degrees_change,
    )
