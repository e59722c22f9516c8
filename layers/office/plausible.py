"""Detects files that do not have the format of their extension, which the office would open as an empty page."""

import mmap
import os
import zipfile

# Content types of Office Open XML packages (ECMA-376, part 1); the second one is for files with macros.
WORD = (b'wordprocessingml', b'ms-word')
EXCEL = (b'spreadsheetml', b'ms-excel')
POWERPOINT = (b'presentationml', b'ms-powerpoint')
CONTENT_TYPES = {
    '.docx': WORD, '.docm': WORD, '.dotx': WORD, '.dotm': WORD,
    '.xlsx': EXCEL, '.xlsm': EXCEL, '.xltx': EXCEL, '.xltm': EXCEL,
    '.pptx': POWERPOINT, '.pptm': POWERPOINT, '.ppsx': POWERPOINT, '.potx': POWERPOINT, '.potm': POWERPOINT,
}

# First bytes of formats whose readers would open any file as an empty sheet.
MAGIC_BYTES = {'.wb2': b'\0\0\2\0', '.xmlss': b'<'}


def is_plausible(path):
    extension = os.path.splitext(path)[1]
    if os.path.getsize(path) == 0:
        return False
    if extension == '.rtf':
        with open(path, 'rb') as source:
            return source.read(64).lstrip().startswith(b'{\\rt')
    if extension in MAGIC_BYTES:
        with open(path, 'rb') as source:
            return source.read(64).lstrip(b'\xef\xbb\xbf \r\n\t').startswith(MAGIC_BYTES[extension])
    if extension in CONTENT_TYPES and zipfile.is_zipfile(path):
        listed = _content_types(path)
        return any(kind in listed for kind in CONTENT_TYPES[extension])
    return True


def _content_types(path):
    try:
        with zipfile.ZipFile(path) as package, package.open('[Content_Types].xml') as types:
            return types.read(1 << 20)
    except (KeyError, zipfile.BadZipFile, NotImplementedError):
        return b''


def is_locked_show(path):
    """Returns whether a document is encrypted, by the token of the stream "Current User" ([MS-PPT] 2.3.2)."""
    if os.path.splitext(path)[1] not in ('.ppt', '.pps', '.pot'):
        return False
    if os.path.getsize(path) == 0:
        return False
    with open(path, 'rb') as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # The stream is a few bytes long and can be anywhere in the file.
        return content.find(b'\x14\0\0\0\xdf\xc4\xd1\xf3') >= 0
