"""Moves content that converters omit into the text of a Word document: word_text.py in.docx out.docx all|decimal

Text boxes, shapes, WordArt and diagrams are inserted after the paragraph to which they are anchored; comments become
footnotes; simple fields become their displayed text; ruby text is put in brackets after its base text; embedded
documents that replace a part of the text (17.17.2.1) are inserted there.
Generated numbers of headings and clauses, states of form fields and characters of symbol fonts become text.
Hidden text is removed: Word does not display it, but converters would.
Prints {"boxes": …, "comments": …, "hidden": …, "damaged": […]}, the last with the names of parts that were repaired or are
missing. Exit codes: 3 not a Word document; 4 encrypted; 5 no such content, and nothing is written.
"""

import copy
import io
import json
import os
import posixpath
import re
import sys
import xml.etree.ElementTree as ET
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chunk_blocks import blocks_of  # noqa: E402
from damaged_parts import find_damaged, repair  # noqa: E402
from word_numbers import Numbering, may_have_numbers  # noqa: E402
from word_symbols import (  # noqa: E402
    complete_formulas, symbol_styles, write_form_fields, write_symbol_fields, write_symbols)

W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main'
MC = '{http://schemas.openxmlformats.org/markup-compatibility/2006}'
A = '{http://schemas.openxmlformats.org/drawingml/2006/main}'
DIAGRAM = '{http://schemas.openxmlformats.org/drawingml/2006/diagram}'
CHART = '{http://schemas.openxmlformats.org/drawingml/2006/chart}'
VML = '{urn:schemas-microsoft-com:vml}'
R = '{http://schemas.openxmlformats.org/officeDocument/2006/relationships}'
PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
RELATIONSHIP = f'{{{PACKAGE}/relationships}}Relationship'
NOTES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes'
NOTES_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml'
# Reads parts of a document completely; in real documents they are far smaller than the limit.
MAX_PART_BYTES = 256 * 1024 * 1024
NOT_WORD, ENCRYPTED, NOTHING = 3, 4, 5
OMITTED = re.compile(
    rb'txbxContent|textpath|dgm:relIds|c:chart|commentReference|vanish|altChunk'
    # Form fields, characters of symbol fonts, and formulas that may lack a part.
    rb'|moveFrom|>\s*(?:IF|SYMBOL)\s|checkBox|ddList|<\w+:sym\s|Wingdings|Webdings|"Symbol"|noBar'
    rb'|m:(?:nary|rad|func|bar|groupChr|limLow|limUpp|s(?:Sup|Sub|Pre))\w*>')
# Markup in the text and its notes whose content pandoc omits.
UNSUPPORTED = re.compile(
    rb'fldSimple|<\w+:(?:ruby|customXml|dir|bdo|ptab)[\s/>]|<\w+:Fallback>\s*<\w+:t[\s>]'
    # A change without id or author.
    rb'|<\w+:(?:ins|moveTo)\s(?![^<>]*:id=)|<\w+:(?:ins|moveTo)\s(?![^<>]*:author=)')
TABLE, GRID = re.compile(rb'<\w+:tbl>'), re.compile(rb'<\w+:tblGrid>')
# Columns without a width do not count.
GRID_EDGE, ROW_END = re.compile(rb'</?\w+:tblGrid>'), re.compile(rb'</\w+:tr>')
COLUMN, CELL = re.compile(rb'<\w+:gridCol\s'), re.compile(rb'<\w+:tc>')
# Limits the chain of base styles, which can be circular.
MAX_BASES = 10
MAX_COLUMNS = 1000
# Maximum nesting of embedded documents.
MAX_DEPTH = 3


def main(source, target, lists=''):
    with open(source, 'rb') as stream:
        if stream.read(8) == b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1':
            return ENCRYPTED
    try:
        with zipfile.ZipFile(source) as package:
            document = Document(package, lists == 'decimal')
            if not document.needs_conversion():
                return NOTHING
            facts = document.convert()
            document.write(target)
    except (zipfile.BadZipFile, KeyError, ET.ParseError, NotImplementedError, TooLarge):
        return NOT_WORD
    print(json.dumps(facts))
    return 0


class TooLarge(Exception):
    pass


class Document:
    def __init__(self, package, is_decimal=False, depth=0):
        self.package = package
        self.is_decimal = is_decimal
        self.depth = depth
        self.changed = {}
        self.damaged = find_damaged(package, MAX_PART_BYTES)
        self.main = self._main_part()
        self.folder = posixpath.dirname(self.main)
        self.xml = self._read(self.main)

    def needs_conversion(self):
        parts = [self.main, *self._notes_parts()]
        styles = self._styles()
        return (len(self.damaged) > 0 or OMITTED.search(self.xml) is not None or b'vanish' in styles or b'ingdings' in styles
                or self._has_numbers()
                or any(map(self._needs_repair, parts)))

    def convert(self):
        root = self._parse(self.xml)
        self.w = '{%s}' % (STRICT if root.tag.startswith(f'{{{STRICT}') else W)
        self.relations = self._relations(self.main)
        self._read_chunks(root)
        # Write numbers before content is moved, because they follow the order of the document.
        if self._has_numbers():
            styles = self._parse(self._styles() or b'<styles/>')
            numbering = Numbering(ET.fromstring(self._numbering()), styles, self.w, self.is_decimal)
            numbering.write(root)
            if numbering.has_new_styles:
                self.changed[f'{self.folder}/styles.xml'] = styles
        write_form_fields(root, self.w)
        write_symbols(root, self.w, symbol_styles(ET.fromstring(self._styles() or b'<styles/>'), self.w))
        write_symbol_fields(root, self.w)
        self._drop_moved(root)
        self._drop_nested_results(root)
        complete_formulas(root)
        self._unwrap(root)
        self._fill_grids(root)
        self._repair_notes()
        hidden = self._remove_hidden(root)
        boxes = self._move_boxes(root)
        comments = self._move_comments(root)
        self.changed[self.main] = root
        for name in set(self.damaged).difference(self.package.namelist()):
            self.changed.setdefault(name, ET.fromstring(repair(name, b'')))
        return {'boxes': boxes, 'comments': comments, 'hidden': hidden, 'damaged': list(map(posixpath.basename, self.damaged))}

    def write(self, target):
        with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as result:
            names = self.package.namelist()
            for name in [*names, *(name for name in self.changed if name not in names)]:
                root = self.changed.get(name)
                # Only the parts that pandoc and calibre read are changed; all others are copied.
                result.writestr(name, self._read(name) if root is None else ET.tostring(root, 'utf-8', xml_declaration=True))

    def _main_part(self):
        root = ET.fromstring(self._read('_rels/.rels'))
        for relation in root.iter(RELATIONSHIP):
            if relation.get('Type', '').endswith('/officeDocument'):
                return relation.get('Target').lstrip('/')
        raise KeyError('no main part')

    def _read(self, name):
        with self.package.open(name) as part:
            content = part.read(MAX_PART_BYTES + 1)
        if len(content) > MAX_PART_BYTES:
            raise TooLarge
        return repair(name, content) if name in self.damaged else content

    def _parse(self, xml):
        """Keeps namespace prefixes, because pandoc looks for elements by prefix."""
        for prefix, uri in re.findall(rb'xmlns:([\w.-]+)="([^"]*)"', xml):
            if not re.fullmatch(rb'ns\d+', prefix):
                ET.register_namespace(prefix.decode(), uri.decode())
        return ET.fromstring(xml)

    def _relations(self, part):
        name = f'{posixpath.dirname(part)}/_rels/{posixpath.basename(part)}.rels'
        if name not in self.package.namelist():
            return {}
        root = ET.fromstring(self._read(name))
        return {
            relation.get('Id'): posixpath.normpath(posixpath.join(
                '/', posixpath.dirname(part), relation.get('Target', ''))).lstrip('/')
            for relation in root.iter(RELATIONSHIP) if relation.get('TargetMode') != 'External'}

    def _styles(self):
        name = f'{self.folder}/styles.xml'
        return self._read(name) if name in self.package.namelist() else b''

    def _numbering(self):
        name = f'{self.folder}/numbering.xml'
        return self._read(name) if name in self.package.namelist() else b''

    def _has_numbers(self):
        return (b'numPr' in self.xml or b'numPr' in self._styles()) and (
            self.is_decimal or may_have_numbers(self._numbering()))

    def _notes_parts(self):
        """Returns the names of the parts with footnotes and endnotes, if any."""
        names = [f'{self.folder}/{name}' for name in ('footnotes.xml', 'endnotes.xml')]
        return [name for name in names if name in self.package.namelist()]

    def _needs_repair(self, part):
        xml = self._read(part)
        has_table_without_grid = len(TABLE.findall(xml)) > len(GRID.findall(xml))
        if has_table_without_grid or UNSUPPORTED.search(xml) is not None:
            return True
        # Splits at tags, because searching for the end of each element could take hours on hostile input.
        parts = GRID_EDGE.split(xml)
        return any(len(CELL.findall(ROW_END.split(rows, 1)[0])) > len(COLUMN.findall(grid))
                   for grid, rows in zip(parts[1::2], parts[2::2]))

    def _repair_notes(self):
        for part in self._notes_parts():
            if self._needs_repair(part):
                self.changed[part] = self._parse(self._read(part))
                self._unwrap(self.changed[part])
                self._fill_grids(self.changed[part])

    def _drop_moved(self, root):
        """Removes text at the place from which it was moved (17.13.5.22): calibre would show it twice."""
        for parent in list(root.iter()):
            for child in parent.findall(f'{self.w}moveFrom'):
                parent.remove(child)

    def _drop_nested_results(self, root):
        """Removes the results of fields inside the instruction of another field, such as IF: pandoc and calibre would
        show them before the result."""
        fields = []
        for run in root.iter(f'{self.w}r'):
            for child in list(run):
                kind = child.get(f'{self.w}fldCharType') if child.tag == f'{self.w}fldChar' else None
                if kind == 'begin':
                    fields.append('instruction')
                elif kind == 'separate' and fields:
                    fields[-1] = 'result'
                elif kind == 'end' and fields:
                    fields.pop()
                elif child.tag == f'{self.w}t' and 'instruction' in fields:
                    run.remove(child)

    def _unwrap(self, root):
        """Replaces elements whose content pandoc omits with their content: simple fields, custom XML, ruby text,
        tracked insertions, text directions, and content controls around cells and rows of a table."""
        around = {f'{self.w}{name}' for name in ('fldSimple', 'customXml', 'dir', 'bdo', 'ins', 'moveTo')}
        # Unwrap the innermost elements first, because elements can be nested.
        for parent in reversed(list(root.iter())):
            for child in list(parent):
                if child.tag == f'{self.w}r' and child.find(f'{self.w}ruby') is not None:
                    place = list(parent).index(child)
                    parent[place:place + 1] = self._read_ruby(child)
                    continue
                if child.tag == f'{self.w}ptab':
                    child.tag = f'{self.w}tab'
                    child.attrib.clear()
                # Word writes an emoji in two forms; the older one is text.
                words = child.findall(f'{MC}Fallback/{self.w}t') if child.tag == f'{MC}AlternateContent' else []
                if words:
                    place = list(parent).index(child)
                    parent[place:place + 1] = words
                    continue
                # An empty insertion only marks a paragraph or a row as added.
                is_field = child.tag in around and len(child) > 0
                is_control = child.tag == f'{self.w}sdt' and parent.tag in (f'{self.w}tbl', f'{self.w}tr')
                holder = child.find(f'{self.w}sdtContent') if is_control else child
                if (is_field or is_control) and holder is not None:
                    place = list(parent).index(child)
                    parent[place:place + 1] = list(holder)

    def _read_ruby(self, run):
        """Splits a run with ruby text into runs: the base text, followed by the ruby text in brackets (17.3.3.25)."""
        runs = []
        formatting = run.find(f'{self.w}rPr')
        for child in run:
            if child.tag == f'{self.w}ruby':
                base, over = (list(child.iterfind(f'{self.w}{name}/{self.w}r')) for name in ('rubyBase', 'rt'))
                brackets = ET.Element(f'{self.w}p')
                runs += [*base, self._run(brackets, '('), *over, self._run(brackets, ')')] if over else base
            elif child is not formatting:
                part = ET.Element(f'{self.w}r')
                part.extend([child] if formatting is None else [copy.deepcopy(formatting), child])
                runs.append(part)
        return runs

    def _read_chunks(self, root):
        for parent in list(root.iter()):
            for chunk in parent.findall(f'{self.w}altChunk'):
                blocks = self._chunk(self.relations.get(chunk.get(f'{R}id')))
                place = list(parent).index(chunk)
                parent[place:place + 1] = blocks

    def _chunk(self, name):
        if name not in self.package.namelist():
            return []
        content = self._read(name)
        if content.startswith(b'PK'):
            return self._embedded_document(content)
        return list(ET.fromstring(f'<body xmlns:w="{self.w[1:-1]}">{blocks_of(content)}</body>'))

    def _embedded_document(self, content):
        if self.depth >= MAX_DEPTH:
            return []
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            embedded = Document(package, self.is_decimal, self.depth + 1)
            embedded.convert()
            body = embedded.changed[embedded.main].find(f'{embedded.w}body')
            # Styles and images are not copied, so blocks of the embedded document lose them.
            return [block for block in body if block.tag in (f'{self.w}p', f'{self.w}tbl', f'{self.w}sdt')]

    def _fill_grids(self, root):
        """Adds missing columns or widths to the grid of a table (17.4.48), which some programs omit: pandoc would skip
        the cells in these columns."""
        for table in root.iter(f'{self.w}tbl'):
            grid = table.find(f'{self.w}tblGrid')
            if grid is None:
                grid = ET.Element(f'{self.w}tblGrid')
                table.insert(0 if table.find(f'{self.w}tblPr') is None else 1, grid)
            for column in grid.findall(f'{self.w}gridCol'):
                if column.get(f'{self.w}w') is None:
                    column.set(f'{self.w}w', '2000')
            columns = max((self._columns(row) for row in table.findall(f'{self.w}tr')), default=0)
            missing = columns - len(grid.findall(f'{self.w}gridCol'))
            grid.extend(ET.Element(f'{self.w}gridCol', {f'{self.w}w': '2000'}) for _ in range(missing))

    def _columns(self, row):
        """Returns the number of columns, limited because hostile files may have huge spans."""
        spans = (self._span(cell) for cell in row.findall(f'{self.w}tc'))
        return min(sum(spans), MAX_COLUMNS)

    def _span(self, cell):
        span = cell.find(f'{self.w}tcPr/{self.w}gridSpan')
        text = '1' if span is None else span.get(f'{self.w}val', '1')
        return int(text) if text.isdecimal() and len(text) < 5 else 1

    def _remove_hidden(self, root):
        """Removes hidden text from the main text and its notes."""
        styles = HidingStyles(self._styles(), self.w)
        hidden = styles.remove_from(root)
        for part in self.relations.values():
            if posixpath.basename(part) in ('footnotes.xml', 'endnotes.xml') and part in self.package.namelist():
                notes = self.changed[part] if part in self.changed else self._parse(self._read(part))
                removed = styles.remove_from(notes)
                if removed:
                    self.changed[part] = notes
                hidden += removed
        return hidden

    def _move_boxes(self, root):
        """Moves anchored text behind its paragraph, or behind the box that contains the paragraph."""
        count = 0
        for parent in list(root.iter()):
            for child in list(parent):
                found = self._anchored_blocks(child) if child.tag == f'{self.w}p' else []
                place = list(parent).index(child) + 1 if found else 0
                for offset, block in enumerate(found):
                    parent.insert(place + offset, block)
                count += 1 if found else 0
        return count

    def _anchored_blocks(self, paragraph):
        self._drop_fallbacks(paragraph)
        blocks = []
        for holder in list(paragraph.iter()):
            for content in [child for child in holder if child.tag == f'{self.w}txbxContent']:
                holder.remove(content)
                blocks.extend(list(content))
            if holder.tag == f'{VML}textpath' and holder.get('string'):
                blocks.append(self._paragraph(holder.get('string')))
            if holder.tag == f'{DIAGRAM}relIds':
                blocks.extend(self._diagram(holder.get(f'{R}dm')))
            if holder.tag == f'{CHART}chart' and holder.get(f'{R}id'):
                blocks.extend(self._chart(holder.get(f'{R}id')))
        return blocks

    def _drop_fallbacks(self, paragraph):
        """Removes the text of the older form of a drawing that has two equivalent forms (ECMA-376, part 3, 10.2.1)."""
        for holder in list(paragraph.iter()):
            for place, child in enumerate(list(holder)):
                if child.tag != f'{MC}AlternateContent':
                    continue
                choice, fallback = child.find(f'{MC}Choice'), child.find(f'{MC}Fallback')
                has_text = choice is not None and choice.find(f'.//{self.w}txbxContent') is not None
                if has_text and fallback is not None:
                    for content in list(fallback.iter()):
                        for text in [one for one in content if one.tag == f'{self.w}txbxContent']:
                            content.remove(text)

    def _diagram(self, relation):
        root = self._related(relation)
        points = root.iter(f'{DIAGRAM}pt') if root is not None else []
        return [self._paragraph(text) for text in map(drawn_text, points) if text]

    def _chart(self, relation):
        root = self._related(relation)
        if root is None:
            return []
        titles = [text for text in map(drawn_text, root.iter(f'{CHART}title')) if text]
        rows = [titles] if titles else []
        for series in root.iter(f'{CHART}ser'):
            name = [value.text or '' for value in series.iterfind(f'{CHART}tx//{CHART}v')]
            labels, values = ([point.text or '' for point in series.iterfind(f'{CHART}{kind}//{CHART}v')]
                              for kind in ('cat', 'val'))
            pairs = [f'{label}: {value}' for label, value in zip(labels, values)] or values
            rows.append([*name, *pairs])
        return [self._paragraph('; '.join(row)) for row in rows if row]

    def _related(self, relation):
        name = self.relations.get(relation)
        return ET.fromstring(self._read(name)) if name in self.package.namelist() else None

    def _paragraph(self, text):
        paragraph = ET.Element(f'{self.w}p')
        self._run(paragraph, text)
        return paragraph

    def _run(self, parent, text):
        run = ET.SubElement(parent, f'{self.w}r')
        words = ET.SubElement(run, f'{self.w}t', {'{http://www.w3.org/XML/1998/namespace}space': 'preserve'})
        words.text = text
        return run

    def _move_comments(self, root):
        name = next((part for part in self.relations.values() if posixpath.basename(part) == 'comments.xml'), None)
        runs = [run for run in root.iter(f'{self.w}r') if run.find(f'{self.w}commentReference') is not None]
        if name not in self.package.namelist() or not runs:
            return 0
        comments = {comment.get(f'{self.w}id'): comment for comment in self._parse(self._read(name))}
        notes_name, notes = self._notes()
        numbers = [int(note.get(f'{self.w}id', '0')) for note in notes]
        number, count = max([0, *numbers]), 0
        for run in runs:
            reference = run.find(f'{self.w}commentReference')
            comment = comments.get(reference.get(f'{self.w}id'))
            run.remove(reference)
            if comment is None:
                continue
            number, count = number + 1, count + 1
            notes.append(self._note(str(number), comment))
            ET.SubElement(run, f'{self.w}footnoteReference', {f'{self.w}id': str(number)})
        if count > 0:
            self.changed[notes_name] = notes
        return count

    def _note(self, number, comment):
        note = ET.Element(f'{self.w}footnote', {f'{self.w}id': number})
        author = comment.get(f'{self.w}author')
        label = f'Comment by {author}: ' if author else 'Comment: '
        for block in comment:
            note.append(copy.deepcopy(block))
        first = note.find(f'{self.w}p')
        if first is None:
            first = ET.SubElement(note, f'{self.w}p')
        for run in first.iter(f'{self.w}r'):
            for mark in run.findall(f'{self.w}annotationRef'):
                run.remove(mark)
        run = self._run(first, label)
        first.remove(run)
        first.insert(1 if first.find(f'{self.w}pPr') is not None else 0, run)
        return note

    def _notes(self):
        """Returns the name and root element of the footnotes; creates the part if it does not exist."""
        known = next((part for part in self.relations.values() if posixpath.basename(part) == 'footnotes.xml'), None)
        if known in self.package.namelist():
            return known, self.changed[known] if known in self.changed else self._parse(self._read(known))
        name = f'{self.folder}/footnotes.xml'
        relations_name = f'{self.folder}/_rels/{posixpath.basename(self.main)}.rels'
        relations = ET.fromstring(self._read(relations_name))
        ET.SubElement(relations, RELATIONSHIP, {'Id': 'mutaborNotes', 'Type': NOTES, 'Target': f'/{name}'})
        self.changed[relations_name] = relations
        types = ET.fromstring(self._read('[Content_Types].xml'))
        ET.SubElement(types, f'{{{PACKAGE}/content-types}}Override', {'PartName': f'/{name}', 'ContentType': NOTES_TYPE})
        self.changed['[Content_Types].xml'] = types
        return name, ET.Element(f'{self.w}footnotes')


class HidingStyles:
    """Finds hidden text by its styles and formatting: ECMA-376, part 1, 17.3.2.41 and 17.7.3."""

    def __init__(self, xml, w):
        self.w = w
        self.styles = {}
        self.default = None
        for style in ET.fromstring(xml).iter(f'{w}style') if xml else []:
            self.styles[style.get(f'{w}styleId')] = style
            if style.get(f'{w}type') == 'paragraph' and style.get(f'{w}default') in ('1', 'true', 'on'):
                self.default = style.get(f'{w}styleId')

    def remove_from(self, root):
        """Removes hidden text, except the delimiters of fields: each start needs an end."""
        kept = {f'{self.w}{name}' for name in ('rPr', 'fldChar', 'instrText')}
        count = 0
        open_elements = [(root, False)]
        while open_elements:
            element, is_hiding = open_elements.pop()
            if element.tag == f'{self.w}p':
                is_hiding = self._hides(self._value(element, 'pPr/w:pStyle') or self.default)
            if element.tag == f'{self.w}r' and self._is_hidden(element, is_hiding):
                for child in [one for one in element if one.tag not in kept]:
                    element.remove(child)
                    count += 1
            open_elements.extend((child, is_hiding) for child in element)
        return count

    def _is_hidden(self, run, is_paragraph_hiding):
        own = self._find(run, 'rPr/w:vanish')
        if own is not None:
            return self._is_on(own)
        # Hidden text that both styles turn on is visible.
        return is_paragraph_hiding != self._hides(self._value(run, 'rPr/w:rStyle'))

    def _hides(self, name, depth=0):
        style = self.styles.get(name)
        if style is None or depth > MAX_BASES:
            return False
        own = self._find(style, 'rPr/w:vanish')
        return self._is_on(own) if own is not None else self._hides(self._value(style, 'basedOn'), depth + 1)

    def _find(self, element, path):
        return element.find(f'w:{path}', {'w': self.w[1:-1]})

    def _value(self, element, path):
        found = self._find(element, path)
        return None if found is None else found.get(f'{self.w}val')

    def _is_on(self, element):
        return element.get(f'{self.w}val', 'true') not in ('0', 'false', 'off')


def drawn_text(element):
    lines = (''.join(text.text or '' for text in paragraph.iter(f'{A}t')) for paragraph in element.iter(f'{A}p'))
    return ' '.join(line for line in lines if line).strip()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
