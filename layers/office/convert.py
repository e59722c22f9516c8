"""One document: load it, prepare it, store it."""

import os

import uno
import unohelper
from com.sun.star.task import XInteractionHandler
from com.sun.star.uno import Exception as UnoException

from office import properties
from pages import prepare
from refused import Refused
from scrub import scrub
from textfile import make_utf8, separator

# com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE.
NEVER_EXECUTE = 0
NO_UPDATE = 0

SERVICES = {
    'text': 'com.sun.star.text.TextDocument',
    'sheet': 'com.sun.star.sheet.SpreadsheetDocument',
    'slides': 'com.sun.star.presentation.PresentationDocument',
    'drawing': 'com.sun.star.drawing.DrawingDocument',
}
ABORT = uno.getTypeByName('com.sun.star.task.XInteractionAbort')
PASSWORD = uno.getTypeByName('com.sun.star.task.XInteractionPassword')


def convert(office, request, on_loaded):
    document = _load(office, request)
    try:
        on_loaded()
        facts = prepare(document, request)
        _store(document, office, request)
        return facts
    finally:
        document.close(True)


def _load(office, request):
    path = f'{office.folder}/{request["input"]}'
    if not _may_be(request['input'], path):
        raise Refused('corrupt', 'the file does not begin as its format must')
    questions = Questions()
    message = ''
    for source in request['sources']:
        try:
            document = office.desktop.loadComponentFromURL(f'file://{path}', '_blank', 0, properties({
                'FilterName': source['filter'],
                'FilterOptions': _options(source, path),
                'Hidden': True,
                'MacroExecutionMode': NEVER_EXECUTE,
                'UpdateDocMode': NO_UPDATE,
                'InteractionHandler': questions,
            }))
        except UnoException as error:
            _raise_if_gone(error)
            message = error.Message
            continue
        if document is not None and document.supportsService(SERVICES[request['family']]):
            return document
        if document is not None:
            document.close(True)
            message = 'the document is of another family'
        if questions.needs_password:
            break
    if questions.needs_password:
        raise Refused('password', 'the document asks for a password')
    raise Refused('corrupt', message or 'the office gave no document')


def _may_be(name, path):
    """What the office itself would open as an empty page."""
    with open(path, 'rb') as source:
        start = source.read(64).lstrip()
    return start.startswith(b'{\\rt') if name.endswith('.rtf') else len(start) > 0


def _options(source, path):
    options = source.get('options', '')
    if source.get('isText'):
        make_utf8(path)
    # Bytes are sniffed here and not outside: this is where they may do no harm.
    return options.replace('{separator}', str(separator(path))) if '{separator}' in options else options


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
    scrub(path, request['output'].rpartition('.')[2])


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
