"""Runs calibre's ebook-convert; can be started in advance, before there is a book.

    ebook_convert.py [ARGUMENT...]

Without arguments, it loads the modules that conversions need and waits for the arguments: one line on stdin, a JSON
list. They are those of ebook-convert, optionally followed by `--opf-if-untitled=FILE`: that file (Open Packaging Format
2.0) contains the title for a book without one.
"""

import importlib
import json
import os
import select
import sys

# The same settings as in Debian's /usr/bin/ebook-convert.
sys.path.insert(0, '/usr/lib/calibre')
sys.resources_location = '/usr/share/calibre'
sys.extensions_location = '/usr/lib/calibre/calibre/plugins'
sys.executables_location = '/usr/bin'
sys.system_plugins_location = None

# Python starts in isolated mode, without this folder in the module path.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

UNTITLED = '--opf-if-untitled='

# Modules that most conversions load; loading them takes most of the time of a small conversion.
MODULES = (
    'calibre.ebooks.conversion.cli',
    'calibre.ebooks.conversion.plumber',
    *(f'calibre.ebooks.oeb.transforms.{name}' for name in (
        'data_url', 'metadata', 'guide', 'jacket', 'structure', 'flatcss', 'page_margin', 'trimmanifest', 'cover',
        'manglecase', 'rasterize', 'htmltoc')),
    'calibre.ebooks.oeb.reader',
    'calibre.ebooks.oeb.writer',
    'calibre.ebooks.oeb.polish.container',
    'calibre.ebooks.metadata.meta',
    'calibre.ebooks.covers',
    'calibre.ebooks.unihandecode.unidecoder',
    'calibre.ebooks.mobi.writer2.main',
    'calibre.ebooks.mobi.writer2.resources',
    'calibre.ebooks.mobi.writer8.main',
    'calibre.ebooks.mobi.writer8.cleanup',
    'dateutil.parser',
    'PIL.JpegImagePlugin',
)


def main():
    arguments = sys.argv[1:] or wait_for_arguments()
    if not arguments:
        return 0
    if arguments[-1].startswith(UNTITLED):
        opf = arguments.pop().removeprefix(UNTITLED)
        if not has_title(arguments[0]):
            arguments.append(f'--read-metadata-from-opf={opf}')
    if arguments[1].endswith('.tcr'):
        store_text_that_cannot_be_compressed()
    from calibre.ebooks.conversion.cli import main as ebook_convert
    code = ebook_convert(['ebook-convert', *arguments])
    if not code and arguments[1].endswith('.epub'):
        from clean_book import clean
        clean(arguments[1])
    return code


def wait_for_arguments():
    for name in MODULES:
        if select.select([sys.stdin], [], [], 0)[0]:
            break
        importlib.import_module(name)
    return json.loads(sys.stdin.readline() or '[]')


def store_text_that_cannot_be_compressed():
    """calibre's compressor of TCR books fails with text that repeats often: its codes stand for more than the 255 bytes
    that the format allows. Such text is stored with a code for each byte."""
    from calibre.ebooks.compression.tcr import TCRCompressor
    compress = TCRCompressor.compress

    def compress_or_store(self, text):
        try:
            return compress(self, text)
        except ValueError:
            return b'!!8-Bit!!' + b''.join(bytes((1, code)) for code in range(256)) + text

    TCRCompressor.compress = compress_or_store


def has_title(path):
    """Returns whether the book has a title; otherwise calibre would use the file name, which the service has chosen."""
    from calibre.ebooks.metadata.meta import get_metadata
    name, extension = os.path.splitext(os.path.basename(path))
    try:
        with open(path, 'rb') as stream:
            title = get_metadata(stream, extension[1:].lower(), force_read_metadata=True).title
    except Exception:
        # The conversion itself will report the error in the file.
        return False
    return (title or '').strip().lower() not in ('', 'unknown', name.lower())


if __name__ == '__main__':
    sys.exit(main())
