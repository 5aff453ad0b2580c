"""The notation of changed lines: "=== NUMBER" opens a pull request, "@@ path" a file; + and - lines, no context."""

from __future__ import annotations

from bot.models import FilePatch


def read_changed_lines(text: str) -> dict[int, tuple[FilePatch, ...]]:
    """The changed files that have lines, by pull request. Raises ValueError for any other line."""
    sides: dict[int, dict[str, tuple[list[str], list[str]]]] = {}
    added: list[str] = []
    removed: list[str] = []
    number = 0
    for line in text.splitlines():
        match line[:1]:
            case "" | "#":
                continue
            case "=":
                number = int(line.removeprefix("=== "))
                sides[number] = {}
            case "@":
                added, removed = sides[number].setdefault(line.removeprefix("@@ "), ([], []))
            case "+":
                added.append(line[1:])
            case "-":
                removed.append(line[1:])
            case _:
                raise ValueError(f"not a changed line of the sample: {line!r}")
    return {
        number: tuple(FilePatch(path, tuple(plus), tuple(minus)) for path, (plus, minus) in files.items())
        for number, files in sides.items()
    }
