"""Makes one HTML page from an email: mail_page.py mail.eml page.html

The page contains sender, recipients, subject and date, the text with its images, and the names of the attachments. Only
elements and attributes listed here are retained: no scripts, no URLs that a browser would load automatically. Prints
{"attachments": …, "missing": …}; missing counts omitted images. Exit code 3: not an email.
"""

import base64
import email
import email.errors
import email.header
import html
import json
import re
import sys

from html5_parser import parse
from lxml.etree import iterwalk

HEADERS = ("From", "To", "Cc", "Bcc", "Date")
ALLOWED = frozenset(
    "a abbr address b big blockquote br caption center cite code col colgroup dd del div dl dt em font h1 h2 h3 h4 h5 "
    "h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub sup table tbody td tfoot th thead tr "
    "tt u ul var".split()
)
VOID = frozenset(("br", "col", "hr", "img"))
# Elements that are removed with their content; other unlisted elements keep their text.
REMOVED = frozenset(
    "applet audio canvas frameset head iframe math noembed noframes object script select style svg template textarea "
    "title video".split()
)
ATTRIBUTES = frozenset(
    "align alt bgcolor border cellpadding cellspacing color cols colspan dir face height lang rowspan size span start "
    "type valign width".split()
)
STYLES = re.compile(
    r"(?:background-color|border[a-z-]*|color|direction|display|font[a-z-]*|height|letter-spacing|line-height|"
    r"list-style-type|margin[a-z-]*|max-width|padding[a-z-]*|text-[a-z-]*|vertical-align|white-space|width)"
)
# CSS values without functions, except for colors, and without escapes that could form one.
STYLE_VALUE = re.compile(r"(?:[\w\s.,#%'\"!-]|rgba?\([\d\s.,%]*\))*")
LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
# Limits the total, because an image can occur in the text any number of times.
MAX_IMAGE_BYTES = 100 * 1024 * 1024

WIDE_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Transfer encodings that do not change the text.
PLAIN = ("7bit", "8bit", "binary")

PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; }}
th {{ padding-right: 1em; text-align: left; vertical-align: top; }}
img {{ max-width: 100%; }}
</style>
</head>
<body>
<h1>{title}</h1>
<table>
{headers}
</table>
<hr>
{body}
{attachments}</body>
</html>
"""


def decode(data, charset):
    """Decodes text; the declared charset can be wrong or missing."""
    for name in (charset, "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, TypeError, ValueError):
            pass
    return data.decode("cp1252", "replace")


def decode_header(raw):
    """Returns the text of a header, encoded with RFC 2047 or not at all."""
    text = decode(raw.encode("utf-8", "surrogateescape"), "utf-8")
    try:
        pieces = email.header.decode_header(text)
    except email.errors.HeaderParseError:
        return text
    words = (piece if isinstance(piece, str) else decode(piece, charset) for piece, charset in pieces)
    return " ".join("".join(words).split())


def header(part, name):
    return decode_header(next((value for key, value in part.raw_items() if key.lower() == name.lower()), ""))


def text_of(part):
    return decode(part.get_payload(decode=True) or b"", part.get_content_charset())


def leaf_parts(part):
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for inner in part.get_payload():
            yield from leaf_parts(inner)
    else:
        yield part


def is_text(part):
    listed = part.get_content_disposition() == "attachment" or part.get_filename()
    return not listed and part.get_content_type() in ("text/plain", "text/html")


def body_parts(part):
    """Returns the parts to read; if there are alternatives, the richest one (RFC 2046, 5.1.4)."""
    if not part.is_multipart() or part.get_content_maintype() != "multipart":
        return [part] if is_text(part) else []
    inner = [body_parts(one) for one in part.get_payload()]
    if part.get_content_subtype() == "alternative":
        return next((parts for parts in reversed(inner) if parts), [])
    return [one for parts in inner for one in parts]


class Images:
    """The images of the email by Content-ID; each is embedded where the page refers to it."""

    def __init__(self, parts):
        self.parts = [part for part in parts if part.get_content_type() in IMAGE_TYPES]
        self.by_id = {header(part, "Content-ID").strip("<> "): part for part in self.parts}
        self.shown = set()
        self.missing = 0
        self.left = MAX_IMAGE_BYTES

    def url(self, source):
        part = self.by_id.get(source[4:]) if source.lower().startswith("cid:") else None
        if part is not None:
            return self.data(part)
        if DATA.fullmatch(source):
            return self.within_limit(source)
        self.missing += 1
        return ""

    def data(self, part):
        self.shown.add(part)
        content = base64.b64encode(part.get_payload(decode=True) or b"").decode()
        return self.within_limit("data:%s;base64,%s" % (part.get_content_type(), content))

    def within_limit(self, url):
        self.left -= len(url)
        if self.left >= 0:
            return url
        self.missing += 1
        return ""


def safe_style(style):
    pairs = (rule.partition(":") for rule in style.split(";"))
    kept = ((name.strip().lower(), value.strip()) for name, _, value in pairs)
    return "; ".join(
        "%s: %s" % (name, value) for name, value in kept if STYLES.fullmatch(name) and STYLE_VALUE.fullmatch(value)
    )


def attributes(element, images):
    """Returns the attributes to write; None for a missing image."""
    given = element.attrib
    kept = {name: value for name, value in given.items() if name in ATTRIBUTES}
    if "style" in given:
        kept["style"] = safe_style(given["style"])
    if element.tag == "a" and LINK.match(given.get("href", "").strip()):
        kept["href"] = given["href"].strip()
    if element.tag == "img":
        kept["src"] = images.url(given.get("src", "").strip())
        if not kept["src"]:
            return None
    return "".join(' %s="%s"' % (name, html.escape(value)) for name, value in kept.items())


def sanitize(source, images):
    """Serializes the page from its parsed elements, so that only listed elements remain, however they are written."""
    removed_depth = 0
    for event, element in iterwalk(parse(source), events=("start", "end", "comment")):
        name = element.tag
        if event == "start":
            removed_depth += name in REMOVED
            given = attributes(element, images) if name in ALLOWED and not removed_depth else None
            if given is not None:
                yield "<%s%s>" % (name, given)
        elif event == "end":
            removed_depth -= name in REMOVED
            if name in ALLOWED and name not in VOID and not removed_depth:
                yield "</%s>" % name
        text = element.text if event == "start" else element.tail
        if text and not removed_depth:
            yield html.escape(text, quote=False)


def paragraphs(part):
    text = text_of(part).replace("\r\n", "\n")
    if part.get_param("format") == "flowed":
        # RFC 3676: a line that ends with a space is continued, except for the signature separator.
        text = re.sub(r"(?m)(?<!^--) \n(?![>\n])", " ", text)
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        escaped = re.sub(r"(?m)^ +| {2,}", lambda spaces: "\u00a0" * len(spaces[0]), html.escape(paragraph, quote=False))
        yield "<p>%s</p>\n" % escaped.replace("\n", "<br>\n")


def render_body(parts, images):
    for part in parts:
        yield from sanitize(text_of(part), images) if part.get_content_type() == "text/html" else paragraphs(part)
        yield "\n"
    for part in images.parts:
        if part not in images.shown and part.get_content_disposition() == "inline":
            url = images.data(part)
            if url:
                yield '<p><img src="%s" alt="%s"></p>\n' % (url, html.escape(name_of(part)))


def name_of(part):
    name = part.get_filename()
    if name is None and part.get_content_type() == "message/rfc822" and part.is_multipart():
        name = "%s.eml" % (header(part.get_payload()[0], "Subject") or "message")
    return decode_header(name or part.get_content_type())


def row(name, value):
    return "<tr><th>%s</th><td>%s</td></tr>" % (name, html.escape(value, quote=False))


def read_mail(path):
    """Reads an email, also in UTF-16, in which editors for Windows save emails."""
    with open(path, "rb") as file:
        content = file.read()
    wide = next((name for mark, name in WIDE_MARKS if content.startswith(mark)), None)
    if wide is None and b"\0" in content[:2]:
        wide = "utf-16-be" if content[0] == 0 else "utf-16-le"
    if wide is None:
        return email.message_from_bytes(content)
    text = content.decode(wide, "replace").lstrip("\ufeff")
    mail = email.message_from_bytes(text.encode("utf-8"))
    # The text was decoded above, so the charsets that its parts declare no longer apply.
    for part in leaf_parts(mail):
        # A header with non-ASCII characters is an object.
        encoding = str(part.get("Content-Transfer-Encoding", "8bit")).strip().lower()
        if part.get_content_maintype() == "text" and encoding in PLAIN:
            part.set_param("charset", "utf-8")
    return mail


def main():
    source, target = sys.argv[1:]
    mail = read_mail(source)
    if not any(mail[name] for name in (*HEADERS, "Subject", "Received", "Message-ID", "MIME-Version")):
        sys.exit(3)
    parts = list(leaf_parts(mail))
    read = body_parts(mail)
    images = Images(parts)
    text = "".join(render_body(read, images))
    attached = (part for part in parts if part not in read and part not in images.shown and not is_text(part))
    names = [html.escape(name_of(part), quote=False) for part in attached]
    listed = "<hr>\n<h2>Attachments</h2>\n<ul>\n%s\n</ul>\n" % "\n".join("<li>%s</li>" % name for name in names)
    headers = ((name, header(mail, name)) for name in HEADERS)
    page = PAGE.format(
        title=html.escape(header(mail, "Subject") or "No subject", quote=False),
        headers="\n".join(row(name, value) for name, value in headers if value),
        body=text,
        attachments=listed if names else "",
    )
    with open(target, "w", encoding="utf-8", errors="replace") as file:
        file.write(page)
    print(json.dumps({"attachments": len(names), "missing": images.missing}))


main()
