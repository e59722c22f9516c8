"""Reads documents that replace a part of the text of a Word document (ECMA-376, part 1, 17.17.2.1)."""

import email
import re

RTF = re.compile(r"\\'([0-9a-fA-F]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL)
RTF_START, PAGE_TAG = '{\\rtf', re.compile(r'<(?:html|body|p|div|table|span|h\d)\b', re.IGNORECASE)
# Of an email or MHTML file.
HEADER, MIME_VERSION = re.compile(rb'[\w-]{1,100}:'), re.compile(rb'^MIME-Version:', re.MULTILINE)
HEAD_END, MAX_HEAD_BYTES = re.compile(rb'\r?\n\r?\n'), 20_000
DECLARATION, INCOMPLETE_TAG = re.compile('<[!?][^<>]{0,5000}>'), re.compile('<(?!/?[a-zA-Z][^<>]{0,5000}>)')
# Groups whose content is no text.
RTF_DATA = {'fonttbl', 'colortbl', 'stylesheet', 'info', 'pict', 'object', 'fldinst', 'listtable', 'listoverridetable',
            'generator', 'themedata', 'header', 'footer'}
RTF_BREAKS = {'par': '\n', 'line': '\n', 'row': '\n', 'sect': '\n', 'page': '\n', 'tab': '\t', 'cell': '\t',
              'emdash': '\u2014', 'endash': '\u2013', 'lquote': '\u2018', 'rquote': '\u2019', 'ldblquote': '\u201c',
              'rdblquote': '\u201d', 'bullet': '\u2022'}


def decode(content):
    """Returns the text of a document: that of the web page in MHTML, as saved by browsers, and others completely."""
    head = HEAD_END.split(content.lstrip()[:MAX_HEAD_BYTES], maxsplit=1)[0]
    if HEADER.match(head) and MIME_VERSION.search(head):
        parts = list(email.message_from_bytes(content.lstrip()).walk())
        page = next((part for part in parts if part.get_content_type() == 'text/html'), None)
        content = page.get_payload(decode=True) if page is not None else b''
    # The characters of an RTF have one byte each.
    if content.startswith(RTF_START.encode()):
        return content.decode('latin-1')
    try:
        return content.decode('utf-8-sig')
    except UnicodeDecodeError:
        return content.decode('cp1252', 'replace')


def is_page(text):
    return not text.startswith(RTF_START) and PAGE_TAG.search(text) is not None


def lines_of(text):
    """Returns the lines of an RTF or of a plain text that are not blank."""
    if text.startswith(RTF_START):
        return [line.strip() for line in _rtf_text(text).split('\n') if line.strip()]
    return [line for line in text.splitlines() if line.strip()]


def complete_tags(text):
    """Removes comments and declarations, and escapes incomplete tags: Python's parser searches the whole rest of the page
    for the end of each of them."""
    first, *others = text.split('<!--')
    without_comments = first + ''.join(other.partition('-->')[2] for other in others)
    return INCOMPLETE_TAG.sub('&lt;', DECLARATION.sub('', without_comments))


def _rtf_text(rtf):
    """Returns the text of an RTF, whose characters of one byte are Western European unless it names another page."""
    page = re.search(r'\\ansicpg(\d{3,5})', rtf)
    text, groups, is_data, to_skip, skipped = [], [], False, 0, 1
    for found in RTF.finditer(rtf):
        code, word, number, symbol, bracket, plain = found.groups()
        if bracket == '{':
            groups.append((is_data, skipped))
        elif bracket == '}':
            is_data, skipped = groups.pop() if groups else (False, 1)
        elif symbol == '*' or word in RTF_DATA:
            is_data = True
        elif word == 'uc':
            skipped = int(number or 1)
        elif is_data:
            continue
        elif word == 'u' and number:
            text.append(chr(int(number) % 0x10000))
            to_skip = skipped
        elif code or (symbol is None and word is None and plain):
            shown = _decode(code, page) if code else plain
            text.append(shown[to_skip:])
            to_skip = max(0, to_skip - len(shown))
        elif word in RTF_BREAKS:
            text.append(RTF_BREAKS[word])
        elif symbol:
            text.append({'~': '\u00a0', '_': '-', '\n': '\n', '\r': '\n'}.get(symbol, symbol if symbol in '{}\\' else ''))
    # Pairs of surrogates are one character.
    return ''.join(text).encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')


def _decode(code, page):
    try:
        return bytes.fromhex(code).decode(f'cp{page.group(1)}' if page else 'cp1252')
    except (LookupError, UnicodeDecodeError):
        return '\ufffd'
