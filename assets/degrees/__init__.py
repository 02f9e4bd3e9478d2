"""The degree controls in the browser: a slider over common values and a field for any whole number."""

from collections.abc import Callable, Collection, Mapping

from assets.component import component

_mount = component("degrees")


def show(
    values: Mapping[str, int],
    *,
    key: str,
    language: str,
    largest: int,
    leaders: Mapping[str, str],
    following: Collection[str],
    heard: int | None,
    on_degrees_change: Callable[[], None],
) -> None:
    """One row for each name in `values`, in their order.

    `largest` is the largest number the field takes. A name in `leaders` may follow another row: those in
    `following` do, until they are set, and again where their field is emptied. The component reports
    `degrees`: all values, None where one follows, and under "sent" when they were sent; hand the newest
    such time back as `heard`, so that an answer from before the newest change is not taken for one to it.
    """
    _mount(
        key=key,
        data={
            "rows": [
                {
                    "name": name,
                    "value": value,
                    "leader": leaders.get(name),
                    "follows": name in following,
                }
                for name, value in values.items()
            ],
            "largest": largest,
            "heard": heard,
            "language": language,
        },
        on_degrees_change=on_degrees_change,
    )
