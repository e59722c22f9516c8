import type { FormatId } from '../../formats/index.ts'

/** What becomes of pictures that the document carries. */
type Pictures =
  /** The writer packs them into the result. */
  | 'packed'
  /** They stand in the text as data. */
  | 'inline'
  /** The format can only point to a file, and there is one result: their description is left. */
  | 'described'

/** How a format is written. */
export interface PandocTarget {
  readonly writer: string
  readonly pictures: Pictures
  readonly args?: readonly string[]
  /** The writer has no place for the title of the document: it becomes the first heading. */
  readonly titleAsHeading?: true
  /** A result without a title is not valid, or shows the name of our file. */
  readonly needsTitle?: true
}

/** How a format is read. */
export interface PandocSource {
  readonly reader: string
  readonly args?: readonly string[]
  /** Not letters but a container, so that there is no encoding to find. */
  readonly binary?: true
}

/** Lists and tables as GitHub reads them, and what else is widely written: notes, mathematics, a title above. */
const markdownIn = 'commonmark_x+autolink_bare_uris'
const markdownOut = 'gfm+yaml_metadata_block+tex_math_dollars'

/** Readers by format, in the words of `pandoc --list-input-formats`. */
const sources = {
  md: { reader: markdownIn },
  mmd: { reader: 'markdown_mmd' },
  rst: { reader: 'rst' },
  org: { reader: 'org' },
  textile: { reader: 'textile' },
  muse: { reader: 'muse' },
  t2t: { reader: 't2t' },
  haddock: { reader: 'haddock' },
  wiki: { reader: 'mediawiki' },
  dokuwiki: { reader: 'dokuwiki' },
  jira: { reader: 'jira' },
  creole: { reader: 'creole' },
  tikiwiki: { reader: 'tikiwiki' },
  twiki: { reader: 'twiki' },
  vimwiki: { reader: 'vimwiki' },
  tex: { reader: 'latex' },
  man: { reader: 'man' },
  dbk: { reader: 'docbook' },
  xml: { reader: 'docbook' },
  jats: { reader: 'jats' },
  opml: { reader: 'opml' },
  ipynb: { reader: 'ipynb' },
  pjson: { reader: 'json' },
  native: { reader: 'native' },
  bib: { reader: 'biblatex', args: ['--citeproc'] },
  csljson: { reader: 'csljson', args: ['--citeproc'] },
  csv: { reader: 'csv' },
  html: { reader: 'html' },
  rtf: { reader: 'rtf' },
  docx: { reader: 'docx', binary: true },
  odt: { reader: 'odt', binary: true },
  epub: { reader: 'epub', binary: true },
  fb2: { reader: 'fb2' },
} as const satisfies Partial<Record<FormatId, PandocSource>>
export type SourceId = keyof typeof sources

/** Writers by format, in the words of `pandoc --list-output-formats`. */
const targets = {
  docx: { writer: 'docx', pictures: 'packed' },
  odt: { writer: 'odt', pictures: 'packed' },
  pptx: { writer: 'pptx', pictures: 'packed' },
  rtf: { writer: 'rtf', pictures: 'packed' },
  epub: { writer: 'epub3', pictures: 'packed', needsTitle: true },
  fb2: { writer: 'fb2', pictures: 'inline', needsTitle: true },
  html: { writer: 'html5', pictures: 'inline', args: ['--mathml'], needsTitle: true },
  xhtml: { writer: 'html4', pictures: 'inline', needsTitle: true },
  ipynb: { writer: 'ipynb', pictures: 'inline', titleAsHeading: true },
  md: { writer: markdownOut, pictures: 'inline' },
  mmd: { writer: 'markdown_mmd', pictures: 'inline' },
  txt: { writer: 'plain', pictures: 'described' },
  markua: { writer: 'markua', pictures: 'described', titleAsHeading: true },
  rst: { writer: 'rst', pictures: 'described' },
  adoc: { writer: 'asciidoctor', pictures: 'described' },
  org: { writer: 'org', pictures: 'described' },
  textile: { writer: 'textile', pictures: 'described', titleAsHeading: true },
  muse: { writer: 'muse', pictures: 'described' },
  haddock: { writer: 'haddock', pictures: 'described', titleAsHeading: true },
  wiki: { writer: 'mediawiki', pictures: 'described', titleAsHeading: true },
  dokuwiki: { writer: 'dokuwiki', pictures: 'described', titleAsHeading: true },
  jira: { writer: 'jira', pictures: 'described', titleAsHeading: true },
  xwiki: { writer: 'xwiki', pictures: 'described', titleAsHeading: true },
  zimwiki: { writer: 'zimwiki', pictures: 'described', titleAsHeading: true },
  tex: { writer: 'latex', pictures: 'described' },
  ctx: { writer: 'context', pictures: 'described' },
  texi: { writer: 'texinfo', pictures: 'described' },
  man: { writer: 'man', pictures: 'described' },
  ms: { writer: 'ms', pictures: 'described' },
  dbk: { writer: 'docbook5', pictures: 'described' },
  xml: { writer: 'docbook5', pictures: 'described' },
  jats: { writer: 'jats', pictures: 'described' },
  tei: { writer: 'tei', pictures: 'described' },
  opml: { writer: 'opml', pictures: 'described' },
  icml: { writer: 'icml', pictures: 'described', titleAsHeading: true },
  pjson: { writer: 'json', pictures: 'inline' },
  native: { writer: 'native', pictures: 'inline' },
} as const satisfies Partial<Record<FormatId, PandocTarget>>
export type TargetId = keyof typeof targets

/** References stay references only among themselves; as a document they are a printed list. */
export const references = { bib: 'biblatex', csljson: 'csljson' } as const

// Object.keys forgets the names that the tables have.
export const sourceIds = Object.keys(sources) as SourceId[]
export const targetIds = Object.keys(targets) as TargetId[]

export const sourceOf = (id: SourceId): PandocSource => sources[id]
export const targetOf = (id: TargetId): PandocTarget => targets[id]
