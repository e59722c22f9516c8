"""Extracts a 7z archive with methods that 7-Zip does not support, such as Zstandard: `unpack_7z.py ARCHIVE FOLDER`.

Runs inside the sandbox, on an archive whose names and sizes have been checked. Exit code 3: it cannot be read.
"""

import sys

import py7zr

try:
    with py7zr.SevenZipFile(sys.argv[1]) as archive:
        archive.extractall(path=sys.argv[2])
except Exception as error:  # Any exception of the parser means that the file is damaged.
    sys.stderr.write(f'{type(error).__name__}: {error}\n')
    sys.exit(3)
