"""An OCRmyPDF plugin that splits the OCR of one PDF among several workers.

With `--keep-pages` it reads the pages of its PDF and stores the results in an archive; `--numbers` contains their
numbers in the whole document. With `--kept-pages` it reads no pages: the results in such archives become the same PDF
that a single run would create. OCRmyPDF supports this through a custom executor (its `get_executor` hook).
"""

import json
from zipfile import ZipFile

from ocrmypdf import hookimpl
from ocrmypdf._sync import PageResult, exec_page_sync
from ocrmypdf.builtin_plugins.concurrency import StandardExecutor

# Names in an archive: the list of results with one entry per page, and the files of each page.
RESULTS = 'results.json'
FILES = {'ocr': '{}-ocr.pdf', 'pdf_page_from_image': '{}-page.pdf', 'text': '{}-text.txt'}


@hookimpl
def add_options(parser):
    group = parser.add_argument_group('shared pages')
    group.add_argument('--keep-pages', metavar='ARCHIVE')
    group.add_argument('--numbers', type=lambda text: [int(number) for number in text.split(',')])
    group.add_argument('--kept-pages', metavar='ARCHIVE', action='append')


class SharedExecutor(StandardExecutor):
    def _execute(self, *, task, task_arguments, task_finished, tqdm_kwargs, **others):
        run = {'task': task, 'tqdm_kwargs': tqdm_kwargs, **others}
        # Other tasks, such as scanning the PDF and compressing its images, run as usual.
        if task is not exec_page_sync:
            super()._execute(**run, task_arguments=task_arguments, task_finished=task_finished)
            return
        contexts = list(task_arguments)
        options = contexts[0].options
        if options.kept_pages:
            with self.pbar_class(**tqdm_kwargs) as bar:
                for result in read_results(contexts, options.kept_pages):
                    task_finished(result, bar)
            return
        results = []
        super()._execute(
            **run, task_arguments=contexts, task_finished=lambda result, _: results.append(result)
        )
        write_results(results, options.numbers, options.keep_pages)


def write_results(results, numbers, path):
    entries = []
    with ZipFile(path, 'w') as archive:
        for result in results:
            number = numbers[result.pageno]
            files = {kind: getattr(result, kind) for kind in FILES}
            for kind, file in files.items():
                if file is not None:
                    archive.write(file, FILES[kind].format(number))
            has = [kind for kind, file in files.items() if file is not None]
            entries.append({'number': number, 'has': has, 'correction': result.orientation_correction})
        archive.writestr(RESULTS, json.dumps(entries))


def read_results(contexts, paths):
    missing = {context.pageno + 1: context for context in contexts}
    for path in paths:
        with ZipFile(path) as archive:
            for entry in json.loads(archive.read(RESULTS)):
                context = missing.pop(entry['number'])
                yield read_result(archive, context, entry)
    for context in missing.values():
        yield PageResult(context.pageno, None, None, None, 0)


def read_result(archive, context, entry):
    files = {}
    for kind in entry['has']:
        name = FILES[kind].format(entry['number'])
        files[kind] = context.get_path(name)
        files[kind].write_bytes(archive.read(name))
    return PageResult(
        pageno=context.pageno,
        pdf_page_from_image=files.get('pdf_page_from_image'),
        ocr=files.get('ocr'),
        text=files.get('text'),
        orientation_correction=entry['correction'],
    )


@hookimpl
def get_executor(progressbar_class):
    return SharedExecutor(pbar_class=progressbar_class)
