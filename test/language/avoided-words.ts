/** A word or phrase that this project does not use, and what to write in its place. */
export interface AvoidedWord {
  /**
   * Matched without regard to case against a line in which names are split into words: `mostLiveJobs` is "most Live
   * Jobs".
   */
  readonly avoid: RegExp
  readonly use: string
}

const word = (avoid: string, use: string): AvoidedWord => ({
  avoid: new RegExp(`\\b(?:${avoid})\\b`, 'i'),
  use,
})

/** One word per idea. Add a row when a review finds a second word for an idea that already has one. */
export const avoidedWords: readonly AvoidedWord[] = [
  // People and programs
  word(
    'nobody|anybody|somebody|whoever',
    'the actor: the client, the worker, the caller, the owner, the reader',
  ),
  word('everybody', 'everyone, or name the group'),
  word('he|him|his|himself', 'they, or the name of the program'),
  word('told|telling|untold|unsaid', 'report, say, send, notify; what is not yet sent is unpublished'),
  word('heard|hears', 'receive, is notified'),
  word('heed|heeded|believe|believed|believes', 'cache, trust, take into account'),
  word('lent|lend', 'prefetched, shared'),
  word('mend|mended|mends', 'fix, repair'),
  // Things
  word('films?', 'video'),
  word('pictures?', 'image'),
  word('sounds?', 'audio'),
  word('(?<!dead[ -])letters?', 'character; email when it is mail'),
  word('moments?', 'timestamp, time'),
  word('endings?', 'file extension, or end'),
  word('wish|wishes|wished', 'request'),
  word('twins?', 'speculative copy'),
  word('crews?', 'worker pool'),
  word('latch|latches', 'join bucket'),
  word('portions?', 'chunk'),
  word('surroundings', 'deps, context'),
  word('patience', 'timeout'),
  word('outlets?', 'task sender'),
  word('arrivals?', 'dependency update'),
  word('kin', 'related, the other'),
  word('endeavou?r|hitherto|thereof|therein|whereof|wherein|thereupon', 'plain words'),
  // Verbs and adverbs
  word('(?<!all )(?:settled?|settles|settlement)', 'complete, finish, normalize'),
  word('begun', 'started'),
  word('anew', 'again'),
  word('seldom', 'rarely'),
  word('lately', 'recently'),
  word('brought|bringing|brings', 'upload, add, export, send'),
  word('stands? (?:in|for itself|there|here|beside|before|behind|alone|below|above)', 'is, is in'),
  word('as (?:it|he|they|many as there) may', 'the limit'),
  word('by (?:itself|themselves) alone', 'alone'),
  word('as it came', 'unchanged'),
  word('as (?:few|many) \\w+ as there may be', 'the minimum, the limit'),
  word('of (?:his|theirs|its) own accord', 'unprompted'),
]

/** Patterns of names that are useless as search terms, matched against the unchanged line. */
export const avoidedNames: readonly AvoidedWord[] = [
  { avoid: /\b(?:most|longest)[A-Z]\w*/, use: 'max…' },
  { avoid: /\bleast[A-Z]\w*/, use: 'min…' },
  { avoid: /\b(?:[a-z]\w*)?(?:Way|Ways)\b|\bways?[A-Z]\w*/, use: 'fallback, auth method, launcher' },
]
