"""Decrypts one office file: unlock.py locked.docx open.docx, the password on stdin.

Exit codes: 0 decrypted; 3 wrong password; 4 not encrypted; 5 an encrypted OpenDocument file, which only the office can
open; 6 protected by another method than a password; 1 damaged.
"""

import sys
import zipfile

import msoffcrypto
from msoffcrypto import exceptions

WRONG_PASSWORD, NOT_ENCRYPTED, OPEN_DOCUMENT, UNKNOWN_PROTECTION = 3, 4, 5, 6
MAX_MANIFEST_BYTES = 16 * 1024 * 1024


def main(source, target):
    password = sys.stdin.read()
    if zipfile.is_zipfile(source) and not is_ole(source):
        return OPEN_DOCUMENT if is_encrypted_open_document(source) else NOT_ENCRYPTED
    with open(source, 'rb') as stream:
        try:
            document = msoffcrypto.OfficeFile(stream)
        except exceptions.FileFormatError:
            # The format's own reader reports what is wrong with the file.
            return NOT_ENCRYPTED
        if not document.is_encrypted():
            return NOT_ENCRYPTED
        try:
            document.load_key(password=password, **(
                {'verify_password': True} if document.format == 'ooxml' else {}))
            with open(target, 'wb') as result:
                document.decrypt(result)
        except exceptions.InvalidKeyError:
            return WRONG_PASSWORD
        except exceptions.DecryptionError:
            return UNKNOWN_PROTECTION
    return 0


def is_ole(path):
    with open(path, 'rb') as stream:
        return stream.read(8) == b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'


def is_encrypted_open_document(path):
    with zipfile.ZipFile(path) as package:
        if 'META-INF/manifest.xml' not in package.namelist():
            return False
        with package.open('META-INF/manifest.xml') as manifest:
            return b'encryption-data' in manifest.read(MAX_MANIFEST_BYTES)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
