/**
 * Creates missing appearance streams of form fields and comments. Viewers draw these on their own; tools that flatten
 * them into page content would lose them.
 *
 * usage: node appearances.mjs <folder of the mupdf package> <in.pdf> <out.pdf>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [packageFolder, source, target] = process.argv.slice(2)
const mupdf = await import(pathToFileURL(join(packageFolder, 'dist/mupdf.js')).href)
// Damaged files would flood the log.
mupdf.setLog?.({ error() {}, warning() {} })
const document = new mupdf.PDFDocument(readFileSync(source))

/** Default marks in ZapfDingbats (ISO 32000-2, 12.7.5.2), which /MK /CA may replace. */
const defaultMarks = { checkbox: '4', radiobutton: 'l' }
/** Widths and heights of the marks are close to this share of the font size. */
const markShare = 0.77

function drawField(field) {
  const type = field.getFieldType()
  if (type === 'text') redraw(field, (value) => field.setTextValue(value))
  else if (type === 'combobox' || type === 'listbox') redraw(field, (value) => field.setChoiceValue(value))
  else if (type in defaultMarks && !field.getObject().get('AP').isDictionary()) drawMark(field, type)
}

function redraw(field, setValue) {
  const value = field.getValue()
  if (!value) return
  // The appearance is only created when the value changes.
  setValue(`${value} `)
  setValue(value)
  field.update()
}

/** Draws a selected box; other boxes show nothing and need no appearance stream. */
function drawMark(field, type) {
  const object = field.getObject()
  const state = [object.get('AS'), type === 'checkbox' ? object.getInheritable('V') : object.get('AS')]
    .filter((value) => value.isName())
    .map((value) => value.asName())[0]
  if (state === undefined || state === 'Off') return
  const [left, bottom, right, top] = [0, 1, 2, 3].map((index) => object.get('Rect', index).asNumber())
  const [width, height] = [Math.abs(right - left), Math.abs(top - bottom)]
  const size = Math.min(width, height)
  const caption = object.get('MK', 'CA')
  const mark = (caption.isString() && caption.asString()[0]) || defaultMarks[type]
  const offset = (length) => ((length - size * markShare) / 2).toFixed(2)
  const text = `/ZaDb ${size.toFixed(2)} Tf 0 g ${offset(width)} ${offset(height)} Td <${toHex(mark)}> Tj`
  const font = document.addObject({
    Type: document.newName('Font'),
    Subtype: document.newName('Type1'),
    BaseFont: document.newName('ZapfDingbats'),
  })
  const stream = document.addStream(`q BT ${text} ET Q`, {
    Type: document.newName('XObject'),
    Subtype: document.newName('Form'),
    BBox: [0, 0, width, height],
    Resources: { Font: { ZaDb: font } },
  })
  object.put('AP', { N: { [state]: stream } })
  object.put('AS', document.newName(state))
}

const toHex = (character) => (character.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')

function drawComment(comment) {
  comment.setFlags(comment.getFlags())
  comment.update()
}

const lacksAppearance = (annotation) => annotation.getObject().get('AP').isNull()
const needAppearances = document.getTrailer().get('Root').get('AcroForm', 'NeedAppearances')
const isStale = needAppearances.isBoolean() && needAppearances.asBoolean()
for (let number = 0; number < document.countPages(); number++) {
  const page = document.loadPage(number)
  for (const field of page.getWidgets()) if (isStale || lacksAppearance(field)) drawField(field)
  for (const comment of page.getAnnotations()) if (lacksAppearance(comment)) drawComment(comment)
  page.destroy()
}
writeFileSync(target, document.saveToBuffer('compress').asUint8Array())
