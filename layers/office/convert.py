"""Loads, prepares and stores one document."""

import os
from urllib.parse import quote

import uno
import unohelper
from com.sun.star.task import XInteractionHandler
from com.sun.star.uno import Exception as UnoException

from dates import write_iso_dates
from deleted import drop_deleted_again
from fonts import Fonts
from hidden import show_first
from office import properties
from pages import count, keep_first_page, pdf_pages, prepare, require_room
from plausible import is_locked_show, is_plausible
from references import keep_shown
from refused import Refused
from scrub import scrub
from signs import Signs
from visible_runs import hide_by_run

# com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE.
NEVER_EXECUTE = 0
NO_UPDATE = 0
# They hold no tracked changes; com.sun.star.document.RedlineDisplayType.NONE.
FINAL, NO_CHANGES = ('.pdf', '.html', '.txt'), 0
# The id under which Writer registers SwPagePreview (sw/source/uibase/app/swmodule.cxx).
PRINT_PREVIEW = 7

SERVICES = {
    'text': 'com.sun.star.text.TextDocument',
    'sheet': 'com.sun.star.sheet.SpreadsheetDocument',
    'slides': 'com.sun.star.presentation.PresentationDocument',
    'drawing': 'com.sun.star.drawing.DrawingDocument',
}
FONTS = Fonts()
SIGNS = Signs()
ABORT = uno.getTypeByName('com.sun.star.task.XInteractionAbort')
PASSWORD = uno.getTypeByName('com.sun.star.task.XInteractionPassword')


def convert(office, request, tell):
    """`tell` is given an event and what belongs to it. "done" comes before the document is closed: nobody waits for that."""
    document = _load(office, request)
    try:
        tell('loaded')
        if request['family'] == 'sheet':
            is_table = request['output'].endswith(('.csv', '.tsv'))
            if is_table:
                show_first(document)
            require_room(document, request['output'])
            if is_table:
                write_iso_dates(document)
        _settle_text(document, office, request)
        _show(document, office, request['family'])
        prepare(document, request)
        facts = count(document, request['family'], request['output'])
        if request['target'].get('firstPageOnly'):
            keep_first_page(document)
        path = _store(document, office, request)
        if path.endswith('.pdf'):
            source = f'{office.folder}/{request["input"]}'
            facts = {
                **facts,
                'pages': pdf_pages(path),
                'fonts': FONTS.substituted(document, source, path),
                'undrawn': SIGNS.undrawn(source),
            }
        tell('done', facts=facts)
    finally:
        document.close(True)


def _load(office, request):
    """Loads the bare document, without the window that Writer would show it in; see _show."""
    path = f'{office.folder}/{request["input"]}'
    if not is_plausible(path):
        raise Refused('corrupt', 'the content is not of the format that the name tells')
    if is_locked_show(path):
        raise Refused('password', 'the office does not open slides of 1997 to 2003 that need a password')
    drop_deleted_again(path)
    questions = Questions()
    message = ''
    for source in request['sources']:
        document = office.create(SERVICES[request['family']])
        try:
            document.load(properties({
                **_place(office, request, path),
                'FilterName': source['filter'],
                'FilterOptions': source.get('options', ''),
                'Hidden': True,
                'MacroExecutionMode': NEVER_EXECUTE,
                'UpdateDocMode': NO_UPDATE,
                'InteractionHandler': questions,
                **({'Password': request['password']} if 'password' in request else {}),
            }))
            return document
        except UnoException as error:
            _raise_if_gone(error)
            message = error.Message
            document.close(True)
        if questions.needs_password:
            raise Refused('password', 'the document asks for a password')
    raise Refused('corrupt', message)


def _place(office, request, path):
    """Where a document is, fields and formulas tell: it has the name that it came with, and no folder of ours."""
    files = office.create('com.sun.star.ucb.SimpleFileAccess')
    return {'URL': f'file:///{quote(request["name"], safe="")}', 'InputStream': files.openFileRead(f'file://{path}')}


def _settle_text(document, office, request):
    """Shows the text as it stands when all changes are accepted: else what was deleted is printed, and in a web page
    looks like any other. Only before there is a window."""
    if request['family'] == 'text' and request['output'].endswith(FINAL):
        document.RedlineDisplayType = NO_CHANGES
        keep_shown(document, f'{office.folder}/{request["input"]}')


def _show(document, office, family):
    """Gives the document the window, never seen, in which it is laid out; exports lose frames without.

    A text gets the print preview. In Writer's own window each comment is a window too, whose description Debian's
    packages without a user interface do not hold: the office dies of it.
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
        _raise_if_gone(error)
        raise Refused('export', error.Message) from error
    if not os.path.isfile(path):
        raise Refused('export', 'the office wrote no file')
    if request['family'] == 'text' and path.endswith('.html') and _holds_hidden(path) and hide_by_run(document):
        document.storeToURL(f'file://{path}', properties(values))
    scrub(path, request['output'].rpartition('.')[2])
    return path


def _holds_hidden(path):
    with open(path, 'rb') as page:
        return b'display: none' in page.read()


def _raise_if_gone(error):
    """A dead office is not the document's refusal: the pool tries the document on another one."""
    if type(error).__name__.endswith('DisposedException'):
        raise error


class Questions(unohelper.Base, XInteractionHandler):
    """Answers all of them with 'abort', and remembers whether one was for a password."""

    def __init__(self):
        self.needs_password = False

    def handle(self, request):
        abort = None
        # Not by request.getRequest(): PyUNO fails to make a Python exception of what that returns.
        for answer in request.getContinuations():
            if answer.queryInterface(PASSWORD) is not None:
                self.needs_password = True
            if answer.queryInterface(ABORT) is not None:
                abort = answer
        if abort is not None:
            abort.select()
