"""Writes the generated numbers of headings and clauses into the text of a Word document (ECMA-376, part 1, 17.9)."""

import re
import xml.etree.ElementTree as ET

# Lists with one of these patterns stay lists, which number themselves.
PLAIN = re.compile(r'\(?%(\d)[.)]?')
LEVEL = re.compile(r'%(\d)')
# Limits the chain of base styles, which can be circular.
MAX_BASES = 10
ROMAN = ((1000, 'm'), (900, 'cm'), (500, 'd'), (400, 'cd'), (100, 'c'), (90, 'xc'), (50, 'l'), (40, 'xl'), (10, 'x'),
         (9, 'ix'), (5, 'v'), (4, 'iv'), (1, 'i'))


def may_have_numbers(numbering):
    """Whether the list definitions contain levels whose numbers a plain list cannot show."""
    texts = re.findall(rb'lvlText\s[^<>]*val="([^"]*)"', numbering)
    return b'pStyle' in numbering or any(
        b'%' in text and not PLAIN.fullmatch(text.decode('utf-8', 'replace')) for text in texts)


class Numbering:
    def __init__(self, numbering, styles, w):
        self.w = w
        self.abstract, self.lists, self.counters, self.started = {}, {}, {}, set()
        self.styles = {style.get(f'{w}styleId'): style for style in styles.iter(f'{w}style')}
        for one in numbering.iter(f'{w}abstractNum'):
            self.abstract[one.get(f'{w}abstractNumId')] = one
        for one in numbering.iter(f'{w}num'):
            self.lists[one.get(f'{w}numId')] = one

    def write(self, root):
        """Writes the numbers and returns in how many paragraphs."""
        # If one level of a definition is written as text, all are: a list would count differently.
        paragraphs = [(paragraph, *found) for paragraph in root.iter(f'{self.w}p')
                      if (found := self._list_of(paragraph)) is not None]
        written = {self._key(number) for paragraph, number, level, is_heading in paragraphs
                   if is_heading or not self._is_plain(number, level)}
        count = 0
        for paragraph, number, level, _ in paragraphs:
            text = self._next(number, level)
            if self._key(number) in written and text is not None:
                self._insert(paragraph, text)
                count += 1
        return count

    def _list_of(self, paragraph):
        """Returns the id of the list, the level, and whether the paragraph is a heading; None without a list."""
        properties = paragraph.find(f'{self.w}pPr')
        style = None if properties is None else self._val(properties.find(f'{self.w}pStyle'))
        own = None if properties is None else properties.find(f'{self.w}numPr')
        chain = list(self._chain(style))
        is_heading = any(one.find(f'{self.w}pPr/{self.w}outlineLvl') is not None
                         or re.match(r'heading \d', self._val(one.find(f'{self.w}name')) or '', re.IGNORECASE)
                         for one in chain)
        number, level = self._of(own)
        for one in chain:
            if number is not None:
                break
            number, found = self._of(one.find(f'{self.w}pPr/{self.w}numPr'))
            level = self._level_of_style(number, one.get(f'{self.w}styleId'), found) if level is None else level
        if number is None or number == '0' or number not in self.lists:
            return None
        return number, int(level) if level and level.isdecimal() and len(level) == 1 else 0, is_heading

    def _of(self, properties):
        if properties is None:
            return None, None
        return (self._val(properties.find(f'{self.w}numId')), self._val(properties.find(f'{self.w}ilvl')))

    def _level_of_style(self, number, style, level):
        for one in self._levels(number).values():
            if self._val(one.find(f'{self.w}pStyle')) == style:
                return one.get(f'{self.w}ilvl')
        return level

    def _chain(self, name):
        for _ in range(MAX_BASES):
            style = self.styles.get(name)
            if style is None:
                return
            yield style
            name = self._val(style.find(f'{self.w}basedOn'))

    def _key(self, number):
        return self._val(self.lists[number].find(f'{self.w}abstractNumId')) if number in self.lists else None

    def _levels(self, number, depth=0):
        """Returns the levels of a list by index; a definition may refer to a style with the real definition."""
        one = self.abstract.get(self._key(number))
        if one is None or depth > MAX_BASES:
            return {}
        link = self._val(one.find(f'{self.w}numStyleLink'))
        if link is not None and link in self.styles:
            target, _ = self._of(self.styles[link].find(f'{self.w}pPr/{self.w}numPr'))
            return self._levels(target, depth + 1)
        levels = {level.get(f'{self.w}ilvl'): level for level in one.iterfind(f'{self.w}lvl')}
        for override in self.lists[number].iterfind(f'{self.w}lvlOverride'):
            level = override.find(f'{self.w}lvl')
            if level is not None:
                levels[override.get(f'{self.w}ilvl')] = level
        return levels

    def _pattern(self, number, level):
        found = self._levels(number).get(str(level))
        return None if found is None else self._val(found.find(f'{self.w}lvlText'))

    def _is_plain(self, number, level):
        pattern = self._pattern(number, level)
        match = PLAIN.fullmatch(pattern or '')
        return not pattern or '%' not in pattern or (match is not None and match.group(1) == str(level + 1))

    def _next(self, number, level):
        """Counts the paragraph and returns its number; None for a bullet or a level without a number."""
        levels = self._levels(number)
        counters = self.counters.setdefault(self._key(number), {})
        self._restart(number, counters)
        counters[level] = counters[level] + 1 if level in counters else self._start(levels, level)
        for deeper in [one for one in counters if one > level]:
            del counters[deeper]
        pattern = self._pattern(number, level)
        if not pattern or '%' not in pattern:
            return None
        own = levels[str(level)]
        has_legal_style = own.find(f'{self.w}isLgl') is not None

        def value(match):
            at = int(match.group(1)) - 1
            if at < 0 or str(at) not in levels:
                return ''
            counters.setdefault(at, self._start(levels, at))
            kind = self._val(levels[str(at)].find(f'{self.w}numFmt')) or 'decimal'
            return spell(counters[at], 'decimal' if has_legal_style else kind)

        return LEVEL.sub(value, pattern)

    def _restart(self, number, counters):
        """Restarts the levels that the list overrides, at its first paragraph."""
        if number in self.started:
            return
        self.started.add(number)
        for override in self.lists[number].iterfind(f'{self.w}lvlOverride'):
            start = self._val(override.find(f'{self.w}startOverride'))
            level = override.get(f'{self.w}ilvl', '')
            if start is not None and start.isdecimal() and level.isdecimal():
                counters[int(level)] = int(start[:9]) - 1

    def _start(self, levels, level):
        found = levels.get(str(level))
        start = None if found is None else self._val(found.find(f'{self.w}start'))
        return int(start[:9]) if start is not None and start.isdecimal() else 0 if start is None else 1

    def _insert(self, paragraph, text):
        properties = paragraph.find(f'{self.w}pPr')
        if properties is None:
            properties = ET.Element(f'{self.w}pPr')
            paragraph.insert(0, properties)
        own = properties.find(f'{self.w}numPr')
        if own is None:
            own = ET.SubElement(properties, f'{self.w}numPr')
        for child in list(own):
            own.remove(child)
        ET.SubElement(own, f'{self.w}numId', {f'{self.w}val': '0'})
        run = ET.Element(f'{self.w}r')
        words = ET.SubElement(run, f'{self.w}t', {'{http://www.w3.org/XML/1998/namespace}space': 'preserve'})
        words.text = f'{text} '
        paragraph.insert(list(paragraph).index(properties) + 1, run)

    def _val(self, element):
        return None if element is None else element.get(f'{self.w}val')


def spell(number, kind):
    """Spells a number in one of the formats of 17.18.59; formats of other scripts become digits."""
    if kind == 'none':
        return ''
    if kind == 'decimalZero':
        return f'{number:02}'
    if kind in ('lowerLetter', 'upperLetter') and number > 0:
        text = chr(ord('a') + (number - 1) % 26) * min((number - 1) // 26 + 1, 10)
        return text.upper() if kind == 'upperLetter' else text
    if kind in ('lowerRoman', 'upperRoman') and 0 < number < 4000:
        text = ''
        for value, numeral in ROMAN:
            text += numeral * (number // value)
            number %= value
        return text.upper() if kind == 'upperRoman' else text
    return str(number)
