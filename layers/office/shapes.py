"""Handles text in shapes, which the office's HTML export omits or only draws as an image."""

from cells import last_cell

CUSTOM_SHAPE = 'com.sun.star.drawing.CustomShape'
TEXT_SHAPE = 'com.sun.star.drawing.TextShape'
CAPTION_SHAPE = 'com.sun.star.drawing.CaptionShape'
PARAGRAPH_BREAK = 0
# Character formatting that a web page can show.
FORMATTING = ('CharWeight', 'CharPosture', 'CharUnderline', 'CharHeight', 'CharColor', 'CharFontName')


def move_text_out_of_shapes(document, family):
    if family == 'slides':
        for index in range(document.DrawPages.Count):
            _move_to_text_boxes(document, document.DrawPages.getByIndex(index))
    if family == 'text':
        _move_to_paragraphs(document)
    if family == 'sheet':
        for sheet in document.Sheets:
            _move_below_cells(sheet)


def count_shapes(sheet):
    """Counts the shapes with text on a sheet, and their words."""
    texts = [part.getString() for shape in _shapes_on(sheet) for part in _text_shapes_in(shape)]
    return {'shapes': len(texts), 'shapeWords': sum(len(text.split()) for text in texts)}


def _move_below_cells(sheet):
    """Moves the text of shapes to rows below the cells of the sheet. The export would write a shape as an image that
    does not exist."""
    row = last_cell(sheet).EndRow + 2
    for shape in _shapes_on(sheet):
        texts = [part.getString() for part in _text_shapes_in(shape)]
        for offset, text in enumerate(texts):
            sheet.getCellByPosition(0, row + offset).setString(text)
        row += len(texts)
        if texts:
            sheet.DrawPage.remove(shape)


def _shapes_on(sheet):
    """Returns the shapes except comments, which belong to cells: the export writes them and crashes without them."""
    page = sheet.DrawPage
    comments = sheet.Annotations
    boxes = [comments.getByIndex(index).getAnnotationShape() for index in range(comments.Count)]
    shapes = [page.getByIndex(index) for index in range(page.Count)]
    return [shape for shape in shapes if shape.ShapeType != CAPTION_SHAPE or shape not in boxes]


def _move_to_text_boxes(document, page):
    """Moves the text of each shape on a slide to a text box above it."""
    for shape in list(_shapes_with_text(page)):
        if shape.ShapeType != CUSTOM_SHAPE:
            continue
        box = document.createInstance(TEXT_SHAPE)
        box.Position, box.Size = shape.Position, shape.Size
        page.add(box)
        _copy_text(shape, box)
        shape.setString('')
    _separate_shapes(document, page)


def _separate_shapes(document, page):
    """Adds an empty shape after each shape: the office would write a frame again for each frame directly before it.
    Empty shapes are not written."""
    shapes = [page.getByIndex(index) for index in range(page.Count)]
    for number, shape in enumerate(shapes):
        between = document.createInstance(CUSTOM_SHAPE)
        page.add(between)
        shape.ZOrder = 2 * number
        between.ZOrder = 2 * number + 1


def _move_to_paragraphs(document):
    """Moves the text of each shape to a new paragraph after the one to which the shape is anchored."""
    for shape in list(_shapes_with_text(document.DrawPage)):
        anchor = _anchor(shape)
        if anchor is None:
            continue
        text = anchor.getText()
        cursor = text.createTextCursorByRange(anchor.getEnd())
        cursor.gotoEndOfParagraph(False)
        text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        text.insertString(cursor, shape.getString(), False)
        shape.setString('')


def _shapes_with_text(shapes):
    """Yields shapes with text, also within groups. Frames and text boxes of Writer are exported correctly."""
    for index in range(shapes.Count):
        yield from _text_shapes_in(shapes.getByIndex(index))


def _text_shapes_in(shape):
    if hasattr(shape, 'Count') and hasattr(shape, 'getByIndex'):
        yield from _shapes_with_text(shape)
    elif shape.supportsService('com.sun.star.drawing.Text') and not getattr(shape, 'TextBox', False):
        if shape.getString().strip():
            yield shape


def _anchor(shape):
    """Returns the anchor of a shape or of its group; None for an anchor to a page."""
    while shape is not None:
        anchor = shape.getAnchor() if hasattr(shape, 'getAnchor') else None
        if anchor is not None:
            return anchor
        shape = shape.getParent() if hasattr(shape, 'getParent') else None
        if not hasattr(shape, 'supportsService'):
            return None
    return None


def _copy_text(source, target):
    cursor = target.createTextCursor()
    for number, paragraph in enumerate(source):
        if number > 0:
            target.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        for part in paragraph:
            for name in FORMATTING:
                cursor.setPropertyValue(name, part.getPropertyValue(name))
            target.insertString(cursor, part.getString(), False)
