import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { normalizeOcrText } from '../../../lib/engines/pdf/ocr/normalize-text.ts'

describe('normalization of OCR text', () => {
  test('directional marks are removed from OCR text, and right-to-left text is put into reading order', () => {
    assert.equal(normalizeOcrText('\u202bعام \u202a 1902\u202cوصلت\u202c'), 'عام 1902 وصلت')
    assert.equal(normalizeOcrText('\u202b(رقم \u202a.)45-67\u202c\u202c'), '(رقم 45-67).')
    assert.equal(normalizeOcrText('\u202bمن \u202a 311 1902\u202cإلى\u202c'), 'من 1902 311 إلى')
    assert.equal(normalizeOcrText('\u202bبرنامج \u202a Linux Mint\u202cفي\u202c'), 'برنامج Linux Mint في')
    assert.equal(normalizeOcrText('In 1902 came 311 ships.'), 'In 1902 came 311 ships.')
  })

  test('spaces in OCR text are removed between Chinese words and kept between Korean and Latin words', () => {
    assert.equal(normalizeOcrText('这 座 灯塔 ， 每 天'), '这座灯塔，每天')
    assert.equal(normalizeOcrText('등대는 백 년 동안, two words'), '등대는 백 년 동안, two words')
  })
})
