"""Writes the generated numbers of headings and clauses into the text of a Word document (ECMA-376, part 1, 17.9)."""

import re
import xml.etree.ElementTree as ET

# Lists with one of these patterns stay lists, which number themselves.
PLAIN = re.compile(r'\(?%(\d)[.)]?')
LEVEL = re.compile(r'%(\d)')
# Lists in Markdown have only decimal numbers.
DECIMAL = re.compile(r'%(\d)[.)]')
LIST_KINDS = ('decimal', 'lowerLetter', 'upperLetter', 'lowerRoman', 'upperRoman', 'bullet', 'none')
# Limits the chain of base styles, which can be circular.
MAX_BASES = 10
ROMAN = ((1000, 'm'), (900, 'cm'), (500, 'd'), (400, 'cd'), (100, 'c'), (90, 'xc'), (50, 'l'), (40, 'xl'), (10, 'x'),
         (9, 'ix'), (5, 'v'), (4, 'iv'), (1, 'i'))


def may_have_numbers(numbering):
    """Whether the list definitions may contain levels whose numbers a plain list cannot show."""
    texts = re.findall(rb'lvlText\s[^<>]*val="([^"]*)"', numbering)
    kinds = re.findall(rb'numFmt\s[^<>]*val="(\w*)"', numbering)
    has_shared_definitions = len(re.findall(rb':num\s', numbering)) > len(re.findall(rb':abstractNum\s', numbering))
    return b'pStyle' in numbering or b'lvlRestart' in numbering or has_shared_definitions or any(
        kind.decode() not in LIST_KINDS for kind in kinds) or any(
        b'%' in text and not PLAIN.fullmatch(text.decode('utf-8', 'replace')) for text in texts)


class Numbering:
    def __init__(self, numbering, styles, w, is_decimal=False):
        """`is_decimal` writes all numbers as text but those of decimal lists."""
        self.w = w
        self.is_decimal = is_decimal
        self.abstract, self.lists, self.counters, self.plain_counters, self.started = {}, {}, {}, {}, set()
        self.has_new_styles = False
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
        texts = []
        for paragraph, number, level, _ in paragraphs:
            texts.append(self._next(number, level))
            if texts[-1] is not None and not self._is_counted(number, level):
                written.add(self._key(number))
        count = 0
        for (paragraph, number, _, _), text in zip(paragraphs, texts):
            if self._key(number) in written and text is not None:
                self._insert(paragraph, text)
                count += 1
        self._clear_styles(written)
        return count

    def _is_counted(self, number, level):
        """Whether a converter counts the paragraph just numbered likewise: it counts each list by itself, although
        lists with the same definition continue each other, and restarts each level after a higher one."""
        counters = self.plain_counters.setdefault(number, {})
        started = counters[level] if level in counters else self._first(number, level) - 1
        counters[level] = started + 1
        for deeper in [one for one in counters if one > level]:
            del counters[deeper]
        return counters[level] == self.counters[self._key(number)][level]

    def _first(self, number, level):
        for override in self.lists[number].iterfind(f'{self.w}lvlOverride'):
            start = self._val(override.find(f'{self.w}startOverride'))
            if override.get(f'{self.w}ilvl') == str(level) and start is not None and start.isdecimal():
                return int(start[:9])
        return self._start(self._levels(number), level)

    def _clear_styles(self, written):
        """Removes the written lists from styles: calibre would number their paragraphs once more."""
        for style in self.styles.values():
            properties = style.find(f'{self.w}pPr')
            own = None if properties is None else properties.find(f'{self.w}numPr')
            if own is not None and self._key(self._of(own)[0]) in written:
                properties.remove(own)
                self.has_new_styles = True

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
        if not pattern or '%' not in pattern:
            return True
        match = (DECIMAL if self.is_decimal else PLAIN).fullmatch(pattern)
        kind = self._kind(self._levels(number), level)
        return (match is not None and match.group(1) == str(level + 1)
                and kind in (('decimal',) if self.is_decimal else LIST_KINDS))

    def _kind(self, levels, level):
        return self._val(levels[str(level)].find(f'{self.w}numFmt')) or 'decimal'

    def _next(self, number, level):
        """Counts the paragraph and returns its number; None for a bullet or a level without a number."""
        levels = self._levels(number)
        counters = self.counters.setdefault(self._key(number), {})
        self._restart(number, counters)
        counters[level] = counters[level] + 1 if level in counters else self._start(levels, level)
        for deeper in [one for one in counters if one > level and self._restarts(levels, one, level)]:
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
            return spell(counters[at], 'decimal' if has_legal_style else self._kind(levels, at))

        return LEVEL.sub(value, pattern)

    def _restarts(self, levels, deeper, level):
        """Whether a level restarts after a paragraph of a higher level (17.9.10)."""
        found = levels.get(str(deeper))
        value = None if found is None else self._val(found.find(f'{self.w}lvlRestart'))
        return value is None or not value.isdecimal() or (value != '0' and level < int(value[:2]))

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


ONES = ('Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen '
        'Seventeen Eighteen Nineteen').split()
TENS = '- - Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split()
ORDINALS = {'One': 'First', 'Two': 'Second', 'Three': 'Third', 'Five': 'Fifth', 'Eight': 'Eighth', 'Nine': 'Ninth',
            'Twelve': 'Twelfth'}
CYRILLIC = 'абвгдежзиклмнопрстуфхцчшщэюя'
# Numerals with a character for each number from 1 on; after the last one, Word continues with digits.
NUMERALS = {
    'decimalEnclosedCircle': '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
    'decimalEnclosedParen': '⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇',
    'decimalEnclosedFullstop': '⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛',
    'ideographTraditional': '甲乙丙丁戊己庚辛壬癸',
    'ganada': '가나다라마바사아자차카타파하',
    'iroha': 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス',
    'aiueo': 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
}
CHINESE = ('japaneseCounting', 'chineseCounting', 'chineseCountingThousand', 'taiwaneseCountingThousand')


def spell(number, kind):
    """Spells a number in one of the formats of 17.18.59; rare formats of other scripts become digits."""
    if kind == 'none':
        return ''
    if kind == 'decimalZero':
        return f'{number:02}'
    if kind == 'numberInDash':
        return f'- {number} -'
    if kind == 'ordinal':
        return f'{number}{_suffix(number)}'
    if kind in ('cardinalText', 'ordinalText') and number < 100:
        return _words(number, kind == 'ordinalText')
    if kind in ('hex', 'decimalFullWidth'):
        return f'{number:X}' if kind == 'hex' else str(number).translate(FULL_WIDTH)
    if kind in NUMERALS and 0 < number <= len(NUMERALS[kind]):
        return NUMERALS[kind][number - 1]
    if kind in CHINESE and 0 < number < 100:
        return _chinese(number)
    if kind in ('lowerLetter', 'upperLetter') and number > 0:
        return _repeat_character(number, 'abcdefghijklmnopqrstuvwxyz', kind == 'upperLetter')
    if kind in ('russianLower', 'russianUpper') and number > 0:
        return _repeat_character(number, CYRILLIC, kind == 'russianUpper')
    if kind in ('lowerRoman', 'upperRoman') and 0 < number < 4000:
        text = ''
        for value, numeral in ROMAN:
            text += numeral * (number // value)
            number %= value
        return text.upper() if kind == 'upperRoman' else text
    return str(number)


FULL_WIDTH = {ord('0') + digit: 0xFF10 + digit for digit in range(10)}


def _repeat_character(number, alphabet, is_upper):
    text = alphabet[(number - 1) % len(alphabet)] * min((number - 1) // len(alphabet) + 1, 10)
    return text.upper() if is_upper else text


def _suffix(number):
    return 'th' if number % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')


def _words(number, is_ordinal):
    words = [ONES[number]] if number < 20 else [TENS[number // 10], *([ONES[number % 10]] if number % 10 else [])]
    if is_ordinal:
        last = words[-1]
        words[-1] = ORDINALS.get(last) or (f'{last[:-1]}ieth' if last.endswith('y') else f'{last}th')
    return '-'.join([words[0], *(word.lower() for word in words[1:])])


def _chinese(number):
    digits = ' 一二三四五六七八九'
    tens = f'{digits[number // 10] if number >= 20 else ""}十' if number >= 10 else ''
    return tens + (digits[number % 10] if number % 10 else '')
