"""Changes a workbook before the office reads it, where the office would show or display cells unlike Excel."""

import re

from package_parts import change_parts

EXCEL, OPEN = ('.xlsx', '.xlsm', '.xltx', '.xltm'), ('.ods', '.ots')
BOOK, SHEETS = 'xl/workbook.xml', re.compile(r'xl/worksheets/[^/]+\.xml')
SHEET = re.compile(rb'<(?:\w+:)?sheet\s[^<>]*>')
HIDDEN = re.compile(rb'\sstate="(?:hidden|veryHidden)"')
VIEW, ACTIVE = re.compile(rb'<(?:\w+:)?workbookView\b'), re.compile(rb'\sactiveTab="(\d{1,6})"')
LIST = re.compile(rb'<(\w+:)?sheets[\s>]')
PROTECTION = re.compile(rb'<(?:\w+:)?sheetProtection\b[^<>]*(?:/>|>\s*</(?:\w+:)?sheetProtection>)')
# Only of tables: protected cells are part of their style.
OPEN_TABLE, OPEN_PROTECTION = re.compile(rb'<table:table\s[^<>]*>'), re.compile(rb'\stable:protected="true"')


def prepare_workbook(path, is_displayed):
    """Keeps a hidden sheet hidden. If the output contains the cells as displayed, also removes the protection of
    sheets: the office allows no changes to the number formats of protected cells."""
    if path.endswith(EXCEL + OPEN):
        change_parts(path, lambda name: _find_change(name, is_displayed))


def _find_change(name, is_displayed):
    if name == BOOK:
        return _activate_visible_sheet
    if is_displayed and SHEETS.fullmatch(name):
        return lambda xml: PROTECTION.sub(b'', xml)
    if is_displayed and name == 'content.xml':
        return lambda xml: OPEN_TABLE.sub(lambda table: OPEN_PROTECTION.sub(b'', table.group()), xml)
    return None


def _activate_visible_sheet(xml):
    """Makes the first visible sheet the active one if the active one is hidden, because the office shows the active
    sheet in any case. Programs that hide the first sheet often forget to change it (18.2.30)."""
    shown = [HIDDEN.search(sheet) is None for sheet in SHEET.findall(xml)]
    found = ACTIVE.search(xml)
    active = int(found.group(1)) if found else 0
    if True not in shown or active >= len(shown) or shown[active]:
        return xml
    attribute = b' activeTab="%d"' % shown.index(True)
    if found:
        return xml[:found.start()] + attribute + xml[found.end():]
    view = VIEW.search(xml)
    if view:
        return xml[:view.end()] + attribute + xml[view.end():]
    place = LIST.search(xml)
    prefix = (place.group(1) or b'') if place else b''
    start = place.start() if place else len(xml)
    views = b'<%bbookViews><%bworkbookView%b/></%bbookViews>' % (prefix, prefix, attribute, prefix)
    return xml[:start] + views + xml[start:]
