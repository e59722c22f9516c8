"""Changes parts of a package (ECMA-376, part 2) in place."""

import os
import zipfile

# Parts are read completely; in real documents they are far smaller than the limit.
MAX_PART_BYTES = 64 * 1024 * 1024


def change_parts(path, find_change, added=None):
    """`find_change` returns the function that changes the XML of the part with a name; None to keep the part.
    `added` has the content of new parts by name."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as package:
        changed = {}
        for part in package.infolist():
            change = find_change(part.filename)
            if change is not None and part.file_size <= MAX_PART_BYTES:
                xml = package.read(part)
                new_xml = change(xml)
                if new_xml != xml:
                    changed[part.filename] = new_xml
        if changed or added:
            _write_parts(package, changed, added or {}, path)


def _write_parts(package, changed, added, path):
    new_path = f'{path}.new'
    with zipfile.ZipFile(new_path, 'w', zipfile.ZIP_DEFLATED) as result:
        for part in package.infolist():
            result.writestr(part.filename, changed[part.filename] if part.filename in changed else package.read(part))
        for name, content in added.items():
            result.writestr(name, content)
    os.replace(new_path, path)
