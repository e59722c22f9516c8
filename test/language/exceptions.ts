/**
 * A place where an avoided word is the right one. An exception that matches nothing fails the test, so that none
 * outlives its reason.
 */
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
    term: /\b(?:letters?|picture)\.[a-z]\w{1,4}\b(?=['"`])/g,
    reason: 'These are names of sample files, not words.',
  },
  { term: /\bUS ?letter\b|\bA5, Letter, Legal\b|'Letter'|\bA5', 'Letter'/gi, reason: 'It is a paper size.' },
  { term: /'(?:lower|upper)Letter'/g, reason: 'WordprocessingML has these number formats.' },
  { term: /\bletter-?spac(?:ed|ing)\b/gi, reason: 'It is the term of typography and CSS.' },
  { term: /\bletters(?:,| and| or) digits\b/g, reason: 'Only characters of the alphabet are meant.' },
  { term: /\bSoundFont\b/gi, reason: 'It is the name of a file format.' },
  { term: /\bHE-AAC\b/g, reason: 'It is the name of a codec.' },
  { term: /\bfindMyWay\b/g, reason: 'It is the name of a package.' },
  { term: /\bdrawingml\/2006\/picture\b/g, reason: 'It is a namespace of Office Open XML.' },
]

const paperSizeReason = 'It is a paper size.'
const alphabetReason = 'Characters of the alphabet are meant, not digits and symbols.'
const storedReason = 'Stored records and messages of chunks have these fields.'
const sample = 'It is text in a sample file.'
const fixture = 'These are names of sample files, not words.'
const featureReason = 'The API reports features of a file under these names in `result.fidelity`.'
const formatNameReason = 'It is in the proper name of a format.'

export const exceptions: readonly Exception[] = [
  {
    path: 'lib/formats/synonym-table.ts',
    words: ['picture', 'pictures', 'film', 'sound'],
    reason: 'People search for formats with it.',
  },
  {
    path: 'test/web/format-name-translations.test.ts',
    words: ['picture'],
    reason: formatNameReason,
  },
  {
    path: 'test/engines/support/svg-features.ts',
    words: ['letter'],
    reason: 'The property of SVG is called letter-spacing.',
  },
  {
    path: 'functions/web/sections/convert/',
    words: ['begun'],
    reason: 'Drafts in the browser have this field.',
  },
  {
    path: 'functions/web/sections/convert/words/en.ts',
    words: ['pictures', 'film', 'sound'],
    reason: featureReason,
  },
  {
    path: 'functions/web/sections/formats/words/en.ts',
    words: ['pictures', 'film', 'sound'],
    reason: featureReason,
  },
  { path: 'functions/web/shell/shortcuts.ts', words: ['letter'], reason: alphabetReason },
  { path: 'test/web/shortcuts.test.ts', words: ['letters'], reason: alphabetReason },
  { path: 'layers/browser/fit.js', words: ['letter'], reason: paperSizeReason },
  { path: 'layers/pdf/accents.mjs', words: ['letters'], reason: alphabetReason },
  {
    path: 'lib/engines/ffmpeg/merge-chunks.ts',
    words: ['told', 'film', 'pictures', 'picture'],
    reason: storedReason,
  },
  { path: 'lib/engines/ffmpeg/merge-plan.ts', words: ['film'], reason: storedReason },
  { path: 'lib/engines/ffmpeg/midi.ts', words: ['sounds'], reason: 'It is a folder of Debian.' },
  {
    path: 'lib/engines/ffmpeg/ogg-cover.ts',
    words: ['picture'],
    reason: 'FLAC and Vorbis call a cover a picture.',
  },
  { path: 'lib/engines/ffmpeg/probe.ts', words: ['picture'], reason: storedReason },
  { path: 'lib/engines/ffmpeg/video-chunks.ts', words: ['pictures', 'picture'], reason: storedReason },
  {
    path: 'lib/engines/ffmpeg/video-frames.ts',
    words: ['pictures'],
    reason: 'The API reports their number under this name.',
  },
  { path: 'lib/engines/imagemagick.ts', words: ['film'], reason: 'Photographic film is meant.' },
  { path: 'lib/engines/imagemagick/sources.ts', words: ['film'], reason: 'Photographic film is meant.' },
  { path: 'lib/engines/libreoffice/page-setup.ts', words: ['letter'], reason: paperSizeReason },
  {
    path: 'lib/engines/pdf/docx/numbering.ts',
    words: ['letter'],
    reason: 'The docx library names kinds of numbering so.',
  },
  { path: 'lib/engines/pdf/tools/sanitize.ts', words: ['sound'], reason: 'It is a key of PDF.' },
  { path: 'lib/engines/seven-zip/list-entries.ts', words: ['nobody'], reason: 'It is a user of Unix.' },
  { path: 'lib/engines/shared/text/', words: ['letter', 'letters'], reason: alphabetReason },
  {
    path: 'lib/engines/vips/compress-office.ts',
    words: ['pictures'],
    reason: 'It is a folder in OpenDocument files.',
  },
  {
    path: 'lib/engines/vips/merge.ts',
    words: ['pictures'],
    reason: 'The API reports their number under this name.',
  },
  { path: 'lib/engines/vips/svg-lengths.ts', words: ['letter'], reason: 'CSS has `letter-spacing`.' },
  { path: 'lib/fidelity/compare.ts', words: ['pictures'], reason: featureReason },
  { path: 'lib/fidelity/format-features.ts', words: ['pictures', 'film', 'sound'], reason: featureReason },
  { path: 'lib/fidelity/', words: ['letter', 'letters'], reason: alphabetReason },
  { path: 'lib/formats/audio.ts', words: ['sound'], reason: formatNameReason },
  { path: 'lib/formats/image.ts', words: ['picture'], reason: formatNameReason },
  {
    path: 'lib/formats/detect/svg-complexity.ts',
    words: ['mostshapes'],
    reason: 'Errors of the API have this detail.',
  },
  { path: 'lib/jobs/', words: ['brought', 'begun'], reason: storedReason },
  { path: 'lib/model/job.ts', words: ['brought', 'begun'], reason: storedReason },
  {
    path: 'lib/validation/defined.ts',
    words: ['defined'],
    reason: 'Spread as `...defined({ … })`, it reads as the fields that are defined.',
  },
  { path: 'lib/embedded-aws/sqs/batches.ts', words: ['letters'], reason: 'The message is that of SQS.' },
  { path: 'lib/embedded-aws/sqs/store.ts', words: ['arrival'], reason: 'It is the name of a stored index.' },
  { path: 'test/bench/', words: ['nobody', 'told', 'he', 'picture'], reason: sample },
  {
    path: 'test/conformance/check-result.ts',
    words: ['letters'],
    reason: 'Recorded results have this column.',
  },
  { path: 'test/conformance/samples.ts', words: ['letter'], reason: fixture },
  { path: 'test/engines/calibre/ebook-images.test.ts', words: ['picture'], reason: sample },
  { path: 'test/engines/support/font-maker.ts', words: ['letters'], reason: alphabetReason },
  { path: 'test/engines/vips/hdr-images.test.ts', words: ['picture'], reason: 'It is an option of ffmpeg.' },
  {
    path: 'test/engines/libreoffice/active.test.ts',
    words: ['pictures'],
    reason: 'It is a folder in OpenDocument files.',
  },
  { path: 'test/engines/ffmpeg/media-options.test.ts', words: ['letter'], reason: alphabetReason },
  {
    path: 'test/engines/vips/merge-and-compress-images.test.ts',
    words: ['pictures'],
    reason: 'The API reports their number under this name.',
  },
  { path: 'test/engines/ffmpeg/merge-plan.test.ts', words: ['film'], reason: storedReason },
  { path: 'test/engines/shared/metadata.test.ts', words: ['picture'], reason: 'It is the name of a tag.' },
  { path: 'test/engines/odd-files.slow.ts', words: ['letter'], reason: sample },
  { path: 'test/engines/option-tables.test.ts', words: ['letter'], reason: paperSizeReason },
  { path: 'test/engines/pandoc/pandoc.test.ts', words: ['letter'], reason: fixture },
  { path: 'test/engines/pdf/docx.test.ts', words: ['picture'], reason: sample },
  { path: 'test/engines/vips/svg-lengths.test.ts', words: ['letters'], reason: sample },
  { path: 'test/fidelity/counted.test.ts', words: ['nobody'], reason: sample },
  { path: 'test/fixtures/', words: ['picture', 'pictures', 'letter', 'letters'], reason: sample },
  { path: 'test/functions/remote-links.slow.ts', words: ['picture'], reason: sample },
  { path: 'test/http/replies.test.ts', words: ['letter'], reason: paperSizeReason },
  { path: 'test/jobs/', words: ['brought', 'begun'], reason: storedReason },
  { path: 'test/layers/', words: ['letters', 'picture'], reason: sample },
  {
    path: 'test/sweep/option-files.ts',
    words: ['pictures'],
    reason: 'It is a folder of OpenDocument packages.',
  },
  { path: 'test/sweep/make-file.ts', words: ['somebody', 'everybody'], reason: sample },
  { path: 'test/sweep/variants/', words: ['letters', 'sound'], reason: fixture },
  { path: 'test/web/clicks.slow.ts', words: ['letter'], reason: sample },
  { path: 'test/web/convert.test.ts', words: ['letter'], reason: sample },
  {
    path: 'test/web/target-search.test.ts',
    words: ['picture', 'pictures'],
    reason: 'People search for formats with it.',
  },
  { path: 'test/web/options.slow.ts', words: ['sound'], reason: 'The test looks for an untranslated word.' },
]
