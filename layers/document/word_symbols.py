"""Writes characters of symbol fonts, the states of form fields and incomplete formulas so that converters keep them."""

import re
import xml.etree.ElementTree as ET

from symbol_fonts import FONTS, to_unicode

M = '{http://schemas.openxmlformats.org/officeDocument/2006/math}'
# Formula elements whose base (`m:e`) is required (22.1.2): converters omit elements without it.
WITH_BASE = ('nary', 'sSup', 'sSub', 'sSubSup', 'sPre', 'rad', 'acc', 'bar', 'func', 'limLow', 'limUpp', 'groupChr')
# Below an expression, if nothing else is set (22.1.2.20).
DEFAULT_BRACE = '\u23df'
CHECKED, UNCHECKED = '\u2612', '\u2610'
SYMBOLS = {name.lower(): symbols for name, symbols in FONTS.items()}


def write_symbols(root, w, styles=None):
    """Replaces characters of symbol fonts by Unicode characters, in `w:sym` and in runs with such a font, directly or
    by their style; `styles` has the fonts of character styles."""
    for run in root.iter(f'{w}r'):
        table = _table_of(run, w, styles or {})
        for place, child in enumerate(list(run)):
            if child.tag == f'{w}sym':
                symbols = SYMBOLS.get(child.get(f'{w}font', '').lower())
                character = None if symbols is None else _symbol(child.get(f'{w}char', ''), 16, symbols)
                if character:
                    run[place] = ET.Element(f'{w}t')
                    run[place].text = character
            elif child.tag == f'{w}t' and table is not None and child.text:
                child.text = to_unicode(child.text, table)


FIELD = re.compile(
    r'\s*SYMBOL\s+(0x[0-9a-fA-F]{1,4}|\d{1,5})\s.*?\\f\s*"?([^"\\]*[^"\\\s])"?.*', re.IGNORECASE | re.DOTALL)
# Instructions of real fields are far shorter.
MAX_INSTRUCTION = 200


def write_symbol_fields(root, w):
    """Writes the character of SYMBOL fields (17.16.5.59), which have no result, before the field."""
    for parent in list(root.iter(f'{w}p')):
        for run in list(parent):
            text = ''.join(part.text or '' for part in run.findall(f'{w}instrText'))
            field = FIELD.fullmatch(text) if len(text) <= MAX_INSTRUCTION else None
            symbols = None if field is None else SYMBOLS.get(field.group(2).lower())
            if symbols is not None:
                base = 16 if field.group(1).lower().startswith('0x') else 10
                run_before = ET.Element(f'{w}r')
                ET.SubElement(run_before, f'{w}t').text = _symbol(field.group(1), base, symbols)
                parent.insert(_start_of_field(parent, run, w), run_before)


def _start_of_field(parent, run, w):
    place = list(parent).index(run)
    while place > 0 and parent[place].find(f'{w}fldChar') is None:
        place -= 1
    return place


def _table_of(run, w, styles):
    fonts = run.find(f'{w}rPr/{w}rFonts')
    name = None if fonts is None else fonts.get(f'{w}ascii')
    style = run.find(f'{w}rPr/{w}rStyle')
    if name is None and style is not None:
        name = styles.get(style.get(f'{w}val'))
    return SYMBOLS.get((name or '').lower())


def symbol_styles(styles, w):
    """Returns the fonts of the character styles that have a symbol font."""
    found = {}
    for style in styles.iter(f'{w}style'):
        fonts = style.find(f'{w}rPr/{w}rFonts')
        if fonts is not None and fonts.get(f'{w}ascii', '').lower() in SYMBOLS:
            found[style.get(f'{w}styleId')] = fonts.get(f'{w}ascii')
    return found


def _symbol(code, base, symbols):
    """Returns the character; a replacement character for one that is unknown, which converters would drop."""
    try:
        return symbols.get(int(code[:6], base) & 0xFF, '\ufffd')
    except ValueError:
        return None


def write_form_fields(root, w):
    """Writes the states of check boxes and the selected values of lists (17.16.5.20, 17.16.9) before their fields."""
    for parent in list(root.iter()):
        for child in list(parent):
            data = child.find(f'{w}fldChar/{w}ffData') if child.tag == f'{w}r' else None
            text = None if data is None else _state(data, w)
            if text is None:
                continue
            run = ET.Element(f'{w}r')
            ET.SubElement(run, f'{w}t').text = text
            parent.insert(list(parent).index(child), run)


def _state(data, w):
    box, choices = data.find(f'{w}checkBox'), data.find(f'{w}ddList')
    if box is not None:
        state = box.find(f'{w}checked')
        state = box.find(f'{w}default') if state is None else state
        is_on = state is not None and state.get(f'{w}val', '1') not in ('0', 'false', 'off')
        return CHECKED if is_on else UNCHECKED
    if choices is None:
        return None
    entries = [entry.get(f'{w}val', '') for entry in choices.findall(f'{w}listEntry')]
    chosen = choices.find(f'{w}result')
    chosen = choices.find(f'{w}default') if chosen is None else chosen
    index = '0' if chosen is None else chosen.get(f'{w}val', '0')
    return entries[int(index)] if index.isdecimal() and len(index) < 5 and int(index) < len(entries) else None


def _write_lower_brace(element):
    """Writes a brace or an arrow below an expression as its lower limit: pandoc would put the expression above it."""
    position, character = (element.find(f'{M}groupChrPr/{M}{name}') for name in ('pos', 'chr'))
    if position is not None and position.get(f'{M}val') == 'top':
        return
    base = element.find(f'{M}e')
    for child in list(element):
        element.remove(child)
    element.tag = f'{M}limLow'
    element.append(base)
    run = ET.SubElement(ET.SubElement(element, f'{M}lim'), f'{M}r')
    ET.SubElement(run, f'{M}t').text = DEFAULT_BRACE if character is None else character.get(f'{M}val') or DEFAULT_BRACE


def complete_formulas(root):
    """Adds parts with a default that pandoc does not know, and writes fractions without a bar, such as binomial
    coefficients, as a column."""
    for name in WITH_BASE:
        for element in root.iter(f'{M}{name}'):
            if element.find(f'{M}e') is None:
                ET.SubElement(element, f'{M}e')
    for element in root.iter(f'{M}nary'):
        for place, name in ((1, 'sub'), (2, 'sup')):
            if element.find(f'{M}{name}') is None:
                element.insert(min(place, len(element) - 1), ET.Element(f'{M}{name}'))
    for element in root.iter(f'{M}bar'):
        if element.find(f'{M}barPr/{M}pos') is None:
            properties = element.find(f'{M}barPr')
            if properties is None:
                properties = ET.Element(f'{M}barPr')
                element.insert(0, properties)
            ET.SubElement(properties, f'{M}pos', {f'{M}val': 'bot'})
    for element in list(root.iter(f'{M}groupChr')):
        _write_lower_brace(element)
    for element in list(root.iter(f'{M}f')):
        kind = element.find(f'{M}fPr/{M}type')
        if kind is None or kind.get(f'{M}val') != 'noBar':
            continue
        parts = [list(part) for name in ('num', 'den') for part in element.findall(f'{M}{name}')]
        for child in list(element):
            element.remove(child)
        element.tag = f'{M}m'
        for part in parts:
            ET.SubElement(ET.SubElement(element, f'{M}mr'), f'{M}e').extend(part)
