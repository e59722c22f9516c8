"""Removes active content from the markup of files written by the office.

Regular expressions are sufficient, because the markup is uniform: an XML parser would be slower and lose more.
"""

import re

# Schemes that start a program or a script.
SCHEMES = (
    'javascript', 'vbscript', 'livescript', 'vnd.sun.star.script', 'vnd.sun.star.expand', 'macro', 'service', 'slot',
    '.uno')
SCHEME = rf'\s*(?:{"|".join(map(re.escape, SCHEMES))}):'
ACTIVE_PART = re.compile(
    r'(?:^|/)(?:Basic|Dialogs|Scripts|activeX|customUI)/|(?:^|/)vba(?:Project|Data)[^/]*$', re.IGNORECASE)
MARKUP_PART = re.compile(r'\.(?:xml|rels|vml|rdf)$', re.IGNORECASE)

# Most parts contain no active elements, and examining each of their tags would take longer than the conversion.
SUSPICIOUS = re.compile(
    rf'"{SCHEME}|ppaction:|office:dde-|field:value=|<Relationship |\sPartName=|manifest:full-path=', re.IGNORECASE)
TAG = re.compile(r'<[^<>]*>')
SCRIPT_LINK = re.compile(rf'(\s(?:[\w-]+:)?(?:href|src|Target|action)=")(?:{SCHEME})[^"]*(?=")', re.IGNORECASE)
PROGRAM_ACTION = re.compile(r'ppaction://(?:program|macro|ole)\b[^"]*', re.IGNORECASE)
DDE_SOURCE = re.compile(
    r'(\s(?:office:dde-(?:application|topic|item)="|field:value="(?=\s*DDE)))[^"]*', re.IGNORECASE)

ACTIVE_RELATION = re.compile(
    r'/(?:vbaProject|wordVbaData|control|activeXControlBinary|attachedTemplate|ui/extensibility)"', re.IGNORECASE)
ACTIVE_ELEMENTS = (
    re.compile(r'<script:event-listener\b[^<>]*(?:/>|>.*?</script:event-listener>)', re.DOTALL),
    re.compile(r'<presentation:event-listener\b[^<>]*presentation:action="(?:execute|verb|macro)"[^<>]*'
               r'(?:/>|>.*?</presentation:event-listener>)', re.DOTALL),
    re.compile(r'<office:scripts>.*?</office:scripts>', re.DOTALL),
    re.compile(r'<text:script\b.*?</text:script>', re.DOTALL),
    re.compile(r'<script\b.*?</script\s*>', re.DOTALL | re.IGNORECASE),
    re.compile(r'<\w+:control\b[^<>]*/>'),
    re.compile(r'<\w+:attachedTemplate\b[^<>]*/>'),
)
# Word runs the program of a DDE field when it updates fields; a QUOTE field keeps the displayed text.
DDE_FIELD = re.compile(r'(<w:instrText[^<>]*>\s*)DDE(?:AUTO)?\b[^<]*', re.IGNORECASE)

RTF_LINK = re.compile(rf'(HYPERLINK\s+")(?:{SCHEME})', re.IGNORECASE)
RTF_DDE = re.compile(r'(\\fldinst[\s{]*)DDE(?:AUTO)?\b[^}]*', re.IGNORECASE)
PDF_LINK = re.compile(rf'/URI\s*\(({SCHEME})'.encode(), re.IGNORECASE)


def _wide(text):
    return re.escape(text.encode('utf-16-le'))


SPACE = b'(?: \x00)*'
WIDE_SCHEME = b'(' + b'|'.join(map(_wide, SCHEMES)) + b')' + _wide(':')
# A link in Word and Excel is a URL moniker ([MS-OSHARED] 2.3.7.6): class, length, text; in PowerPoint a CString record.
# In Word it is also a field, which starts with 0x13 ([MS-DOC] 2.8.25), and DDE is another field.
BINARY_LINKS = (
    re.compile(bytes.fromhex('e0c9ea79f9bace118c8200aa004ba90b') + b'.{4}' + SPACE + WIDE_SCHEME,
               re.IGNORECASE | re.DOTALL),
    re.compile(b'\xba\x0f.{4}' + SPACE + WIDE_SCHEME, re.IGNORECASE | re.DOTALL),
    re.compile(b'\x13\x00' + SPACE + _wide('HYPERLINK') + SPACE + _wide('"') + SPACE + WIDE_SCHEME, re.IGNORECASE),
    re.compile(b'\x13\x00' + SPACE + b'(' + _wide('DDE') + b'(?:' + _wide('AUTO') + b')?)' + _wide(' '),
               re.IGNORECASE),
)


def clean_markup(text):
    for element in ACTIVE_ELEMENTS:
        text = element.sub('', text)
    text = DDE_FIELD.sub(r'\1QUOTE', text)
    return TAG.sub(lambda tag: _clean_tag(tag.group()), text) if SUSPICIOUS.search(text) else text


def _clean_tag(tag):
    if '=' not in tag:
        return tag
    if tag.startswith('<Relationship ') and ACTIVE_RELATION.search(tag):
        return ''
    if _names_active_part(tag):
        return ''
    tag = SCRIPT_LINK.sub(r'\1#', tag)
    tag = PROGRAM_ACTION.sub('ppaction://noaction', tag)
    return DDE_SOURCE.sub(r'\1', tag)


def _names_active_part(tag):
    """Finds entries of [Content_Types].xml and META-INF/manifest.xml for parts that are dropped."""
    name = re.search(r'\s(?:PartName|manifest:full-path)="([^"]*)"', tag)
    return name is not None and ACTIVE_PART.search(name.group(1)) is not None


def clean_rtf(text):
    return RTF_DDE.sub(r'\1QUOTE', RTF_LINK.sub(r'\1#', text))
