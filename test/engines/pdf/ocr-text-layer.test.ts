import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixTextLayer } from '../../../lib/engines/pdf/ocr/text-layer.ts'

const encodeHex = (text: string) =>
  text
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0'))
    .join('')
const showWord = (text: string, stretchPercent = 100) => `${stretchPercent} Tz [ <${encodeHex(text)}> ] TJ`

/** Creates a line of a text layer as Tesseract 5.3 writes it. */
const createLine = (direction: 1 | -1, ...words: readonly string[]) =>
  `q 596.16 0 0 841.92 0 0 cm Q\nBT\n3 Tr ${direction} 0 0 1 300 700 Tm /f-0-0 10 Tf ${words.join(' ')} \nET\n`

/** Returns the angle of each word in degrees, and its position. */
const readPlacements = (layer: string) =>
  Array.from(layer.matchAll(/(\S+) (\S+) \S+ \S+ (\S+) (\S+) Tm/g), ([, ...numbers]) => {
    const [a = 0, b = 0, x = 0, y = 0] = numbers.map(Number)
    return [(Math.atan2(b, a) * 180) / Math.PI, x, y].map((value) => Math.round(value * 10) / 10)
  })

describe('OCR text layers', () => {
  test('an OCR text layer of a skewed page gets level lines, each turned about its middle', () => {
    const words = [showWord('one '), '30 0 Td', showWord('two '), '-30 -20 Td', showWord('three ')]
    const createSkewedLayer = (degrees: number) => {
      const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
      const matrix = [cos, sin, -sin, cos].map((value) => value.toFixed(4)).join(' ')
      return createLine(1, ...words).replace('1 0 0 1 300', `${matrix} 300`)
    }
    assert.deepEqual(readPlacements(fixTextLayer(createSkewedLayer(4)) ?? ''), [
      [0, 300, 701],
      [0, 330, 701],
      [0, 301.4, 680],
    ])
    const turnedPlacements = readPlacements(fixTextLayer(createSkewedLayer(93)) ?? '')
    assert.deepEqual(
      turnedPlacements.map(([angle]) => angle),
      [90, 90, 90],
    )
    assert.equal(fixTextLayer(createSkewedLayer(0)), undefined)
    assert.equal(fixTextLayer(createSkewedLayer(30)), undefined)
  })

  test('an OCR text layer places digits in a right-to-left line from left to right', () => {
    const digits = '-500 <0031> 1000 <0032> -500 <0020>'
    assert.equal(
      fixTextLayer(createLine(-1, showWord('في '), '20 0 Td', showWord('12 '), '15 0 Td', showWord('سنة'))),
      createLine(-1, showWord('في '), '20 0 Td', `100 Tz [ ${digits} ] TJ`, '15 0 Td', showWord('سنة')),
    )
  })

  test('an OCR text layer places digits after an Arabic word without moving the characters of the word', () => {
    const fixedLine = fixTextLayer(createLine(-1, showWord('و311 ')))
    assert.equal(
      fixedLine,
      createLine(-1, `100 Tz [ <0648> -1000 <0033> 1000 <0031> 1000 <0031> -1000 <0020> ] TJ`),
    )
  })

  test('an OCR text layer places Arabic text on a rotated page from right to left', () => {
    const glyphs = '-1000 <0641> 1000 <064A> 1000 <002E> -1000 <0020>'
    assert.equal(
      fixTextLayer(createLine(1, showWord('في. '), '-20 0 Td', showWord('12 '))),
      createLine(1, `100 Tz [ ${glyphs} ] TJ`, '-20 0 Td', showWord('12 ')),
    )
  })

  test('an OCR text layer keeps left-to-right lines of words with spaces unchanged', () => {
    assert.equal(fixTextLayer(createLine(1, showWord('In '), '15 0 Td', showWord('1902 '))), undefined)
    assert.equal(fixTextLayer(createLine(1, showWord('등대는 '), '30 0 Td', showWord('백 '))), undefined)
    assert.equal(fixTextLayer(createLine(1, showWord('हिन्दीः '))), undefined)
  })

  test('an OCR text layer stretches Chinese words to the next word instead of adding a space', () => {
    assert.equal(
      fixTextLayer(
        createLine(1, showWord('灯塔 ', 120), '24 0 Td', showWord('在 '), '12 0 Td', showWord('Linux ')),
      ),
      createLine(1, '240 Tz [ <706F5854> ] TJ', '24 0 Td', showWord('在 '), '12 0 Td', showWord('Linux ')),
    )
  })

  test('an OCR text layer keeps the space before another column and at the end of a line', () => {
    assert.equal(fixTextLayer(createLine(1, showWord('灯塔 '), '60 0 Td', showWord('在 '))), undefined)
    assert.equal(fixTextLayer(createLine(1, showWord('灯塔 '), '0 -15 Td', showWord('在 '))), undefined)
  })

  test('text layers that other programs wrote stay unchanged', () => {
    const otherLine = createLine(-1, showWord('12 ')).replace('3 Tr', '3 Tr 2 Tc')
    assert.equal(fixTextLayer(otherLine), undefined)
    assert.ok(fixTextLayer(createLine(-1, showWord('12 '))))
  })
})
