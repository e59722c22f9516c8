/**
 * Removes every occurrence of the terms, the characters as well as the pixels below them, and prints the number of
 * occurrences on each page.
 *
 * usage: node redact.mjs <folder of the mupdf package> <in.pdf> <out.pdf> <terms.json>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [packageFolder, source, target, termsPath] = process.argv.slice(2)
const mupdf = await import(pathToFileURL(join(packageFolder, 'dist/mupdf.js')).href)
// Damaged files would flood the log.
mupdf.setLog?.({ error() {}, warning() {} })
const document = new mupdf.PDFDocument(readFileSync(source))
const terms = JSON.parse(readFileSync(termsPath, 'utf8'))

// A search skips hidden layers, which anyone can show again; the document keeps their state.
for (let layer = 0; layer < document.countLayers(); layer++) document.setLayerVisible(layer, true)

/** A search returns at most 500 matches; further rounds find the others. */
const maxRounds = 50

/** Returns the corners of the characters of each match: upper left, upper right, lower left, lower right. */
const findMatches = (page) => terms.flatMap((term) => page.search(term, 'ignore-case'))

/** Reduces a box of characters to its middle, because the full height often reaches into the lines above and below. */
function narrow(quad) {
  const [left, right] = [0, 2].map((start) => {
    const point = (share) =>
      [0, 1].map((axis) => {
        const from = quad[start + axis]
        return from + (quad[start + 4 + axis] - from) * share
      })
    return { upper: point(0.35), lower: point(0.65) }
  })
  return [...left.upper, ...right.upper, ...left.lower, ...right.lower]
}

function mark(page, matches) {
  for (const quads of matches) page.createAnnotation('Redact').setQuadPoints(quads)
}

const { PDFPage } = mupdf
function redact(page, matches) {
  mark(
    page,
    matches.map((quads) => quads.map(narrow)),
  )
  page.applyRedactions(
    false,
    PDFPage.REDACT_IMAGE_NONE,
    PDFPage.REDACT_LINE_ART_NONE,
    PDFPage.REDACT_TEXT_REMOVE,
  )
  mark(page, matches)
  const lineArt = PDFPage.REDACT_LINE_ART_REMOVE_IF_COVERED
  page.applyRedactions(true, PDFPage.REDACT_IMAGE_PIXELS, lineArt, PDFPage.REDACT_TEXT_NONE)
}

for (let number = 0; number < document.countPages(); number++) {
  let total = 0
  for (let round = 0; round < maxRounds; round++) {
    const page = document.loadPage(number)
    const matches = findMatches(page)
    if (matches.length > 0) redact(page, matches)
    page.destroy()
    if (matches.length === 0) break
    total += matches.length
  }
  process.stdout.write(`${total}\n`)
}
// With garbage=3, MuPDF loses form XObjects.
writeFileSync(target, document.saveToBuffer('garbage=2,compress').asUint8Array())
