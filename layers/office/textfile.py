"""Plain text and tables in whatever encoding, made UTF-8 before the office sees them."""

import codecs
import os

CHUNK = 1 << 20
UTF8 = 76
MARKS = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
SEPARATORS = ',;\t|'
SAMPLE_LINES = 20


def make_utf8(path):
    """Rewrites the file unless it is UTF-8 already. What says nothing of itself is Windows' western encoding."""
    encoding = _encoding(path)
    if encoding == 'utf-8':
        return
    plain = f'{path}.utf8'
    with open(path, encoding=encoding, errors='replace', newline='') as source:
        with open(plain, 'w', encoding='utf-8', newline='') as target:
            while part := source.read(CHUNK):
                target.write(part)
    os.replace(plain, path)


def separator(path):
    """The code of the character that parts the fields: the one found equally often in the first lines."""
    with open(path, encoding='utf-8', errors='replace', newline='') as source:
        lines = [line for _, line in zip(range(SAMPLE_LINES), source) if line.strip()]
    counts = {mark: [_outside_quotes(line).count(mark) for line in lines] for mark in SEPARATORS}
    regular = [mark for mark, found in counts.items() if found and min(found) > 0 and min(found) == max(found)]
    return ord(max(regular or SEPARATORS, key=lambda mark: sum(counts[mark])))


def _outside_quotes(line):
    return ''.join(line.split('"')[::2])


def _encoding(path):
    with open(path, 'rb') as source:
        start = source.read(4)
        for mark, encoding in MARKS:
            if start.startswith(mark):
                return encoding
        decoder = codecs.getincrementaldecoder('utf-8')()
        source.seek(0)
        try:
            while part := source.read(CHUNK):
                decoder.decode(part)
            decoder.decode(b'', final=True)
        except UnicodeDecodeError:
            return 'cp1252'
    return 'utf-8'
