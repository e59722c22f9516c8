/**
 * Renders what pages show behind and across their text: backgrounds, stamps, and drawings that text runs over.
 * Runs as a separate Node program, because MuPDF is under the AGPL; the service itself does not import it.
 *
 * usage: node drawings.mjs <folder of the mupdf package> <in.pdf> <out folder> <requests.json> <dpi>
 *
 * A request is { page, file, box? }: with a box, it draws the drawings and slanted text inside it, on a transparent
 * canvas; without one, the background of the page. Writes a PNG or JPEG for each request that draws something, and
 * prints its name; for other requests, it prints that they are empty, and nothing for requests that fail.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const [packageFolder, source, outFolder, requestsFile, dpi] = process.argv.slice(2)
const mupdf = await import(pathToFileURL(join(packageFolder, 'dist/mupdf.js')).href)

// Damaged files would flood the log.
mupdf.setLog?.({ error() {}, warning() {} })

const pixelsPerPoint = Number(dpi) / 72
const maxPixels = 6_000_000
/** Maximum distance in points at which a drawing counts as reaching an edge of the page. */
const edgeTolerance = 3
/** Minimum share of the page that a drawing must cover to count as a background. */
const minCoverage = 0.6

const widthOf = (box) => Math.max(0, box[2] - box[0])
const heightOf = (box) => Math.max(0, box[3] - box[1])
const intersect = (a, b) => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
]

/** Whether a drawing reaches two edges of the page, or covers most of it. Keep in step with `isPageBackground`. */
function isBackground(box, page) {
  const edges = [
    box[0] - page[0] < edgeTolerance,
    box[1] - page[1] < edgeTolerance,
    page[2] - box[2] < edgeTolerance,
    page[3] - box[3] < edgeTolerance,
  ].filter(Boolean).length
  return edges >= 2 || widthOf(box) * heightOf(box) > widthOf(page) * heightOf(page) * minCoverage
}

const isInside = (box, area) =>
  box[0] >= area[0] - 1 && box[1] >= area[1] - 1 && box[2] <= area[2] + 1 && box[3] <= area[3] + 1

/** Whether the first glyph is rotated by an angle that is not a multiple of 90°. */
function isSlanted(text, ctm) {
  let slanted
  text.walk({
    showGlyph(_font, trm) {
      const [a, b] = mupdf.Matrix.concat(trm, ctm)
      const size = Math.hypot(a, b)
      slanted ??= Math.abs(a) > size * 0.05 && Math.abs(b) > size * 0.05
    },
  })
  return slanted === true
}

/**
 * Creates a device that passes on to `target` what `isSelected` accepts, with all clips, masks and groups around it.
 * @param isSelected gets the box that a drawing fills on the page
 */
function createFilter(target, page, isSelected, drawsSlantedText) {
  const counts = { drawn: 0, visibleText: 0, invisibleText: 0 }
  const clips = [page]
  // Inside a mask, everything is drawn; inside a tile, everything or nothing.
  let maskDepth = 0
  const tiles = []
  const clipTo = (box) => clips.push(intersect(clips.at(-1), box))
  const shouldDraw = (box) => {
    if (tiles.length > 0) return tiles.at(-1)
    if (maskDepth > 0) return true
    const visible = intersect(box, clips.at(-1))
    const isDrawn = widthOf(visible) + heightOf(visible) > 0 && isSelected(visible)
    if (isDrawn) counts.drawn++
    return isDrawn
  }
  const imageBox = (ctm) => mupdf.Rect.transform([0, 0, 1, 1], ctm)
  const onText = (text, ctm, draw) => {
    counts.visibleText++
    const isDrawn =
      maskDepth > 0 || (drawsSlantedText && isSlanted(text, ctm) && shouldDraw(text.getBounds(null, ctm)))
    if (isDrawn) draw()
  }
  const device = new mupdf.Device({
    fillPath(path, evenOdd, ctm, ...paint) {
      if (shouldDraw(path.getBounds(null, ctm))) target.fillPath(path, evenOdd, ctm, ...paint)
    },
    strokePath(path, stroke, ctm, ...paint) {
      // Uses the bounds without the stroke: bounds with the stroke allow for miters far longer than those that are
      // drawn.
      if (shouldDraw(path.getBounds(null, ctm))) target.strokePath(path, stroke, ctm, ...paint)
    },
    fillShade(shade, ctm, alpha) {
      if (shouldDraw(clips.at(-1))) target.fillShade(shade, ctm, alpha)
    },
    fillImage(image, ctm, alpha) {
      if (shouldDraw(imageBox(ctm))) target.fillImage(image, ctm, alpha)
    },
    fillImageMask(image, ctm, ...paint) {
      if (shouldDraw(imageBox(ctm))) target.fillImageMask(image, ctm, ...paint)
    },
    fillText: (text, ctm, ...paint) => onText(text, ctm, () => target.fillText(text, ctm, ...paint)),
    strokeText: (text, stroke, ctm, ...paint) =>
      onText(text, ctm, () => target.strokeText(text, stroke, ctm, ...paint)),
    ignoreText: () => counts.invisibleText++,
    clipPath(path, evenOdd, ctm) {
      clipTo(path.getBounds(null, ctm))
      target.clipPath(path, evenOdd, ctm)
    },
    clipStrokePath(path, stroke, ctm) {
      clipTo(path.getBounds(stroke, ctm))
      target.clipStrokePath(path, stroke, ctm)
    },
    clipText(text, ctm) {
      clipTo(text.getBounds(null, ctm))
      target.clipText(text, ctm)
    },
    clipStrokeText(text, stroke, ctm) {
      clipTo(text.getBounds(stroke, ctm))
      target.clipStrokeText(text, stroke, ctm)
    },
    clipImageMask(image, ctm) {
      clipTo(imageBox(ctm))
      target.clipImageMask(image, ctm)
    },
    popClip() {
      clips.pop()
      target.popClip()
    },
    beginMask(area, ...mask) {
      maskDepth++
      target.beginMask(area, ...mask)
    },
    endMask() {
      maskDepth--
      // A mask clips all drawings after it.
      clips.push(clips.at(-1))
      target.endMask()
    },
    beginGroup: (...group) => target.beginGroup(...group),
    endGroup: () => target.endGroup(),
    beginTile(area, view, xstep, ystep, ctm, ...ids) {
      const isDrawn = shouldDraw(mupdf.Rect.transform(area, ctm))
      tiles.push(isDrawn)
      return isDrawn ? target.beginTile(area, view, xstep, ystep, ctm, ...ids) : 0
    },
    endTile() {
      if (tiles.pop()) target.endTile()
    },
  })
  return { device, counts }
}

function render(document, request) {
  const page = document.loadPage(request.page - 1)
  try {
    return renderPage(page, request)
  } finally {
    page.destroy()
  }
}

/** Returns what the program prints: the name of the file, or that the drawing is empty. */
function renderPage(page, { file, box }) {
  const bounds = page.getBounds()
  const area = box ? intersect(box, bounds) : bounds
  const scale = Math.min(pixelsPerPoint, Math.sqrt(maxPixels / (widthOf(area) * heightOf(area))))
  const pixels = area.map((edge, at) => (at < 2 ? Math.floor(edge * scale) : Math.ceil(edge * scale)))
  // Destroyed explicitly: the memory of MuPDF has a limit of its own and no garbage collection.
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, pixels, box !== undefined)
  try {
    if (box) pixmap.clear()
    else pixmap.clear(255)
    const { drawn, invisibleText, visibleText } = draw(page, pixmap, {
      scale,
      area,
      bounds,
      isPart: box !== undefined,
    })
    // The image of a scan is no background: it shows the words, which the page repeats as invisible text above it.
    if (drawn === 0 || (!box && invisibleText > visibleText)) return `${file} is empty`
    const png = pixmap.asPNG()
    const isPhoto = !box && png.length > 100_000
    const name = `${file}.${isPhoto ? 'jpg' : 'png'}`
    writeFileSync(join(outFolder, name), isPhoto ? pixmap.asJPEG(85, false) : png)
    return name
  } finally {
    pixmap.destroy()
  }
}

/** Draws a page or a part of it. Returns the numbers of drawings, of visible texts and of invisible texts. */
function draw(page, pixmap, { scale, area, bounds, isPart }) {
  const canvas = new mupdf.DrawDevice(mupdf.Matrix.scale(scale, scale), pixmap)
  const isSelected = isPart ? (drawn) => isInside(drawn, area) : (drawn) => isBackground(drawn, bounds)
  const { device, counts } = createFilter(canvas, bounds, isSelected, isPart)
  try {
    page.run(device, mupdf.Matrix.identity)
    device.close()
    canvas.close()
    return counts
  } finally {
    device.destroy()
    canvas.destroy()
  }
}

const document = mupdf.Document.openDocument(readFileSync(source), 'application/pdf')
for (const request of JSON.parse(readFileSync(requestsFile, 'utf8'))) {
  try {
    process.stdout.write(`${render(document, request)}\n`)
  } catch {
    // Ignore the error: the words of the page are worth more than its decoration.
  }
  // Lets finalizers release the MuPDF objects that the garbage collection has found.
  await setImmediate()
}
