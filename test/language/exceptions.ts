/** A place where an avoided word is the right one. An exception that matches nothing fails the test, so that none outlives its reason. */
export interface Exception {
  /** A file, or a folder with a slash at its end. */
  readonly path: string
  readonly words: readonly string[]
  readonly reason: string
}

/** A term that contains an avoided word and is right everywhere. */
export interface AllowedTerm {
  readonly term: RegExp
  readonly reason: string
}

export const allowedTerms: readonly AllowedTerm[] = [
  {
    term: /\b(?:PICTURES_(?:DROPPED|REDUCED|UNSHOWN)|LETTERS_REPLACED)\b/g,
    reason: 'Warning codes are part of the API.',
  },
  {
    term: /'(?:pictures|film|sound)'|\bsoundSeconds\b/g,
    reason: 'The API reports features of a file under these names in `result.fidelity`.',
  },
  {
    term: /\b(?:unsaid|toldPercent|filesTold|begunAt)\b/g,
    reason: 'Stored records have these attributes.',
  },
  { term: /\bLATCH\b/g, reason: 'Sort keys of stored records start with it.' },
  { term: /\bpatienceS\b/g, reason: 'It is a setting of the published client.' },
  {
    term: /\b(?:film|letters?|picture)\.[a-z]\w{1,4}\b(?=['"`])/g,
    reason: 'These are names of sample files, not words.',
  },
  { term: /\bUS letter\b|\bA5, Letter, Legal\b|'Letter'|\bA5', 'Letter'/gi, reason: 'It is a paper size.' },
  { term: /\bletter-?spac(?:ed|ing)\b/gi, reason: 'It is the term of typography and CSS.' },
  { term: /\bletters(?:,| and| or) digits\b/g, reason: 'Only characters of the alphabet are meant.' },
  { term: /\bSoundFont\b/gi, reason: 'It is the name of a file format.' },
  { term: /\bHE-AAC\b/g, reason: 'It is the name of a codec.' },
  { term: /\bfindMyWay\b/g, reason: 'It is the name of a package.' },
  { term: /\bdrawingml\/2006\/picture\b/g, reason: 'It is a namespace of Office Open XML.' },
]

export const exceptions: readonly Exception[] = []
