"""Unpacks a 7z archive by methods that 7-Zip does not know, as Zstandard: `unpack_7z.py ARCHIVE FOLDER`.

Runs inside the sandbox, on an archive whose names and sizes were looked at. Exit code 3 says that it cannot be read.
"""

import sys

import py7zr

try:
    with py7zr.SevenZipFile(sys.argv[1]) as archive:
        archive.extractall(path=sys.argv[2])
except Exception as error:  # Whatever a parser stumbles over is the fault of the file.
    sys.stderr.write(f'{type(error).__name__}: {error}\n')
    sys.exit(3)
