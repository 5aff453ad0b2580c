"""Days off of countries, held to what their governments announced."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.holidays import Country, UnknownCountryError, require_known

DAY = timedelta(days=1)
CHINA = Country("CN")

# The General Office's notice for 2026: holidays from and to, and the weekend days that are worked in exchange.
CHINA_2026 = [
    ("元旦", "01-01", "01-03"),
    ("农历除夕、春节", "02-15", "02-23"),
    ("清明节", "04-04", "04-06"),
    ("劳动节", "05-01", "05-05"),
    ("端午节", "06-19", "06-21"),
    ("中秋节", "09-25", "09-27"),
    ("国庆节", "10-01", "10-07"),
]
WORKED_2026 = ["01-04", "02-14", "02-28", "05-09", "09-20", "10-10"]

# Bavaria's public holidays of 2026; what lies on a weekend or beside one is longer for it.
BAVARIA_2026 = [
    ("New Year's Day", "01-01", "01-01"),
    ("Epiphany", "01-06", "01-06"),
    ("Good Friday、Easter Monday", "04-03", "04-06"),
    ("Labor Day", "05-01", "05-03"),
    ("Ascension Day", "05-14", "05-14"),
    ("Pentecost Monday", "05-23", "05-25"),
    ("Corpus Christi", "06-04", "06-04"),
    ("German Unity Day", "10-03", "10-04"),
    ("All Saints' Day", "10-31", "11-01"),
    ("Christmas Day、Second Day of Christmas", "12-25", "12-27"),
]


def days(year: int) -> list[date]:
    return [date(year, 1, 1) + number * DAY for number in range(365)]


def told(country: Country, year: int) -> list[tuple[str, str, str]]:
    found = dict.fromkeys(one for day in days(year) if (one := country.holiday(day)))
    return [("、".join(one.names), f"{one.first:%m-%d}", f"{one.last:%m-%d}") for one in found]


def test_a_year_of_china_is_as_announced() -> None:
    assert told(CHINA, 2026) == CHINA_2026
    off = [day for day in days(2026) if CHINA.is_day_off(day)]
    ordinary = [day for day in days(2026) if day.weekday() > 4 and CHINA.holiday(day) is None]
    assert [f"{day:%m-%d}" for day in ordinary if day not in off] == WORKED_2026
    assert sum(day not in off for day in days(2026)) == 248


def test_a_year_of_a_part_of_another_country_is_as_its_law_has_it() -> None:
    assert told(Country("DE-BY"), 2026) == BAVARIA_2026
    assert CHINA.is_day_off(date(2026, 10, 5))
    assert not Country("DE").is_day_off(date(2026, 6, 4))  # a holiday in parts only
    assert Country("DE-BY").is_day_off(date(2026, 6, 4))


def test_a_holiday_is_named_after_itself_and_not_after_what_is_worked_for_it() -> None:
    in_exchange = CHINA.holiday(date(2026, 10, 7))
    assert in_exchange is not None
    assert in_exchange.names == ("国庆节",)
    assert in_exchange.days == tuple(date(2026, 10, day) for day in (1, 2, 3, 5, 6, 7))  # the 4th is a Sunday
    double = CHINA.holiday(date(2025, 10, 6))
    assert double is not None
    assert (double.names, double.first, double.last) == (("国庆节", "中秋节"), date(2025, 10, 1), date(2025, 10, 8))


def test_days_around_new_year_are_one_holiday() -> None:
    found = CHINA.holiday(date(2019, 1, 1))
    assert found is not None
    assert (found.first, found.last) == (date(2018, 12, 30), date(2019, 1, 1))
    assert not CHINA.is_day_off(date(2018, 12, 29))  # a Saturday
    assert CHINA.holiday(date(2018, 12, 31)) == found


def test_what_has_not_been_announced_yet_is_known_as_such() -> None:
    assert CHINA.is_arranged(2026)
    assert CHINA.is_arranged(2010)
    assert not CHINA.is_arranged(2090)
    assert [Country("BY").is_arranged(year) for year in (2026, 2090)] == [True, False]
    assert Country("DE-BY").is_arranged(2090)


@pytest.mark.parametrize("code", ["XX", "DE-ZZ", "CN-DE", ""])
def test_an_unknown_country_raises(code: str) -> None:
    with pytest.raises(UnknownCountryError, match=f"no holidays are known of '{code}'"):
        require_known(code)
    with pytest.raises(UnknownCountryError):
        Country(code).is_day_off(date(2026, 1, 1))


@given(
    st.sampled_from(["CN", "DE-BY", "US", "JP", "IL", "AE", "NO", "HK"]),
    st.dates(date(2002, 1, 1), date(2035, 12, 31)),
)
def test_days_off_in_a_row_are_told_alike_from_each_of_them(code: str, day: date) -> None:
    country = Country(code)
    found = country.holiday(day)
    if found is None:
        return
    row = [found.first + number * DAY for number in range((found.last - found.first).days + 1)]
    assert day in row
    assert all(country.is_day_off(one) and country.holiday(one) == found for one in row)
    assert not country.is_day_off(found.first - DAY)
    assert not country.is_day_off(found.last + DAY)
    assert set(found.days) <= set(row)
    assert found.names


def test_the_library_is_loaded_for_who_names_a_country_and_for_nobody_else() -> None:
    program = """
import sys
from datetime import date
import bot.run
from bot.config import Config
from bot.holidays import Country
assert "holidays" not in sys.modules
Config.model_validate({"repositories": [{"name": "acme/engine"}], "local": {}, "channels": [
    {"platform": "local", "id": "C1", "repositories": ["acme/engine"]}]})
calendar = Country("CN")
assert "holidays" not in sys.modules
assert calendar.is_day_off(date(2026, 10, 1))
assert "holidays" in sys.modules
"""
    root = Path(__file__).parent.parent
    subprocess.run([sys.executable, "-c", program], check=True, cwd=root)
