/** Matches YAML front matter. */
const frontMatterPattern = /^---\n(?:(?!---\n|\.\.\.\n).*\n){0,400}(?:---|\.\.\.)\n/
/** Matches fields of the front matter that are visible in a converted document. */
const shownFieldPattern = /^(?:title|author):[ \t]{1,40}(?![[{|>&*])(.*)$/gm

export const removeFrontMatter = (text: string): string =>
  text.replace(frontMatterPattern, (frontMatter) =>
    [...frontMatter.matchAll(shownFieldPattern)].map(([, shown]) => shown).join('\n'),
  )

const templatePattern = /\{\{[^{}]{0,500}\}\}/g
export const commentPattern = /<!--(?:[^<]|<(?!!--)){0,4000}?-->/g

/**
 * TeX formulas. They are skipped, because some engines convert them and others copy their source. A dollar sign before
 * a space, or a closing dollar sign before a digit, is a currency sign.
 */
const mathematicsPatterns = [
  /\$\$[^$]{1,4000}\$\$/g,
  /(?<!\\)\$(?![\s$])[^$]{0,1000}(?<![\s\\])\$(?!\d)/g,
  /\\\((?:[^\\]|\\(?![()])){0,1000}\\\)/g,
  /\\\[(?:[^\\]|\\(?![[\]])){0,4000}\\\]/g,
  /\\begin\{(?:equation|align|gather|multline)\*?\}(?:[^\\]|\\(?!begin\{(?:equation|align|gather|multline))){0,4000}?\\end\{(?:equation|align|gather|multline)\*?\}/g,
] as const

/**
 * Patterns of markup that is not text, by markup language. They are bounded and stop at the next start, so that a
 * missing end does not cause a search of the rest of the file from each start.
 */
export const skippedMarkup = {
  md: [
    commentPattern,
    ...mathematicsPatterns,
    /\{[\w-]{1,40}=[^{}\n]{0,200}\}/g,
    /\]\([^)\s]{0,1000}/g,
    /^\[[^\]\n]{1,200}\]:\s?\S{1,1000}/gm,
    /<[^<>\n]{1,500}>/g,
    /^(?:```|~~~).{0,200}$/gm,
    /\{[.#=][^{}\n]{0,200}\}/g,
  ],
  tex: [
    /(?<!\\)%.*/g,
    /\\(?:begin|end|label|ref|cite|usepackage|documentclass|includegraphics|input|setup\w{1,30})\*?(?:\[[^[\]]{0,500}\])?\{[^{}]{0,500}\}/g,
    /\\[a-zA-Z@]{1,40}\*?(?:\[[^\]]{0,300}\])?/g,
    /\$[^$]{0,500}\$/g,
  ],
  roff: [
    /^\.\\".*$/gm,
    /^\.(?:de|ds|nr|if|ie|el|nh|ad|hy|TH)\b.*$/gm,
    /^['.][A-Za-z]{1,3}\b/gm,
    /\\f(?:\(..|\[[^\]]{0,20}\]|.)/g,
    /\\\(../g,
    /\\\[[^\]]{0,20}\]/g,
  ],
  rst: [
    // Comments, and directives for programs, with their indented content.
    /^\.\. (?:math|meta|raw|index)::.*\n(?:[ \t].*\n|\n(?=[ \t]))*/gm,
    /^\.\.(?: (?![[_|])(?!.{0,200}::).*)?\n(?:[ \t].*\n|\n(?=[ \t]))*/gm,
    /:math:`[^`]{0,500}`/g,
    /^\.\. .{0,200}::.*$/gm,
    /^ {1,40}:[\w-]{1,40}:.*$/gm,
    /:[\w-]{1,40}:(?=`)/g,
    /<[^<>\s]{0,500}>`_/g,
    /^\.\. _.*$/gm,
  ],
  wiki: [
    commentPattern,
    /<math\b[^<>]{0,200}>[^<]{0,4000}<\/math>/g,
    // Listed twice, to remove nested templates.
    templatePattern,
    templatePattern,
    /\[\[(?:File|Image|Category|Datei|Bild):[^[\]]{0,500}\]\]/gi,
    /\[\[[^[\]|\n]{0,300}\|/g,
    /<[^<>\n]{1,500}>/g,
    /\{\|.*$/gm,
    /^\|-.*$/gm,
    /\b(?:class|style|align|width|rowspan|colspan|scope|id)="[^"\n]{0,200}"/g,
  ],
  adoc: [
    /^:[\w-]{1,60}:.*$/gm,
    /^\[[^\]\n]{0,300}\]$/gm,
    /\b(?:image|video|include|link|xref)::?[^[\s]{0,500}\[[^\]\n]{0,300}\]/g,
    /^\/\/.*$/gm,
  ],
  org: [
    /^[ \t]{0,40}#\+(?:TITLE|SUBTITLE|AUTHOR|CAPTION):/gim,
    /^[ \t]{0,40}#\+BEGIN_COMMENT\n(?:(?![ \t]{0,40}#\+).*\n)*[ \t]{0,40}#\+END_COMMENT/gim,
    // Drawers of Org mode, which cannot be nested.
    /^[ \t]{0,40}:[A-Z][\w-]{0,40}:[ \t]{0,40}\n(?:(?![ \t]{0,40}:\w{1,40}:[ \t]{0,40}\n).*\n)*[ \t]{0,40}:END:/gim,
    /^\*{1,20} COMMENT\b.*\n(?:(?!\*).*\n)*/gm,
    /^[ \t]{0,40}(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):.*$/gm,
    /[<[]\d{4}-\d\d-\d\d[^>\]\n]{0,40}[>\]]/g,
    /^[ \t]{0,40}# .*$/gm,
    ...mathematicsPatterns,
    /^[ \t]{0,40}#\+\w{1,40}:?.*$/gm,
    /^[ \t]{0,40}:[\w-]{1,40}:.*$/gm,
    /\[\[[^[\]\n]{0,500}\]\[/g,
  ],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>
