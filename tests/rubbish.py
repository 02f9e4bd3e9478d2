"""Links with rubbish in them: 200 that are always the same, each with at least one part to ignore."""

from urllib.parse import quote, urlencode

_NAMES = ("tp", "cp", "dp", "pp", "world", "gpn", "pin")
_VALUES = (
    *("", "0x10", "-1", "1.5", "1e3", "many", "NaN", "٣", "²", "10000000000", "999999999999999999"),
    *(
        "1 2",
        "4;8",
        "<script>alert(1)</script>",
        "'; drop table",
        "%",
        "\x00",
        "🙂",
        "None",
        "true",
    ),
    *("../../etc/passwd", "a" * 2000, "４", "+4", " 4", "4 "),
)
_ORDERS = (
    *(
        "",
        "-",
        "tp",
        "tp-tp",
        "tp,cp,dp,pp",
        "tp-cp-dp-pp-",
        "xx-yy",
        "tp cp dp pp",
        "тп-cp",
        "tp-" * 500,
    ),
)
_CHOICES = ("", "pink", "PP", "axes,axes", "dp×cp", "\n", "0")


def _links() -> list[str]:
    links = [urlencode({name: value}) for name in _NAMES for value in _VALUES]
    links += [urlencode({"order": order}) for order in _ORDERS if order != "tp"]
    links += [
        urlencode({name: value}) for name in ("colour", "light", "lang") for value in _CHOICES
    ]
    links += [f"tp=2&tp={value}" for value in range(3)]
    links += [f"{quote(name)}=1" for name in ("rank", "foo", "TP", "tp[]", "__proto__", "é", "")]
    return links[:200]


RUBBISH_LINKS: list[str] = _links()
