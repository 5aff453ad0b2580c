"""What Slack accepts in a message: the numbers, each with where it is said.

Public documentation at docs.slack.dev/reference/block-kit (blocks/*, block-elements/*, composition-objects/*) and,
where it is silent or contradicts itself, the stricter of what was observed. Lengths are counted in UTF-16 code units,
so that an emoji counts twice: never more generous than Slack.
"""

from __future__ import annotations

BLOCKS = 50  # reference/block-kit/blocks: "up to 50 blocks in each message"
TEXT = 4_000  # methods/chat.postMessage advises 4,000; `msg_too_long` was observed near it
ALL_BLOCK_TEXT = (
    11_000  # undocumented: `msg_blocks_too_long` was observed at 13.2k (bolt-js#2509) and 11,341 (bolt-js#2867)
)
IDENTIFIER = 255  # block_id and action_id, every block and element page

SECTION_TEXT = 3_000  # blocks/section-block
FIELDS = 10
FIELD_TEXT = 2_000
HEADER_TEXT = 150  # blocks/header-block
MARKDOWN_TEXT = 12_000  # blocks/markdown-block: cumulative over one payload
CONTEXT_ELEMENTS = 10  # blocks/context-block
CONTEXT_TEXT = 3_000  # composition-objects/text-object
ACTIONS_ELEMENTS = 25  # blocks/actions-block
IMAGE_URL = 3_000  # blocks/image-block
IMAGE_ALT = 2_000

BUTTON_TEXT = 75  # block-elements/button-element
BUTTON_VALUE = 2_000
URL = 3_000
CONFIRM_TITLE = 100  # composition-objects/confirmation-dialog-object
CONFIRM_TEXT = 300
CONFIRM_BUTTON = 30

LIST_INDENT = 8  # block-elements/rich-text-list-element

TABLES = 1  # blocks/table-block says one; other sources differ
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_CHARACTERS = 10_000
DATA_TABLE_ROWS = 101  # blocks/data-table-block: header and 100 rows; newer sources say 201
DATA_TABLE_PAGE = 100

CHARTS = 2  # blocks/data-visualization-block
CHART_TITLE = 50
CHART_AXIS = 50
CHART_LABEL = 20
CHART_POINTS = 20
CHART_SERIES = 6  # newer sources say 12

METADATA_BYTES = 8_000  # docs.slack.dev/messaging/message-metadata asks for little; no figure is published
METADATA_TYPE = 100


def length(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
