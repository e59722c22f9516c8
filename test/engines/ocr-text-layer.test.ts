import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixTextLayer } from '../../lib/engines/pdf/ocr/text-layer.ts'

const hexOf = (text: string) =>
  text
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0'))
    .join('')
const word = (text: string, stretch = 100) => `${stretch} Tz [ <${hexOf(text)}> ] TJ`

/** A line as Tesseract 5.3 writes it. */
const line = (direction: 1 | -1, ...words: readonly string[]) =>
  `q 596.16 0 0 841.92 0 0 cm Q\nBT\n3 Tr ${direction} 0 0 1 300 700 Tm /f-0-0 10 Tf ${words.join(' ')} \nET\n`

describe('the text behind a picture', () => {
  test('has the digits of a number from left to right in a line that runs to the left', () => {
    const digits = '-500 <0031> 1000 <0032> -500 <0020>'
    assert.equal(
      fixTextLayer(line(-1, word('في '), '20 0 Td', word('12 '), '15 0 Td', word('سنة'))),
      line(-1, word('في '), '20 0 Td', `100 Tz [ ${digits} ] TJ`, '15 0 Td', word('سنة')),
    )
  })

  test('has the digits that an Arabic word begins or ends with from left to right, its letters as they were', () => {
    const made = fixTextLayer(line(-1, word('و311 ')))
    assert.equal(made, line(-1, `100 Tz [ <0648> -1000 <0033> 1000 <0031> 1000 <0031> -1000 <0020> ] TJ`))
  })

  test('has Arabic letters from right to left on a page that lies on its side, and their marks with them', () => {
    const letters = '-1000 <0641> 1000 <064A> 1000 <002E> -1000 <0020>'
    assert.equal(
      fixTextLayer(line(1, word('في. '), '-20 0 Td', word('12 '))),
      line(1, `100 Tz [ ${letters} ] TJ`, '-20 0 Td', word('12 ')),
    )
  })

  test('stays as it is in lines that run to the right and hold spaced words', () => {
    assert.equal(fixTextLayer(line(1, word('In '), '15 0 Td', word('1902 '))), undefined)
    assert.equal(fixTextLayer(line(1, word('등대는 '), '30 0 Td', word('백 '))), undefined)
    assert.equal(fixTextLayer(line(1, word('हिन्दीः '))), undefined)
  })

  test('has no spaces between Chinese words, each of which reaches as far as the next', () => {
    assert.equal(
      fixTextLayer(line(1, word('灯塔 ', 120), '24 0 Td', word('在 '), '12 0 Td', word('Linux '))),
      line(1, '240 Tz [ <706F5854> ] TJ', '24 0 Td', word('在 '), '12 0 Td', word('Linux ')),
    )
  })

  test('keeps the space before another column and at the end of a line', () => {
    assert.equal(fixTextLayer(line(1, word('灯塔 '), '60 0 Td', word('在 '))), undefined)
    assert.equal(fixTextLayer(line(1, word('灯塔 '), '0 -15 Td', word('在 '))), undefined)
  })

  test('stays as it is where another program wrote it', () => {
    const other = line(-1, word('12 ')).replace('3 Tr', '3 Tr 2 Tc')
    assert.equal(fixTextLayer(other), undefined)
    assert.ok(fixTextLayer(line(-1, word('12 '))))
  })
})
