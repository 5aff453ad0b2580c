"""IANA time zones by the names people use: cities, abbreviations and offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from zoneinfo import available_timezones

_OFFSET = re.compile(r"(?:utc|gmt)?([+-])0?([0-9]{1,2})(?::?([0-9]{2}))?")
_SEPARATORS = re.compile(r"[\s_]+")

# Zone -> what people call it, spaces left out. An abbreviation that regions share stands in the line of each.
_NAMES: Mapping[str, str] = {
    "Asia/Shanghai": "beijing peking china shenzhen guangzhou canton hangzhou chengdu nanjing wuhan xian tianjin "
    "suzhou xiamen qingdao cst bjt 中国 北京 北京时间 上海 深圳 广州 杭州 成都 南京 武汉 西安",
    "Asia/Hong_Kong": "hongkong hkt 香港",
    "Asia/Taipei": "taiwan taibei 台北",
    "Asia/Tokyo": "japan osaka kyoto jst 东京 日本",
    "Asia/Seoul": "korea busan kst 首尔 韩国",
    "Asia/Singapore": "sgt 新加坡",
    "Asia/Kolkata": "india bangalore bengaluru mumbai bombay delhi newdelhi hyderabad chennai pune ist",
    "Asia/Ho_Chi_Minh": "vietnam hanoi ict",
    "Asia/Dubai": "abudhabi uae",
    "Europe/London": "uk england edinburgh manchester bst 伦敦",
    "Europe/Berlin": "germany munich hamburg frankfurt cologne cest 柏林",
    "Europe/Paris": "france lyon 巴黎",
    "Europe/Zurich": "switzerland geneva basel",
    "Europe/Amsterdam": "netherlands rotterdam eindhoven",
    "Europe/Rome": "italy milan",
    "Europe/Madrid": "spain barcelona",
    "Europe/Warsaw": "poland krakow wroclaw",
    "Europe/Helsinki": "finland eest",
    "Europe/Moscow": "russia saintpetersburg msk 莫斯科",
    "Europe/Dublin": "ireland ist",
    "Asia/Jerusalem": "israel telaviv ist",
    "America/Los_Angeles": "sanfrancisco seattle siliconvalley sanjose sandiego pst pdt pt pacific "
    "旧金山 洛杉矶 西雅图 硅谷",
    "America/Denver": "saltlakecity mdt mt mountain",
    "America/Chicago": "austin dallas houston cst cdt ct central 芝加哥",
    "America/New_York": "boston washington dc newyorkcity nyc atlanta miami philadelphia edt et eastern 纽约",
    "America/Toronto": "ottawa waterloo 多伦多",
    "America/Sao_Paulo": "brazil brasilia rio riodejaneiro brt",
    "Australia/Sydney": "canberra aest aedt 悉尼",
    "Pacific/Auckland": "wellington nzst nzdt",
    "UTC": "z zulu",
}

# One well-known zone for each offset from UTC in minutes; those with summer time are at this offset in winter.
_BY_OFFSET: Mapping[int, str] = {
    -600: "Pacific/Honolulu",
    -540: "America/Anchorage",
    -480: "America/Los_Angeles",
    -420: "America/Denver",
    -360: "America/Chicago",
    -300: "America/New_York",
    -240: "America/Halifax",
    -180: "America/Sao_Paulo",
    0: "UTC",
    60: "Europe/Berlin",
    120: "Europe/Helsinki",
    180: "Europe/Moscow",
    240: "Asia/Dubai",
    300: "Asia/Karachi",
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    360: "Asia/Dhaka",
    420: "Asia/Ho_Chi_Minh",
    480: "Asia/Shanghai",
    540: "Asia/Tokyo",
    570: "Australia/Adelaide",
    600: "Australia/Sydney",
    720: "Pacific/Auckland",
}


def suggestions(name: str) -> tuple[str, ...]:
    """The IANA names that someone who wrote `name` most likely meant, best first; () when nothing comes near."""
    folded = _folded(name)
    place = folded.rpartition("/")[2]
    return _by_name(place) or _at_offset(place) or _nearest(folded, place)


def _by_name(place: str) -> tuple[str, ...]:
    return tuple(zone for zone, names in _NAMES.items() if place in names.split())


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


def _at_offset(text: str) -> tuple[str, ...]:
    found = _OFFSET.fullmatch(text)
    if found is None:
        return ()
    sign, hours, minutes = found.groups(default="0")
    offset = int(hours) * 60 + int(minutes)
    zone = _BY_OFFSET.get(-offset if sign == "-" else offset)
    return (zone,) if zone else ()


def _nearest(folded: str, place: str) -> tuple[str, ...]:
    names = sorted(available_timezones())
    whole = {_folded(name): name for name in names}
    places = {key.rpartition("/")[2]: name for key, name in whole.items()}
    for word, known in ((folded, whole), (place, places)):
        if near := get_close_matches(word, known, n=1, cutoff=0.75):
            return (known[near[0]],)
    return ()
