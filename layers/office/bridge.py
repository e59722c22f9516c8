"""Converts documents one at a time with a running office.

Runs inside the sandbox as `/usr/bin/python3 bridge.py FOLDER PIPE_NAME STALL_S`. Each line of stdin is a request and
each line of stdout an event, both JSON:

    {"kind": "convert", "input", "name", "output", "family", "sources", "target", "page"}
        → {"event": "loaded"}, then {"event": "done", "facts"} or {"event": "failed", "reason", "message"}
    {"kind": "clear"} → {"event": "ready", "residentKb", "staleFonts"}, as after the start
    {"kind": "warm"} → the same; only before the first document

`input` and `output` are names in FOLDER; `name` is the original name of the document. "clear" deletes everything that
was created in FOLDER since the start; this happens inside the sandbox, because the office could have left a symlink
there. "warm" converts a built-in page, so that the first document does not have to wait for the office to load its
modules.
"""

import json
import os
import queue
import shutil
import sys
import threading

# The characters of symbol fonts.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'document'))
from convert import FONTS, convert
from document_error import DocumentError
from office import Office
from warm import warm
from watchdog import Watchdog


def main(folder, pipe_name, stall_s):
    requests = queue.Queue()
    events = Events()
    office = Office(folder, pipe_name)
    threading.Thread(target=_read_requests, args=(requests, office), daemon=True).start()
    office.start()
    threading.Thread(target=FONTS.prefetch_substitutes, daemon=True).start()
    threading.Thread(target=_exit_with_office, args=(office,), daemon=True).start()
    office.load_libraries()
    watchdog = Watchdog(office, stall_s, lambda: events.send('stalled'))
    # The profile, and a folder for temporary files that the office uses for as long as it runs.
    initial_names = set(os.listdir(folder))
    events.send('ready', **office.condition())
    while True:
        request = requests.get()
        if request['kind'] != 'convert':
            if request['kind'] == 'warm':
                warm(office)
            _clear(folder, initial_names)
            events.send('ready', **office.condition())
            continue
        try:
            with watchdog:
                convert(office, request, events.send)
        except DocumentError as error:
            # The office may have been killed while it read the document, which then seems to be damaged.
            if office.has_ended():
                os._exit(1)
            events.send('failed', reason=error.reason, message=str(error))


class Events:
    """Writes events to stdout. All other output of this process is redirected to stderr."""

    def __init__(self):
        self._stream = os.fdopen(os.dup(1), 'w', buffering=1, encoding='utf-8')
        self._lock = threading.Lock()
        os.dup2(2, 1)

    def send(self, event, **values):
        with self._lock:
            self._stream.write(json.dumps({'event': event, **values}) + '\n')


def _read_requests(requests, office):
    for line in sys.stdin:
        requests.put(json.loads(line))
    # The service exited or closed the connection: stop everything, including a conversion in progress.
    office.kill()
    os._exit(0)


def _exit_with_office(office):
    office.process.wait()
    os._exit(1)


def _clear(folder, initial_names):
    for name in os.listdir(folder):
        if name not in initial_names:
            _remove(os.path.join(folder, name))
        elif name.endswith('.tmp'):
            _clear(os.path.join(folder, name), initial_names=())


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
