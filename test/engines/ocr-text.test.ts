import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asWritten } from '../../lib/engines/pdf/ocr/normalize-text.ts'

describe('recognized text as pdftotext gives it', () => {
  test('loses its marks, and is in the order in which it is read', () => {
    assert.equal(asWritten('\u202bعام \u202a 1902\u202cوصلت\u202c'), 'عام 1902 وصلت')
    assert.equal(asWritten('\u202b(رقم \u202a.)45-67\u202c\u202c'), '(رقم 45-67).')
    assert.equal(asWritten('\u202bمن \u202a 311 1902\u202cإلى\u202c'), 'من 1902 311 إلى')
    assert.equal(asWritten('\u202bبرنامج \u202a Linux Mint\u202cفي\u202c'), 'برنامج Linux Mint في')
    assert.equal(asWritten('In 1902 came 311 ships.'), 'In 1902 came 311 ships.')
  })

  test('keeps the spaces between Korean and Latin words', () => {
    assert.equal(asWritten('这 座 灯塔 ， 每 天'), '这座灯塔，每天')
    assert.equal(asWritten('등대는 백 년 동안, two words'), '등대는 백 년 동안, two words')
  })
})
