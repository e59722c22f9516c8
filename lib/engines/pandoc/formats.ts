import type { FormatId } from '../../formats/index.ts'
import { keysOf } from '../../validation/keys-of.ts'

/** How the images of the document are written. */
type ImageMode =
  /** The writer packs the images into the result. */
  | 'packed'
  /** The text contains the images as data URLs. */
  | 'inline'
  /**
   * Only image descriptions are written: the format can only reference other files, and the result is a single file.
   */
  | 'described'

/** How pandoc writes a format. */
interface PandocTarget {
  readonly writer: string
  readonly images: ImageMode
  readonly args?: readonly string[]
  /** The writer drops the document's title, so it becomes the first heading. */
  readonly titleAsHeading?: true
  /** Without a title, the result is invalid or shows the name of our temporary file. */
  readonly needsTitle?: true
}

/** How pandoc reads a format. */
interface PandocSource {
  readonly reader: string
  readonly args?: readonly string[]
  /** Whether the format is binary, so that it has no text encoding. */
  readonly isBinary?: true
  /** Whether the reader turns straight quotes, double hyphens and three dots into typographic characters. */
  readonly isSmart?: true
}

/** GitHub's lists and tables plus widely used extensions: notes, math and a YAML title block. */
const markdownReader = 'commonmark_x+autolink_bare_uris'
const markdownWriter = 'gfm+yaml_metadata_block+tex_math_dollars'

/** Readers by format, with names of `pandoc --list-input-formats`. */
const sources = {
  md: { reader: markdownReader, isSmart: true },
  mmd: { reader: 'markdown_mmd' },
  rst: { reader: 'rst' },
  org: { reader: 'org' },
  textile: { reader: 'textile', isSmart: true },
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
  docx: { reader: 'docx', isBinary: true },
  odt: { reader: 'odt', isBinary: true },
  epub: { reader: 'epub', isBinary: true },
  fb2: { reader: 'fb2' },
} as const satisfies Partial<Record<FormatId, PandocSource>>
export type PandocSourceId = keyof typeof sources

/** Writers by format, with names of `pandoc --list-output-formats`. */
const targets = {
  docx: { writer: 'docx', images: 'packed' },
  odt: { writer: 'odt', images: 'packed' },
  pptx: { writer: 'pptx', images: 'packed' },
  rtf: { writer: 'rtf', images: 'packed' },
  epub: { writer: 'epub3', images: 'packed', needsTitle: true },
  fb2: { writer: 'fb2', images: 'inline', needsTitle: true },
  html: { writer: 'html5', images: 'inline', args: ['--mathml'], needsTitle: true },
  xhtml: { writer: 'html4', images: 'inline', needsTitle: true },
  ipynb: { writer: 'ipynb', images: 'inline', titleAsHeading: true },
  md: { writer: markdownWriter, images: 'inline' },
  mmd: { writer: 'markdown_mmd', images: 'inline' },
  txt: { writer: 'plain', images: 'described' },
  markua: { writer: 'markua', images: 'described', titleAsHeading: true },
  rst: { writer: 'rst', images: 'described' },
  adoc: { writer: 'asciidoctor', images: 'described' },
  org: { writer: 'org', images: 'described' },
  textile: { writer: 'textile', images: 'described', titleAsHeading: true },
  muse: { writer: 'muse', images: 'described' },
  haddock: { writer: 'haddock', images: 'described', titleAsHeading: true },
  wiki: { writer: 'mediawiki', images: 'described', titleAsHeading: true },
  dokuwiki: { writer: 'dokuwiki', images: 'described', titleAsHeading: true },
  jira: { writer: 'jira', images: 'described', titleAsHeading: true },
  xwiki: { writer: 'xwiki', images: 'described', titleAsHeading: true },
  zimwiki: { writer: 'zimwiki', images: 'described', titleAsHeading: true },
  tex: { writer: 'latex', images: 'described' },
  ctx: { writer: 'context', images: 'described' },
  texi: { writer: 'texinfo', images: 'described' },
  man: { writer: 'man', images: 'described' },
  ms: { writer: 'ms', images: 'described' },
  dbk: { writer: 'docbook5', images: 'described' },
  xml: { writer: 'docbook5', images: 'described' },
  jats: { writer: 'jats', images: 'described' },
  tei: { writer: 'tei', images: 'described' },
  opml: { writer: 'opml', images: 'described' },
  icml: { writer: 'icml', images: 'described', titleAsHeading: true },
  pjson: { writer: 'json', images: 'inline' },
  native: { writer: 'native', images: 'inline' },
} as const satisfies Partial<Record<FormatId, PandocTarget>>
export type PandocTargetId = keyof typeof targets

/** Bibliography formats that convert to each other as data; in any other target they become a printed list. */
export const bibliographyFormats = { bib: 'biblatex', csljson: 'csljson' } as const

export const pandocSourceIds = keysOf(sources)
export const pandocTargetIds = keysOf(targets)

export const getPandocSource = (id: PandocSourceId): PandocSource => sources[id]
export const getPandocTarget = (id: PandocTargetId): PandocTarget => targets[id]
