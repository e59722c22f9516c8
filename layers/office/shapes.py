"""Handles text in shapes, which the office's HTML export omits or only draws as an image."""

from cells import last_cell

CUSTOM_SHAPE = 'com.sun.star.drawing.CustomShape'
TEXT_SHAPE = 'com.sun.star.drawing.TextShape'
CAPTION_SHAPE = 'com.sun.star.drawing.CaptionShape'
PARAGRAPH_BREAK = 0
# As much of the look of letters as a web page has use for.
LOOKS = ('CharWeight', 'CharPosture', 'CharUnderline', 'CharHeight', 'CharColor', 'CharFontName')


def keep_words(document, family):
    if family == 'slides':
        for index in range(document.DrawPages.Count):
            _free(document, document.DrawPages.getByIndex(index))
    if family == 'text':
        _write_out(document)
    if family == 'sheet':
        for sheet in document.Sheets:
            _set_below(sheet)


def count_on(sheet):
    """Shapes with words on a sheet, and how many words."""
    texts = [part.getString() for shape in _drawn_on(sheet) for part in _texts_in(shape)]
    return {'shapes': len(texts), 'shapeWords': sum(len(text.split()) for text in texts)}


def _set_below(sheet):
    """Of a sheet: rows of their own below its cells. The shape itself would be a picture that nobody has."""
    row = last_cell(sheet).EndRow + 2
    for shape in _drawn_on(sheet):
        texts = [part.getString() for part in _texts_in(shape)]
        for offset, text in enumerate(texts):
            sheet.getCellByPosition(0, row + offset).setString(text)
        row += len(texts)
        if texts:
            sheet.DrawPage.remove(shape)


def _drawn_on(sheet):
    """Without the boxes of comments, which belong to their cells: the writer has them, and dies where one is gone."""
    page = sheet.DrawPage
    comments = sheet.Annotations
    boxes = [comments.getByIndex(index).getAnnotationShape() for index in range(comments.Count)]
    shapes = [page.getByIndex(index) for index in range(page.Count)]
    return [shape for shape in shapes if shape.ShapeType != CAPTION_SHAPE or shape not in boxes]


def _free(document, page):
    """Of a slide: the words of each shape stand in a box of text over it."""
    for shape in list(_with_words(page)):
        if shape.ShapeType != CUSTOM_SHAPE:
            continue
        box = document.createInstance(TEXT_SHAPE)
        box.Position, box.Size = shape.Position, shape.Size
        page.add(box)
        _copy(shape, box)
        shape.setString('')
    _part(document, page)


def _part(document, page):
    """The office writes a frame anew with each one that stands directly before it. An empty shape is not written."""
    shapes = [page.getByIndex(index) for index in range(page.Count)]
    for number, shape in enumerate(shapes):
        between = document.createInstance(CUSTOM_SHAPE)
        page.add(between)
        shape.ZOrder = 2 * number
        between.ZOrder = 2 * number + 1


def _write_out(document):
    """Of a text: a paragraph of its own behind the one that the shape is at."""
    for shape in list(_with_words(document.DrawPage)):
        anchor = _anchor(shape)
        if anchor is None:
            continue
        text = anchor.getText()
        cursor = text.createTextCursorByRange(anchor.getEnd())
        cursor.gotoEndOfParagraph(False)
        text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        text.insertString(cursor, shape.getString(), False)
        shape.setString('')


def _with_words(shapes):
    """Also within groups. Frames, and shapes that are boxes of text of the writer itself, are written as they are."""
    for index in range(shapes.Count):
        yield from _texts_in(shapes.getByIndex(index))


def _texts_in(shape):
    if hasattr(shape, 'Count') and hasattr(shape, 'getByIndex'):
        yield from _with_words(shape)
    elif shape.supportsService('com.sun.star.drawing.Text') and not getattr(shape, 'TextBox', False):
        if shape.getString().strip():
            yield shape


def _anchor(shape):
    """None of one that is bound to a page. What is in a group is where the group is."""
    while shape is not None:
        anchor = shape.getAnchor() if hasattr(shape, 'getAnchor') else None
        if anchor is not None:
            return anchor
        shape = shape.getParent() if hasattr(shape, 'getParent') else None
        if not hasattr(shape, 'supportsService'):
            return None
    return None


def _copy(source, target):
    cursor = target.createTextCursor()
    for number, paragraph in enumerate(source):
        if number > 0:
            target.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        for part in paragraph:
            for look in LOOKS:
                cursor.setPropertyValue(look, part.getPropertyValue(look))
            target.insertString(cursor, part.getString(), False)
