"""A plugin of OCRmyPDF by which several workers read the pages of one PDF.

With `--keep-pages` it reads the pages of its PDF, whose numbers in the whole `--numbers` says, and puts what it made of
them into an archive. With `--kept-pages` it reads none: what it takes from such archives becomes the PDF that a run of
the whole makes. Whoever runs pages elsewhere gives OCRmyPDF an executor of his own (its `get_executor`).
"""

import json
from zipfile import ZipFile

from ocrmypdf import hookimpl
from ocrmypdf._sync import PageResult, exec_page_sync
from ocrmypdf.builtin_plugins.concurrency import StandardExecutor

# Names in an archive: an entry for each page, and the files that it speaks of.
RESULTS = 'results.json'
FILES = {'ocr': '{}-ocr.pdf', 'pdf_page_from_image': '{}-page.pdf'}


@hookimpl
def add_options(parser):
    group = parser.add_argument_group('shared pages')
    group.add_argument('--keep-pages', metavar='ARCHIVE')
    group.add_argument('--numbers', type=lambda given: [int(number) for number in given.split(',')])
    group.add_argument('--kept-pages', metavar='ARCHIVE', action='append')


class SharedExecutor(StandardExecutor):
    def _execute(self, *, task, task_arguments, task_finished, tqdm_kwargs, **others):
        run = {'task': task, 'tqdm_kwargs': tqdm_kwargs, **others}
        # Looking into the PDF and packing its pictures are tasks, too.
        if task is not exec_page_sync:
            super()._execute(**run, task_arguments=task_arguments, task_finished=task_finished)
            return
        contexts = list(task_arguments)
        options = contexts[0].options
        if options.kept_pages:
            with self.pbar_class(**tqdm_kwargs) as bar:
                for result in kept_results(contexts, options.kept_pages):
                    task_finished(result, bar)
            return
        results = []
        super()._execute(
            **run, task_arguments=contexts, task_finished=lambda result, _: results.append(result)
        )
        keep(results, options.numbers, options.keep_pages)


def keep(results, numbers, path):
    entries = []
    with ZipFile(path, 'w') as archive:
        for result in results:
            number = numbers[result.pageno]
            made = {kind: getattr(result, kind) for kind in FILES}
            for kind, file in made.items():
                if file is not None:
                    archive.write(file, FILES[kind].format(number))
            has = [kind for kind, file in made.items() if file is not None]
            entries.append({'number': number, 'has': has, 'correction': result.orientation_correction})
        archive.writestr(RESULTS, json.dumps(entries))


def kept_results(contexts, paths):
    unread = {context.pageno + 1: context for context in contexts}
    for path in paths:
        with ZipFile(path) as archive:
            for entry in json.loads(archive.read(RESULTS)):
                context = unread.pop(entry['number'])
                yield kept_result(archive, context, entry)
    for context in unread.values():
        yield PageResult(context.pageno, None, None, None, 0)


def kept_result(archive, context, entry):
    files = {}
    for kind in entry['has']:
        name = FILES[kind].format(entry['number'])
        files[kind] = context.get_path(name)
        files[kind].write_bytes(archive.read(name))
    return PageResult(
        pageno=context.pageno,
        pdf_page_from_image=files.get('pdf_page_from_image'),
        ocr=files.get('ocr'),
        text=None,
        orientation_correction=entry['correction'],
    )


@hookimpl
def get_executor(progressbar_class):
    return SharedExecutor(pbar_class=progressbar_class)
