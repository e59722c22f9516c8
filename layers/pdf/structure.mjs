/**
 * Extracts the content of PDF pages: words with positions and styles, images, vector shapes and links.
 * Runs as a separate Node program, because MuPDF is under the AGPL; the service itself does not import it.
 *
 * usage: node structure.mjs <folder of the mupdf package> <in.pdf> <out folder> [page,page…]
 * Writes pages.jsonl with one page per line, and image-<n>.png or .jpg; prints "page <n>" after each page.
 */
import { openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { joinAccents } from './accents.mjs'
import { decodeDingbat } from './dingbats.mjs'

const [packageFolder, source, outFolder, list] = process.argv.slice(2)
const mupdf = await import(pathToFileURL(join(packageFolder, 'dist/mupdf.js')).href)

// The package uses String.fromCharCode for code points, which would truncate emoji.
String.fromCharCode = (...codes) => String.fromCodePoint(...codes.map((code) => Math.min(code, 0x10ffff)))

// Damaged files would flood the log.
mupdf.setLog?.({ error() {}, warning() {} })

const maxVectors = 5000
const maxImagePixels = 40_000_000
const maxRenderedPixels = 4_000_000

const rightToLeftPattern = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const lam = '\u0644'
/** Second characters of the lam ligatures. */
const alefPattern = /[\u0622\u0623\u0625\u0627]/

const round = (number) => Math.round(number * 100) / 100
const box = (rect) => rect.map(round)
const hex = (color) =>
  color
    .slice(0, 3)
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')

/** Collects styles: words refer to a style by number, because there are few styles and many words. */
function createStyles() {
  const numbers = new Map()
  const styles = []
  const fontsByPointer = new Map()
  const describeFont = (font) => {
    const known = fontsByPointer.get(font.pointer)
    if (known) return known
    const description = {
      font: font.getName(),
      // MuPDF detects heavy fonts by their flags, but not by their names.
      bold: font.isBold() || /bold|black|heavy|demi/i.test(font.getName()),
      italic: font.isItalic(),
      mono: font.isMono(),
      serif: font.isSerif(),
    }
    fontsByPointer.set(font.pointer, description)
    return description
  }
  const numberOf = (font, size, color) => {
    const style = { ...describeFont(font), size: round(size), color: hex(color) }
    const key = Object.values(style).join('/')
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, styles.length)
    return styles.push(style) - 1
  }
  return { styles, numberOf, describeFont }
}

/** Splits a line into words at its spaces and where the style changes. */
function createWords(styles) {
  const lines = []
  let words = []
  let word
  let vertical = false
  let slanted = false
  // In Arabic and Hebrew, lines of OCR text run from right to left, with upright characters. MuPDF returns the
  // characters in reverse order.
  let isLeftward = false
  // MuPDF reports the width of a ligature with one of its characters. The other characters have no width: they precede
  // that character in reverse order, or follow it if the file itself names the characters.
  let zeroWidthChars = ''
  let followsLam = false
  const addLigature = (char) => {
    const isAlef = zeroWidthChars.length === 1 && alefPattern.test(zeroWidthChars)
    const isAfterLam = isAlef && word.text.endsWith(lam)
    if (isAlef && isAfterLam !== (char === lam)) followsLam = isAfterLam
    const follows = char === '' || (isAfterLam && (char !== lam || followsLam))
    word.text += follows ? zeroWidthChars + char : char + [...zeroWidthChars].reverse().join('')
    zeroWidthChars = ''
  }
  const endWord = () => {
    if (word) {
      addLigature('')
      const text =
        isLeftward && !vertical && rightToLeftPattern.test(word.text)
          ? [...word.text].reverse().join('')
          : word.text
      words.push({ ...word, text, box: box(word.box), base: round(word.base) })
    }
    word = undefined
  }
  let spaced = false
  return {
    lines,
    beginLine(_bbox, wmode, direction) {
      vertical = wmode === 1 || Math.abs(direction[1]) > 0.1
      slanted = Math.abs(direction[0]) > 0.1 && Math.abs(direction[1]) > 0.1
      isLeftward = direction[0] < 0
      words = []
      spaced = false
    },
    onChar(char, origin, font, size, quad, color) {
      // The character is upside down if its upper corner is below the lower one.
      if (isLeftward && quad[1] > quad[5]) vertical = true
      if (/\s/.test(char) || char === '\u00a0') {
        endWord()
        spaced = true
        return
      }
      const style = styles.numberOf(font, size, color)
      const xs = [quad[0], quad[2], quad[4], quad[6]]
      const ys = [quad[1], quad[3], quad[5], quad[7]]
      const [x0, y0, x1, y1] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
      const far = !vertical && word && (x0 - word.box[2] > size * 0.25 || word.box[0] - x1 > size * 0.25)
      const hasMoved = !vertical && word && Math.abs(word.base - origin[1]) > size * 0.1
      if (word && (word.style !== style || far || hasMoved)) endWord()
      if (!word) {
        word = { text: '', box: [x0, y0, x1, y1], base: origin[1], style, ...(spaced && { spaced: true }) }
        spaced = false
      }
      if (!isLeftward && x1 - x0 < size * 0.01 && rightToLeftPattern.test(char)) zeroWidthChars += char
      else addLigature(char)
      const previousBox = word.box
      word.box = [
        Math.min(previousBox[0], x0),
        Math.min(previousBox[1], y0),
        Math.max(previousBox[2], x1),
        Math.max(previousBox[3], y1),
      ]
    },
    endLine() {
      endWord()
      if (words.length > 0) lines.push({ ...(vertical && { vertical }), ...(slanted && { slanted }), words })
    },
  }
}

let imageCount = 0

/** Returns undefined for a broken image, so that no words are lost. The image is later rendered from the page. */
function trySaveImage(image, matrix, bbox) {
  try {
    return saveImage(image, matrix, bbox)
  } catch {
    return undefined
  }
}

/** Saves an embedded image, without what the page draws over it. */
function saveImage(image, matrix, bbox) {
  // The walker does not report the color of image masks.
  if (image.getImageMask() || image.getWidth() * image.getHeight() > maxImagePixels) return undefined
  const isUpright = matrix[0] > 0 && matrix[3] > 0 && Math.abs(matrix[1]) + Math.abs(matrix[2]) < 0.01
  if (!isUpright || image.getMask()) return writeImage(renderImage(image, matrix, bbox), true)
  const pixmap = image.toPixmap()
  const isPlain = !pixmap.getColorSpace() || /RGB|Gray/.test(pixmap.getColorSpace().getName())
  return writeImage(isPlain ? pixmap : pixmap.convertToColorSpace(mupdf.ColorSpace.DeviceRGB))
}

/** Renders a rotated, mirrored or partly transparent image as the page shows it. */
function renderImage(image, matrix, bbox) {
  const size = Math.max(1, (bbox[2] - bbox[0]) * (bbox[3] - bbox[1]))
  const imageScale = Math.sqrt((image.getWidth() * image.getHeight()) / size)
  const scale = Math.min(4, Math.max(1, imageScale), Math.sqrt(maxRenderedPixels / size))
  const area = bbox.map((edge, index) => (index < 2 ? Math.floor(edge * scale) : Math.ceil(edge * scale)))
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, area, true)
  pixmap.clear()
  const device = new mupdf.DrawDevice(mupdf.Matrix.scale(scale, scale), pixmap)
  device.fillImage(image, matrix, 1)
  device.close()
  device.destroy()
  return pixmap
}

/** Uses JPEG only when it is much smaller, so that drawings and screenshots stay lossless. */
function writeImage(pixmap, isTransparent = false) {
  const png = pixmap.asPNG()
  if (isTransparent) return writeImageFile(png, 'png', pixmap)
  const jpeg = png.length > 30_000 ? pixmap.asJPEG(90, false) : undefined
  const smallJpeg = jpeg && jpeg.length < png.length / 3 ? jpeg : undefined
  return writeImageFile(smallJpeg ?? png, smallJpeg ? 'jpg' : 'png', pixmap)
}

function writeImageFile(bytes, extension, pixmap) {
  const file = `image-${++imageCount}.${extension}`
  writeFileSync(join(outFolder, file), bytes)
  return { file, width: pixmap.getWidth(), height: pixmap.getHeight() }
}

function readLinks(page) {
  return page
    .getLinks()
    .filter((link) => link.isExternal())
    .map((link) => ({ box: box(link.getBounds()), uri: link.getURI() }))
}

/** The outline helps to detect headings; a broken one is ignored. */
function readOutline(document) {
  const titles = []
  const walk = (items, level) => {
    for (const { title, down } of items ?? []) {
      if (titles.length > 5000) return
      if (title) titles.push({ title, level })
      if (level < 6) walk(down, level + 1)
    }
  }
  try {
    walk(document.loadOutline(), 1)
  } catch {
    return []
  }
  return titles
}

function readPage(document, index) {
  const page = document.loadPage(index)
  const styles = createStyles()
  const words = createWords(styles)
  const images = []
  const vectors = []
  const walker = joinAccents(words)
  const text = page.toStructuredText('preserve-images,vectors,clip')
  text.walk({
    beginLine: walker.beginLine,
    onChar: (char, origin, font, ...rest) =>
      walker.onChar(decodeDingbat(char, styles.describeFont(font).font), origin, font, ...rest),
    endLine: walker.endLine,
    onImageBlock(bbox, matrix, image) {
      images.push({ box: box(bbox), ...trySaveImage(image, matrix, bbox) })
    },
    onVector(bbox, flags, color) {
      if (vectors.length >= maxVectors) return
      vectors.push({
        box: box(bbox),
        color: hex(color),
        ...(flags.isStroked && { stroked: true }),
        ...(flags.isRectangle && { rectangle: true }),
      })
    },
  })
  walker.end()
  const [x0, y0, x1, y1] = page.getBounds()
  const content = {
    page: index + 1,
    width: round(x1 - x0),
    height: round(y1 - y0),
    styles: styles.styles,
    lines: words.lines,
    images,
    vectors,
    links: readLinks(page),
  }
  text.destroy()
  page.destroy()
  return content
}

const document = mupdf.Document.openDocument(readFileSync(source), 'application/pdf')
const pageNumbers = list
  ? list.split(',').map(Number)
  : Array.from({ length: document.countPages() }, (_, i) => i + 1)
const out = openSync(join(outFolder, 'pages.jsonl'), 'w')
writeSync(out, `${JSON.stringify({ outline: readOutline(document) })}\n`)
for (const number of pageNumbers) {
  writeSync(out, `${JSON.stringify(readPage(document, number - 1))}\n`)
  process.stdout.write(`page ${number}\n`)
}
