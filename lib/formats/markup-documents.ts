import type { FormatRow } from './format.ts'

const markdown = [
  {
    id: 'md',
    name: 'Markdown',
    extensions: ['md', 'markdown', 'mdown', 'mkd', 'mkdn', 'mdwn'],
    mimeTypes: ['text/markdown', 'text/x-markdown'],
    aliases: ['gfm', 'commonmark'],
  },
  { id: 'mmd', name: 'MultiMarkdown', extensions: ['mmd', 'mmdown'], mimeTypes: ['text/markdown'] },
] as const satisfies readonly FormatRow[]

/** Markup languages that only the file name distinguishes. */
const lightMarkup = [
  { id: 'rst', name: 'reStructuredText', extensions: ['rst', 'rest'], mimeTypes: ['text/x-rst'] },
  {
    id: 'adoc',
    name: 'AsciiDoc',
    extensions: ['adoc', 'asciidoc'],
    mimeTypes: ['text/asciidoc', 'text/x-asciidoc'],
  },
  { id: 'markua', name: 'Markua', extensions: ['markua'], mimeTypes: ['text/plain'] },
  { id: 'org', name: 'Emacs Org mode', extensions: ['org'], mimeTypes: ['text/x-org', 'text/org'] },
  { id: 'textile', name: 'Textile', extensions: ['textile'], mimeTypes: ['text/x-textile'] },
  { id: 'muse', name: 'Emacs Muse', extensions: ['muse'], mimeTypes: ['text/x-muse'] },
  { id: 't2t', name: 'txt2tags', extensions: ['t2t'], mimeTypes: ['text/x-txt2tags'] },
  { id: 'haddock', name: 'Haddock markup', extensions: ['haddock'], mimeTypes: ['text/x-haddock'] },
  {
    id: 'wiki',
    name: 'MediaWiki markup',
    extensions: ['wiki', 'mediawiki'],
    mimeTypes: ['text/x-wiki', 'text/mediawiki'],
  },
  { id: 'dokuwiki', name: 'DokuWiki markup', extensions: ['dokuwiki'], mimeTypes: ['text/plain'] },
  { id: 'jira', name: 'Jira wiki markup', extensions: ['jira'], mimeTypes: ['text/plain'] },
  { id: 'creole', name: 'Creole wiki markup', extensions: ['creole'], mimeTypes: ['text/x-wiki.creole'] },
  { id: 'tikiwiki', name: 'Tiki wiki markup', extensions: ['tikiwiki'], mimeTypes: ['text/plain'] },
  { id: 'twiki', name: 'TWiki markup', extensions: ['twiki'], mimeTypes: ['text/plain'] },
  { id: 'vimwiki', name: 'Vimwiki markup', extensions: ['vimwiki'], mimeTypes: ['text/plain'] },
  { id: 'xwiki', name: 'XWiki markup', extensions: ['xwiki'], mimeTypes: ['text/plain'] },
  { id: 'zimwiki', name: 'Zim wiki page', extensions: ['zimwiki'], mimeTypes: ['text/x-zim-wiki'] },
] as const satisfies readonly FormatRow[]

const typesetting = [
  {
    id: 'tex',
    name: 'LaTeX document',
    extensions: ['tex', 'latex', 'ltx'],
    mimeTypes: ['application/x-tex', 'text/x-tex', 'application/x-latex'],
  },
  { id: 'ctx', name: 'ConTeXt document', extensions: ['ctx'], mimeTypes: ['application/x-tex'] },
  {
    id: 'texi',
    name: 'Texinfo document',
    extensions: ['texi', 'texinfo'],
    mimeTypes: ['application/x-texinfo'],
  },
  {
    id: 'man',
    name: 'Manual page (roff man)',
    extensions: ['man', 'roff'],
    mimeTypes: ['text/troff', 'application/x-troff-man'],
  },
  { id: 'ms', name: 'roff ms document', extensions: ['ms'], mimeTypes: ['application/x-troff-ms'] },
] as const satisfies readonly FormatRow[]

const structuredMarkup = [
  {
    id: 'dbk',
    name: 'DocBook',
    extensions: ['dbk', 'docbook'],
    mimeTypes: ['application/docbook+xml'],
  },
  {
    id: 'xml',
    name: 'XML document',
    extensions: ['xml'],
    mimeTypes: ['application/xml', 'text/xml'],
  },
  {
    id: 'jats',
    name: 'JATS journal article',
    extensions: ['jats', 'nxml'],
    mimeTypes: ['application/x-jats+xml'],
  },
  { id: 'tei', name: 'TEI document', extensions: ['tei'], mimeTypes: ['application/tei+xml'] },
  {
    id: 'opml',
    name: 'OPML outline',
    extensions: ['opml'],
    mimeTypes: ['text/x-opml+xml', 'text/x-opml'],
  },
  { id: 'icml', name: 'InCopy story', extensions: ['icml'], mimeTypes: ['application/xml'] },
  {
    id: 'ipynb',
    name: 'Jupyter notebook',
    extensions: ['ipynb'],
    mimeTypes: ['application/x-ipynb+json'],
  },
  {
    id: 'pjson',
    name: 'Pandoc document tree (JSON)',
    extensions: ['pjson'],
    mimeTypes: ['application/json'],
  },
  {
    id: 'native',
    name: 'Pandoc document tree (native)',
    extensions: ['native'],
    mimeTypes: ['text/x-haskell'],
  },
] as const satisfies readonly FormatRow[]

const references = [
  {
    id: 'bib',
    name: 'BibTeX references',
    extensions: ['bib', 'bibtex'],
    mimeTypes: ['application/x-bibtex', 'text/x-bibtex'],
  },
  {
    id: 'csljson',
    name: 'CSL JSON references',
    extensions: ['csljson'],
    mimeTypes: ['application/vnd.citationstyles.csl+json'],
  },
] as const satisfies readonly FormatRow[]

export const markupDocuments = [
  ...markdown,
  ...lightMarkup,
  ...typesetting,
  ...structuredMarkup,
  ...references,
] as const
