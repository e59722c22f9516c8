"""Makes a PDF with one page per image of a comic book: comic_pages.py comic.zip result.pdf

Prints the number of pages; exit code 3: there is no image.
"""

import io
import os
import re
import sys
import zipfile

import img2pdf
from PIL import Image

EXTENSIONS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")
ATTRIBUTES = re.compile(r"(?:^|/)(?:__MACOSX/|\._)")
MAX_IMAGE_BYTES = 200 * 1024 * 1024


def natural_key(name):
    """Returns a sort key: page 10 comes after page 9."""
    return [int(part) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", name)]


def write_page_image(data, path):
    """Embeds JPEG unchanged and converts other images, because img2pdf does not support transparency or all formats."""
    with Image.open(io.BytesIO(data)) as image:
        if image.format == "JPEG":
            with open(path, "wb") as file:
                file.write(data)
            return
        flat = image.convert("RGBA")
        white = Image.new("RGBA", flat.size, "white")
        Image.alpha_composite(white, flat).convert("RGB").save(path, "PNG")


def main():
    source, target = sys.argv[1:]
    folder = os.path.join(os.getcwd(), "pages")
    os.makedirs(folder)
    paths = []
    with zipfile.ZipFile(source) as comic:
        entries = [entry for entry in comic.infolist() if entry.filename.lower().endswith(EXTENSIONS)]
        # For each file, macOS adds another one with attributes.
        entries = [entry for entry in entries if not ATTRIBUTES.search(entry.filename)]
        for entry in sorted(entries, key=lambda one: natural_key(one.filename)):
            if entry.file_size > MAX_IMAGE_BYTES:
                sys.exit(4)
            path = os.path.join(folder, "%06d" % len(paths))
            write_page_image(comic.read(entry), path)
            paths.append(path)
    if not paths:
        sys.exit(3)
    with open(target, "wb") as file:
        img2pdf.convert(paths, outputstream=file, rotation=img2pdf.Rotation.ifvalid)
    print(len(paths))


main()
