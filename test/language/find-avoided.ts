import { type AvoidedWord, avoidedNames, avoidedWords } from './avoided-words.ts'
import { allowedTerms } from './exceptions.ts'

export interface Finding {
  readonly path: string
  /** Line number, or 0 for the name of the file itself. */
  readonly line: number
  readonly found: string
  readonly use: string
}

const removeAllowedTerms = (text: string) =>
  allowedTerms.reduce((remainingText, { term }) => remainingText.replaceAll(term, ' '), text)

/** Splits names into words: `maxLiveJobs` becomes "max Live Jobs", `part_uploads` "part uploads". */
const splitNames = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

function findIn(text: string, words: readonly AvoidedWord[]) {
  return words.flatMap(({ avoid, use }) => {
    const match = avoid.exec(text)
    return match ? [{ found: match[0], use }] : []
  })
}

/** Every avoided word in a file's path and content, at most one of a kind per line. */
export function findAvoided(path: string, content: string): Finding[] {
  const lines = [path, ...content.split('\n')].map(removeAllowedTerms)
  return lines.flatMap((text, line) =>
    [...findIn(splitNames(text), avoidedWords), ...findIn(text, avoidedNames)].map((hit) => ({
      path,
      line,
      ...hit,
    })),
  )
}

const declaration =
  /(?:\bfunction\*? |\b(?:const|let) )(\w+)(?:<[^>]*>)?(?: = (?:async )?(?:function\b|\([^()]*\)(?:: [^=]+)? =>|\w+ =>)|\()/g
/** Verbs that look like participles. */
const verbs = /^(?:need|feed|seed|embed|speed|exceed|proceed|shed|shred|found)$/
const participle = /^(?:[a-z]+ed|told|made|kept|sent|held|built|said|taken|given|shown|written|drawn|chosen)$/

/** What follows a participle in a name that has no noun: `shownAs`, `heldBy`. */
const particle = /^(?:as|at|by|for|from|in|into|of|on|to|up|with|once)$/i

/** Functions whose whole name is a participle, as `settled` or `shownAs`: a verb says what they do. */
export function findParticiples(path: string, content: string): Finding[] {
  return content.split('\n').flatMap((text, index) =>
    [...text.matchAll(declaration)].flatMap(([, name = '']) => {
      const [first = '', ...rest] = name.split(/(?=[A-Z])/)
      const isParticiple =
        participle.test(first) && !verbs.test(first) && rest.every((word) => particle.test(word))
      return isParticiple ? [{ path, line: index + 1, found: name, use: 'a verb' }] : []
    }),
  )
}
