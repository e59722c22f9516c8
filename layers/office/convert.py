"""Loads, prepares and stores one document."""

import os
from urllib.parse import quote

import uno
import unohelper
from com.sun.star.task import XInteractionHandler
from com.sun.star.uno import Exception as UnoException

from booleans import show_booleans
from broken_references import keep_displayed_text
from clipped_cells import make_room
from dates import write_iso_dates
from document_error import DocumentError
from fonts import Fonts
from hidden_cells import drop_hidden_print_areas, move_visible_sheet_first
from links import keep_unstyled_links
from list_labels import write_list_labels
from missing_glyphs import Glyphs
from office import properties
from pages import count, count_pdf_pages, keep_first_page, prepare, require_room
from plausible import is_locked_show, is_plausible
from scrub import scrub
from symbol_runs import write_symbols
from text_boxes import anchor_text_boxes, grow_text_boxes
from visible_runs import hide_runs_directly
from word_files import prepare_word
from workbook_files import prepare_workbook

# Values of com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE.
NEVER_EXECUTE = 0
NO_UPDATE = 0
# Formats without tracked changes, and the value of com.sun.star.document.RedlineDisplayType.NONE.
WITHOUT_CHANGES, NO_CHANGES = ('.pdf', '.html', '.txt'), 0
# Outputs with the text that cells display, not their values.
SHOWN = ('.pdf', '.html', '.csv', '.tsv')
# The id under which Writer registers SwPagePreview (sw/source/uibase/app/swmodule.cxx).
PRINT_PREVIEW = 7

SERVICES = {
    'text': 'com.sun.star.text.TextDocument',
    'sheet': 'com.sun.star.sheet.SpreadsheetDocument',
    'slides': 'com.sun.star.presentation.PresentationDocument',
    'drawing': 'com.sun.star.drawing.DrawingDocument',
}
FONTS = Fonts()
GLYPHS = Glyphs()
ABORT = uno.getTypeByName('com.sun.star.task.XInteractionAbort')
PASSWORD = uno.getTypeByName('com.sun.star.task.XInteractionPassword')


def convert(office, request, send_event):
    """Converts a document. Sends "loaded", and "done" before closing the document, for which clients need not wait."""
    document, damaged = _load(office, request)
    try:
        send_event('loaded')
        if request['family'] == 'sheet':
            is_table = request['output'].endswith(('.csv', '.tsv'))
            if is_table:
                move_visible_sheet_first(document)
            require_room(document, request['output'])
            if is_table:
                write_iso_dates(document)
            if request['output'].endswith(SHOWN):
                show_booleans(document)
            if request['output'].endswith('.pdf'):
                drop_hidden_print_areas(document)
        _accept_changes(document, office, request)
        _open_window(document, office, request['family'])
        if request['family'] == 'sheet' and request['output'].endswith('.pdf'):
            make_room(document, office, request['input'])
        if request['family'] == 'text' and request['output'].endswith('.pdf'):
            # Writer finds text only in a document with a window.
            keep_unstyled_links(document)
        if request['family'] == 'text' and request['output'].endswith(('.pdf', '.html')):
            grow_text_boxes(document, f'{office.folder}/{request["input"]}')
        if request['family'] == 'text' and request['output'].endswith('.html'):
            anchor_text_boxes(document)
            write_list_labels(document)
            write_symbols(document)
        prepare(document, request)
        facts = {**count(document, request['family'], request['output']), 'damagedParts': damaged}
        if request['target'].get('firstPageOnly'):
            keep_first_page(document)
        path = _store(document, office, request)
        if path.endswith('.pdf'):
            source = f'{office.folder}/{request["input"]}'
            facts = {
                **facts,
                'pages': count_pdf_pages(path),
                'fonts': FONTS.substitutes(document, source, path),
                'missingGlyphs': GLYPHS.missing(source),
            }
        send_event('done', facts=facts)
    finally:
        document.close(True)


def _load(office, request):
    """Loads the document without a window, see _open_window. Returns it with the names of its damaged parts."""
    path = f'{office.folder}/{request["input"]}'
    if not is_plausible(path):
        raise DocumentError('corrupt', 'the content does not match the file extension')
    if is_locked_show(path):
        raise DocumentError('password', 'LibreOffice cannot open PowerPoint 97-2003 files with a password')
    damaged = prepare_word(path, request['output'].endswith('.html'))
    if request['family'] == 'sheet':
        prepare_workbook(path, request['output'].endswith(SHOWN))
    dialogs = DialogHandler()
    message = ''
    for source in request['sources']:
        document = office.create(SERVICES[request['family']])
        try:
            document.load(properties({
                **_location(office, request, path),
                'FilterName': source['filter'],
                'FilterOptions': source.get('options', ''),
                'Hidden': True,
                'MacroExecutionMode': NEVER_EXECUTE,
                'UpdateDocMode': NO_UPDATE,
                'InteractionHandler': dialogs,
                **({'Password': request['password']} if 'password' in request else {}),
            }))
            return document, damaged
        except UnoException as error:
            _raise_if_crashed(error)
            message = error.Message
            document.close(True)
        if dialogs.needs_password:
            raise DocumentError('password', 'the document asks for a password')
    raise DocumentError('corrupt', message)


def _location(office, request, path):
    """Returns a URL with the original name and no folder, because fields and formulas can display it."""
    files = office.create('com.sun.star.ucb.SimpleFileAccess')
    return {'URL': f'file:///{quote(request["name"], safe="")}', 'InputStream': files.openFileRead(f'file://{path}')}


def _accept_changes(document, office, request):
    """Displays the text as if all tracked changes were accepted. Otherwise deleted text is printed, and looks like any
    other text in a web page. Works only before the document has a window."""
    if request['family'] == 'text' and request['output'].endswith(WITHOUT_CHANGES):
        document.RedlineDisplayType = NO_CHANGES
        keep_displayed_text(document, f'{office.folder}/{request["input"]}')


def _open_window(document, office, family):
    """Opens the document in an invisible window for its layout: without one, exports lose frames.

    A text is opened in the print preview. In Writer's normal view, each comment is a window too, whose description is
    not part of Debian's packages without a user interface: the office crashes.
    """
    view = {'ViewId': PRINT_PREVIEW} if family == 'text' else {}
    office.desktop.loadComponentFromURL(
        'private:object', '_blank', 0, properties({'Model': document, 'Hidden': True, **view}))


def _store(document, office, request):
    target = request['target']
    path = f'{office.folder}/{request["output"]}'
    values = {'FilterName': target['filter']}
    if 'options' in target:
        values['FilterOptions'] = target['options']
    if 'data' in target:
        values['FilterData'] = target['data']
    try:
        document.storeToURL(f'file://{path}', properties(values))
    except UnoException as error:
        _raise_if_crashed(error)
        raise DocumentError('export', error.Message) from error
    if not os.path.isfile(path):
        raise DocumentError('export', 'the office wrote no file')
    is_page = request['family'] == 'text' and path.endswith('.html')
    if is_page and _has_hidden_text(path) and hide_runs_directly(document):
        document.storeToURL(f'file://{path}', properties(values))
    scrub(path, request['output'].rpartition('.')[2])
    return path


def _has_hidden_text(path):
    with open(path, 'rb') as page:
        return b'display: none' in page.read()


def _raise_if_crashed(error):
    """Raises the error if the office crashed, so that the pool retries the document with another office."""
    if type(error).__name__.endswith('DisposedException'):
        raise error


class DialogHandler(unohelper.Base, XInteractionHandler):
    """Cancels all dialogs, and records whether one asked for a password."""

    def __init__(self):
        self.needs_password = False

    def handle(self, request):
        abort = None
        # Avoids request.getRequest(), whose result PyUNO cannot convert to a Python exception.
        for answer in request.getContinuations():
            if answer.queryInterface(PASSWORD) is not None:
                self.needs_password = True
            if answer.queryInterface(ABORT) is not None:
                abort = answer
        if abort is not None:
            abort.select()
