import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { createOfficeProfile } from '../support/office-profile.ts'

/** Non-ASCII text follows this word in the source, so that an encoding makes a difference. */
const encodedWord = 'encodedword'
const sentence = `"Straight quotes" -- two hyphens... and the ${encodedWord}, with enough words to fill several lines of text. `

/** Contains what document options change: sizes, fonts, quotes, colors, tables and several pages. */
const page = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Options</title><style>
body { font-family: "DejaVu Serif"; background: #ffeecc } h1 { font-size: 28pt } p { font-size: 10pt } .small { font-size: 7pt }
</style></head><body>
${Array.from({ length: 8 }, (_, at) => `<h1>Chapter ${at}</h1><p>${sentence.repeat(12)}</p><p class="small">${sentence}</p>`).join('\n')}
<table border="1"><tr><th>name</th><th>amount</th></tr><tr><td>apple</td><td>1</td></tr></table>
</body></html>
`
const columns = Array.from({ length: 30 }, (_, at) => `column ${at}`)
const createTable = (delimiter: string) =>
  [['name', encodedWord, ...columns], ...Array.from({ length: 80 }, (_, row) => [`"a;b"`, row, ...columns])]
    .map((cells) => cells.join(delimiter))
    .join('\n')

const officeFilters: Partial<Record<FormatId, string>> = {
  docx: 'MS Word 2007 XML',
  doc: 'MS Word 97',
  odt: 'writer8',
  rtf: 'Rich Text Format',
  fodt: 'OpenDocument Text Flat XML',
}
const bookFormats: readonly FormatId[] = [
  ...(['epub', 'azw3', 'mobi', 'htmlz', 'lit', 'lrf', 'fb2', 'pdb', 'rb', 'txtz', 'pmlz'] as const),
]
const pandocWriters: Partial<Record<FormatId, string>> = {
  md: 'gfm',
  mmd: 'markdown_mmd',
  rst: 'rst',
  org: 'org',
  textile: 'textile',
  muse: 'muse',
  haddock: 'haddock',
  wiki: 'mediawiki',
  dokuwiki: 'dokuwiki',
  jira: 'jira',
  tex: 'latex',
  man: 'man',
  dbk: 'docbook5',
  xml: 'docbook5',
  jats: 'jats',
  opml: 'opml',
  ipynb: 'ipynb',
  pjson: 'json',
  native: 'native',
  txt: 'plain',
}

/** Text that is valid in formats that no program here writes. */
const handwrittenTexts: Partial<Record<FormatId, string>> = {
  t2t: `Options\n\n\n= Chapter =\n\n${sentence}\n`,
  creole: `= Chapter =\n\n${sentence}\n`,
  tikiwiki: `! Chapter\n\n${sentence}\n`,
  twiki: `---+ Chapter\n\n${sentence}\n`,
  vimwiki: `= Chapter =\n\n${sentence}\n`,
  bib: `@book{one, title = {The ${encodedWord} of options}, author = {Ada Author}, year = {2020}}\n`,
  csljson: `[{"id": "one", "type": "book", "title": "The ${encodedWord} of options"}]\n`,
}

/** Makes a source file of a format that shows the effect of document options; undefined for other formats. */
export function makeOptionSource(format: FormatId, folder: string): string | undefined {
  const path = join(folder, `made.${formatById(format).extensions[0]}`)
  if (existsSync(path)) return path
  // Books of both formats are the same but for their names.
  if (format === 'azw') return makeOptionSource('mobi', folder)
  mkdirSync(folder, { recursive: true })
  const run = (bin: string, ...args: string[]) => execFileSync(bin, args, { cwd: folder, stdio: 'ignore' })
  const source = join(folder, 'source.html')
  writeFileSync(source, page)
  const writer = pandocWriters[format]
  const filter = officeFilters[format]
  if (format === 'csv' || format === 'tsv') writeFileSync(path, createTable(format === 'csv' ? ',' : '\t'))
  else if (format === 'html') copyFileSync(source, path)
  else if (handwrittenTexts[format]) writeFileSync(path, handwrittenTexts[format])
  else if (writer) run('pandoc', '-s', '--wrap=none', source, '-t', writer, '-o', path)
  else if (filter) {
    const profile = createOfficeProfile(folder)
    const target = `${format}:${filter}`
    copyFileSync(source, join(folder, 'made.html'))
    run('soffice', profile, '--headless', '--infilter=HTML (StarWriter)', '--convert-to', target, 'made.html')
  } else if (bookFormats.includes(format)) run('ebook-convert', source, path)
  else return undefined
  return path
}

/** Writes two Latin-1 characters, which are not valid UTF-8, after each marked word of a copy. Returns its path. */
export function addEncodedByte(path: string): string {
  const changedPath = path.replace(/made(?=\.[^/]+$)/, 'encoded')
  const text = readFileSync(path, 'latin1').replaceAll(/encodedword|kingfisher/g, '$&\xe9\xe0')
  writeFileSync(changedPath, text.replace(/<meta charset[^>]*>/, ''), 'latin1')
  return changedPath
}
