"""One document: load it, prepare it, store it."""

import os

import uno
import unohelper
from com.sun.star.task import (
    DocumentMSPasswordRequest, DocumentMSPasswordRequest2, DocumentPasswordRequest,
    DocumentPasswordRequest2, XInteractionHandler)
from com.sun.star.uno import Exception as UnoException

from office import properties
from pages import prepare
from scrub import scrub

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
PASSWORD_REQUESTS = (
    DocumentMSPasswordRequest, DocumentMSPasswordRequest2, DocumentPasswordRequest, DocumentPasswordRequest2)


class Refused(Exception):
    """The document's fault, in one of a few reasons: trying again cannot help."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


def convert(office, request, on_loaded):
    document = _load(office, request)
    try:
        on_loaded()
        facts = prepare(document, request)
        _store(document, office, request)
        facts['staleFonts'] = _left_fonts(office)
        return facts
    finally:
        document.close(True)


def _load(office, request):
    listener = Refusal()
    url = f'file://{office.folder}/{request["input"]}'
    message = ''
    for source in request['sources']:
        try:
            document = office.desktop.loadComponentFromURL(url, '_blank', 0, properties({
                'FilterName': source['filter'],
                'FilterOptions': source.get('options', ''),
                'Hidden': True,
                'MacroExecutionMode': NEVER_EXECUTE,
                'UpdateDocMode': NO_UPDATE,
                'InteractionHandler': listener,
            }))
        except UnoException as error:
            _raise_if_gone(error)
            message = error.Message
            continue
        if listener.needs_password:
            raise Refused('password', 'the document asks for a password')
        if document is None:
            continue
        if document.supportsService(SERVICES[request['family']]):
            return document
        document.close(True)
        message = 'the document is of another family'
    if listener.needs_password:
        raise Refused('password', 'the document asks for a password')
    raise Refused('corrupt', message or 'the office gave no document')


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
    scrub(path, request['output'])


def _raise_if_gone(error):
    """A dead office is not the document's refusal: the pool tries the document on another one."""
    if type(error).__name__.endswith('DisposedException'):
        raise error


def _left_fonts(office):
    """Fonts that a document carries stay loaded in the office, and would be used in another user's document."""
    folder = f'{office.folder}/profile/user/temp/embeddedfonts/fromdocs'
    return os.path.isdir(folder) and len(os.listdir(folder)) > 0


class Refusal(unohelper.Base, XInteractionHandler):
    """Answers every question of the office with 'abort', and remembers whether it was about a password."""

    def __init__(self):
        self.needs_password = False

    def handle(self, request):
        if isinstance(request.getRequest(), PASSWORD_REQUESTS):
            self.needs_password = True
        for continuation in request.getContinuations():
            abort = continuation.queryInterface(ABORT)
            if abort is not None:
                abort.select()
                return
