import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { python3 } from '../../support/python.ts'

const layers = fileURLToPath(new URL('../../../layers', import.meta.url))

/** Input that keeps a search busy which starts again at each repetition, by the function that reads it. */
const repeatedUnits = {
  'chunk_blocks.blocks_of': [
    'a:b\r\n',
    '<p><!--',
    '<p><a',
    '<ul><li>x',
    '<p><tr><td rowspan=99 colspan=63>x',
  ],
  write_chunks: ['<w:altChunk r:id="a">', '<w:altChunk :id="a" '],
  'form_fields.write_form_fields': [
    '<w:r><w:fldChar ><w:ffData><w:checkBox/></w:ffData>',
    '<w:r><w:ffData><w:checkBox/></w:ffData>',
  ],
  'symbol_elements.end_symbol_runs': ['<w:r><w:rPr>', '<w:r><w:rPr><w:sym />'],
  'table_grids.complete_grids': [
    '<w:tbl>',
    '<w:tbl><w:tr><w:tc><w:gridSpan w:val="999"/></w:tc></w:tr></w:tbl>',
  ],
} as const

const script = `
import json, sys
sys.path[:0] = [sys.argv[1] + '/office', sys.argv[1] + '/document']
import alt_chunks, chunk_blocks, form_fields, symbol_elements, table_grids
functions = {'write_chunks': lambda xml: alt_chunks.write_chunks(xml, {'a': b'x'})}
for name, units in json.loads(sys.argv[2]).items():
    module, _, function = name.partition('.')
    read = functions.get(name) or getattr(globals()[module], function)
    for unit in units:
        result = read(unit.encode() * (500_000 // len(unit)))
        print(name, sum(map(len, result)) < 50_000_000 if isinstance(result, list) else len(result) < 50_000_000)
`

test('hostile Word documents are prepared in linear time and stay small', () => {
  const args = ['-c', script, layers, JSON.stringify(repeatedUnits)]
  // Half a megabyte takes a second; searches that start again take minutes or never end.
  const output = execFileSync(python3, args, { encoding: 'utf8', timeout: 20_000 })
  const lines = output.trim().split('\n')
  assert.equal(lines.length, Object.values(repeatedUnits).flat().length)
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(' True')),
    [],
  )
})

const structureScript = `
import random, sys
import xml.etree.ElementTree as ET
sys.path.insert(0, sys.argv[1] + '/document')
from chunk_blocks import blocks_of
tags = ['<table>', '</table>', '<tr>', '</tr>', '<td>', '<td rowspan=3>', '<td colspan=2>', '</td>', '<p>', '<ul>', '<li>',
        '<b>', '</b>', '<a href="https://example.com/">', '<br>', '<h2>', '</h2>', 'x ', '<td rowspan=' + '9' * 6000 + '>']
children = {'body': {'p', 'tbl'}, 'tbl': {'tblPr', 'tr'}, 'tr': {'tc'}, 'tc': {'tcPr', 'p', 'tbl'}}
chooser = random.Random(1)
for _ in range(3000):
    page = '<body>' + ''.join(chooser.choices(tags, k=30))
    body = ET.fromstring(f'<body>{blocks_of(page.encode())}</body>'.replace('w:', ''))
    for element in body.iter():
        names = [child.tag for child in element]
        valid = element.tag not in children or set(names) <= children[element.tag]
        # A table has a row, a row has a cell, and a cell ends with a paragraph.
        last = {'tbl': 'tr', 'tr': 'tc', 'tc': 'p'}.get(element.tag)
        if not valid or (last and names[-1:] != [last]):
            print(page)
`

test('malformed web pages in Word documents become well-formed tables and paragraphs', () => {
  const output = execFileSync(python3, ['-c', structureScript, layers], { encoding: 'utf8', timeout: 20_000 })
  assert.equal(output, '')
})
