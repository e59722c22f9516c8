"""A warm office without sandbox, checks or cleanup of results.

Runs as `/usr/bin/python3 office.py ENGINE_FOLDER FOLDER PIPE_NAME`. Each line of stdin names a document and its PDF,
separated by a tab; each line of stdout reports that a PDF is complete.
"""

import sys

sys.path.insert(0, sys.argv[1])
from office import Office, properties

PDF = {'UseTaggedPDF': True, 'EmbedStandardFonts': False, 'ExportNotes': False}

office = Office(sys.argv[2], sys.argv[3])
office.start()
office.load_libraries()
print('ready', flush=True)
for line in sys.stdin:
    source, target = line.rstrip('\n').split('\t')
    document = office.desktop.loadComponentFromURL(f'file://{source}', '_blank', 0, properties({'Hidden': True}))
    document.storeToURL(
        f'file://{target}', properties({'FilterName': 'writer_pdf_Export', 'FilterData': PDF}))
    document.close(True)
    print('done', flush=True)
office.kill()
