"""Completes the grids of Word tables (17.4.48), which some programs write with too few columns or leave out. The office
drops the cells in missing columns if their width is automatic."""

import re

TAG = re.compile(
    rb'<(/?)(\w+):(tbl|tblPr|tblW|tblGrid|tblGridChange|gridCol|tr|tc|tcW|gridSpan|gridBefore|gridAfter)'
    rb'(?:\s([^<>]*?))?(/?)>')
WIDTH, TYPE, VALUE = (re.compile(rb':%b="(\w{1,9})"' % name) for name in (b'w', b'type', b'val'))
# Word allows 63 columns; hostile files may have huge spans.
MAX_COLUMNS, MAX_ADDED_COLUMNS = 1000, 100_000
# In twips: text on a default page, a column if the others leave no room, both margins of a cell.
TEXT_WIDTH, MIN_WIDTH, CELL_MARGINS = 9026, 500, 230


def complete_grids(xml):
    if b':tbl>' not in xml:
        return xml
    kept, end, added = [], 0, 0
    # A table starts before those in its cells, which share its width.
    for table in _read_tables(xml):
        if added < MAX_ADDED_COLUMNS and table.complete():
            added += len(table.grid)
            kept += [xml[end:table.grid_start], table.grid_xml()]
            end = table.grid_end
    return b''.join([*kept, xml[end:]])


def _read_tables(xml):
    tables, open_tables = [], []
    for tag in TAG.finditer(xml):
        is_end, prefix, name, attributes, is_empty = tag.groups()
        if name != b'tbl':
            if open_tables:
                open_tables[-1].read(tag, name, not is_end, is_end or is_empty, attributes or b'')
        elif not is_end:
            tables.append(Table(tag, prefix, open_tables[-1] if open_tables else None))
            open_tables.append(tables[-1])
        elif open_tables:
            open_tables.pop()
    return tables


class Table:
    def __init__(self, tag, prefix, parent):
        self.prefix, self.parent = prefix, parent
        # The columns of the parent's cell that contains the table.
        self.place = (parent.column, parent.column + parent.span) if parent else None
        # Where the grid is, or belongs: after the properties of the table.
        self.grid_start = self.grid_end = tag.end()
        self.grid, self.width, self.cell_widths = [], None, {}
        self.columns = self.column = 0
        self.span, self.cell_width = 1, None
        self.has_rows = self.is_old = False

    def read(self, tag, name, is_start, is_end, attributes):
        if name == b'tblGridChange':
            self.is_old = not is_end
        elif self.is_old:
            return
        elif name == b'tblPr' and is_end and not self.has_rows:
            self.grid_start = self.grid_end = tag.end()
        elif name == b'tblW' and not self.has_rows:
            self.width = _twips(attributes)
        elif name == b'tblGrid':
            self.grid_start = tag.start() if is_start else self.grid_start
            self.grid_end = tag.end()
        elif name == b'gridCol':
            self.grid.append(_twips(attributes) or 0)
        elif name == b'tr' and is_start:
            self.has_rows, self.column = True, 0
        elif name in (b'gridBefore', b'gridAfter'):
            self._add_columns(_number(attributes))
        elif name == b'gridSpan':
            self.span = _number(attributes) or 1
        elif name == b'tcW':
            self.cell_width = _twips(attributes)
        elif name == b'tc':
            if is_start:
                self.span, self.cell_width = 1, None
            if is_end:
                if self.span == 1 and self.cell_width:
                    self.cell_widths.setdefault(self.column, self.cell_width)
                self._add_columns(self.span)

    def complete(self):
        """Adds missing columns and returns whether there were any. Columns have the widths of their cells; the others
        share the rest of the table."""
        if len(self.grid) >= self.columns:
            return False
        rest = (self.width or sum(self.grid) or self._room()) - sum(self.cell_widths.values())
        share = max(rest // max(self.columns - len(self.cell_widths), 1), MIN_WIDTH)
        self.grid = [self.cell_widths.get(column, share) for column in range(self.columns)]
        return True

    def grid_xml(self):
        columns = (b'<%b:gridCol %b:w="%d"/>' % (self.prefix, self.prefix, width) for width in self.grid)
        return b'<%b:tblGrid>%b</%b:tblGrid>' % (self.prefix, b''.join(columns), self.prefix)

    def _room(self):
        return sum(self.parent.grid[slice(*self.place)]) - CELL_MARGINS if self.parent else TEXT_WIDTH

    def _add_columns(self, count):
        self.column = min(self.column + count, MAX_COLUMNS)
        self.columns = max(self.columns, self.column)


def _twips(attributes):
    """Returns a width in twips; None if it is automatic or a percentage."""
    width, kind = WIDTH.search(attributes), TYPE.search(attributes)
    is_absolute = kind is None or kind.group(1) == b'dxa'
    return int(width.group(1)) if is_absolute and width and width.group(1).isdigit() else None


def _number(attributes):
    value = VALUE.search(attributes)
    return int(value.group(1)) if value and value.group(1).isdigit() and len(value.group(1)) < 5 else 0
