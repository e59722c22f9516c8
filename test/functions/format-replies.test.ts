import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'

/** Tests the lists of formats and conversions with all their filters. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

describe('listing formats', () => {
  const ask = async (query: Record<string, string>) => {
    const { json } = await app.send('GET', '/v1/formats', { query })
    return json.data as {
      formats: { id: string; category: string; canRead: boolean; canWrite: boolean; name: string }[]
      totals: { formats: number; byCategory: Record<string, number> }
    }
  }
  const listFormatIds = async (query: Record<string, string>) =>
    (await ask(query)).formats.map(({ id }) => id)

  test('the filters of GET /v1/formats restrict the listed formats but not the totals', async () => {
    const allFormats = await ask({})
    const images = await ask({ category: 'image', canWrite: 'false' })
    const expectedFormats = allFormats.formats.filter(
      ({ category, canWrite }) => category === 'image' && !canWrite,
    )
    assert.ok(expectedFormats.length > 0)
    assert.deepEqual(images.formats, expectedFormats)
    assert.deepEqual(images.totals, allFormats.totals)
    assert.equal(allFormats.totals.formats, allFormats.formats.length)
    assert.equal(
      allFormats.totals.byCategory['image'],
      allFormats.formats.filter(({ category }) => category === 'image').length,
    )
    const readableIds = allFormats.formats.filter(({ canRead }) => canRead).map(({ id }) => id)
    assert.deepEqual(await listFormatIds({ canRead: 'true' }), readableIds)
  })

  test('GET /v1/formats/{id} rejects an unknown format, and the error truncates a long name', async () => {
    const { status, json } = await app.send('GET', `/v1/formats/${'x'.repeat(65)}`)
    assert.equal(status, 404)
    assert.equal(json.error.code, 'FORMAT_NOT_FOUND')
    assert.match(json.error.message, /^"x{64}" is not a supported format/)
  })

  test('GET /v1/formats?q= finds a format by id, name or alias, regardless of case', async () => {
    assert.ok((await listFormatIds({ q: 'JPEG' })).includes('jpg'))
    assert.ok((await listFormatIds({ q: 'portable network' })).includes('png'))
    assert.deepEqual(await listFormatIds({ q: 'no format is called so' }), [])
    assert.ok((await listFormatIds({ q: 'GFM' })).includes('md'))
    const { json } = await app.send('GET', '/v1/formats/nothing')
    assert.deepEqual([json.error.code, json.error.details.formatId], ['FORMAT_NOT_FOUND', 'nothing'])
  })

  test('GET /v1/formats?q= finds a format by a synonym or the beginning of one, but only if all words match', async () => {
    for (const [q, id] of Object.entries({
      Excel: 'xlsx',
      powerpo: 'pptx',
      'word document': 'docx',
      photo: 'heic',
      // Synonyms in other languages of the page are found as well.
      'hoja de cálculo': 'xlsx',
      ワード: 'docx',
    }))
      assert.ok((await listFormatIds({ q })).includes(id), q)
    assert.ok(!(await listFormatIds({ q: 'word presentation' })).includes('docx'))
    assert.ok(!(await listFormatIds({ q: 'ex' })).includes('csv'))
  })
})

interface Pair {
  readonly from: string
  readonly to: string
  readonly category: string
  readonly operation: string
  readonly engines: string[]
  readonly alternatives?: string[]
  readonly steps?: { engine: string; from: string; to: string }[]
  readonly via?: string[]
  readonly options?: { name: string }[]
  readonly optionSet?: number
  readonly more?: { from?: string[]; min: number; max: number }
  readonly experimental: boolean
}

describe('listing conversions', () => {
  interface Listed {
    readonly pairs: readonly Pair[]
    readonly total: number
    readonly optionSets: { name: string }[][] | undefined
    readonly pagination:
      | { limit: number; hasMore: boolean; nextCursor: string | null; prevCursor: string | null }
      | undefined
    readonly link: string | undefined
    readonly error: { code: string; details: { field: string } }
  }
  const ask = async (query: Record<string, string>): Promise<Listed> => {
    const { json, headers } = await app.send('GET', '/v1/formats/conversions', { query })
    const { conversions: pairs = [], ...rest } = json.data ?? {}
    return { ...rest, pairs, link: headers['link'], error: json.error }
  }
  let allConversions: Listed
  before(async () => {
    allConversions = await ask({})
  })

  test('every pair in the conversion list has the index of its options, and intermediate formats if there are any', () => {
    assert.equal(allConversions.total, allConversions.pairs.length)
    for (const { via, steps, options, optionSet = -1 } of allConversions.pairs) {
      assert.deepEqual([steps, options, via?.length], [undefined, undefined, via?.length || undefined])
      assert.ok(allConversions.optionSets?.[optionSet])
    }
    assert.ok(allConversions.pairs.some(({ via }) => via) && allConversions.pairs.some(({ via }) => !via))
  })

  test('the reply for a single format pair agrees with the conversion list, and adds steps and options', async () => {
    const { pairs, optionSets, total } = await ask({ from: 'jpeg', to: 'png' })
    const [pair] = pairs
    assert.deepEqual(
      [total, optionSets, pair?.from, pair?.to, pair?.category],
      [1, undefined, 'jpg', 'png', 'image'],
    )
    const listedPair = allConversions.pairs.find(({ from, to }) => from === 'jpg' && to === 'png')
    assert.deepEqual(pair?.options, allConversions.optionSets?.[listedPair?.optionSet ?? -1])
    assert.deepEqual(
      pair?.engines,
      pair?.steps?.map(({ engine }) => engine),
    )
    for (const { from, to, via, engines } of allConversions.pairs.filter(({ via }) => via).slice(0, 3)) {
      const [pair] = (await ask({ from, to })).pairs
      assert.deepEqual(
        pair?.steps?.slice(0, -1).map((step) => step.to),
        via,
      )
      assert.deepEqual(engines, [...new Set(pair?.steps?.map(({ engine }) => engine))])
    }
  })

  test('a listed format pair names the other engines that can be pinned for it', async () => {
    const [pair] = (await ask({ from: 'png', to: 'webp' })).pairs
    assert.deepEqual([pair?.engines, pair?.alternatives], [['vips'], ['imagemagick']])
    const check = async (body: object) => await app.send('POST', '/v1/convert/check', { body })
    for (const engine of pair?.alternatives ?? []) {
      const { json } = await check({ from: 'png', targetFormat: 'webp', engine })
      assert.deepEqual(json.data.engines, [engine])
    }
    const [onlyPair] = (await ask({ from: 'md', to: 'rst' })).pairs
    assert.deepEqual([onlyPair?.engines, onlyPair?.alternatives], [['pandoc'], undefined])
    // The list of all pairs has the same alternatives: every engine that can be pinned.
    const { alternatives } =
      allConversions.pairs.find(({ from, to }) => from === 'png' && to === 'webp') ?? {}
    assert.deepEqual(alternatives, pair?.alternatives)
  })

  test('conversions can be filtered by source category and by any engine of their steps', async () => {
    const expectedPairs = allConversions.pairs.filter(
      (pair) => pair.category === 'ebook' && pair.engines.includes('calibre'),
    )
    const { pairs, total } = await ask({ category: 'ebook', engine: 'calibre' })
    assert.ok(expectedPairs.length > 0 && expectedPairs.length < allConversions.total)
    assert.equal(total, expectedPairs.length)
    const listPairNames = (some: readonly Pair[]) => some.map(({ from, to }) => `${from} ${to}`)
    assert.deepEqual(listPairNames(pairs), listPairNames(expectedPairs))
  })

  test('conversions and tools are found by words for the source, the target and the operation', async () => {
    const find = async (q: string, query: Record<string, string> = {}) =>
      (await ask({ q, ...query })).pairs.map(({ operation, from, to }) => `${operation} ${from} ${to}`)
    const wordToPdf = await find('word to pdf')
    assert.ok(wordToPdf.includes('convert docx pdf') && !wordToPdf.includes('convert pdf docx'))
    assert.ok((await find('pdf word')).includes('convert docx pdf'))
    for (const [q, tool] of Object.entries({
      'combine pdf': 'merge-pdf pdf pdf',
      'shrink pdf': 'compress-pdf pdf pdf',
      'reduce photo': 'compress jpg jpg',
      'protect pdf': 'encrypt-pdf pdf pdf',
      'delete pages': 'remove-pdf-pages pdf pdf',
      'stamp pdf': 'add-watermark-pdf pdf pdf',
    }))
      assert.ok((await find(q)).includes(tool), q)
    assert.deepEqual(
      (await find('excel pdf', { operation: 'convert', from: 'xls' })).filter(
        (pair) => !/^convert xls /.test(pair),
      ),
      [],
    )
    assert.deepEqual(await find('no such words'), [])
    const [first, second] = [await ask({ q: 'pdf', limit: '1' }), await ask({ q: 'pdf', limit: '1000' })]
    assert.equal(first.pagination?.hasMore, true)
    assert.equal(second.pairs.length, Math.min(1000, second.total))
    const searchResult = await ask({ q: 'combine', limit: '1' })
    const nextPage = await ask({
      q: 'combine',
      limit: '1',
      cursor: searchResult.pagination?.nextCursor ?? '',
    })
    assert.notDeepEqual(nextPage.pairs, searchResult.pairs)
  })

  test('conversions to unusual targets are marked experimental', async () => {
    const { json } = await app.send('GET', '/v1/formats/jpg')
    for (const { to, experimental } of (await ask({ from: 'jpg' })).pairs)
      if (to !== 'jpg') assert.equal(experimental, !json.data.targets.includes(to), to)
    const merges = (await ask({ operation: 'merge' })).pairs
    assert.ok(merges.every(({ experimental }) => !experimental))
    const pdf = merges.find(({ from, to }) => from === 'pdf' && to === 'pdf')
    assert.ok(pdf?.more && pdf.more.min >= 1 && pdf.more.max >= pdf.more.min)
    assert.ok(pdf.more.from?.includes('pdf'))
    assert.ok(allConversions.pairs.every(({ more }) => more === undefined || more.max > 0))
  })

  test('listed conversions are paginated with a Link header to the next page', async () => {
    const { pairs, total } = await ask({ from: 'png' })
    const query = { from: 'png', limit: String(total - 1) }
    const firstPage = await ask(query)
    const [lastPair] = firstPage.pairs.slice(-1)
    const cursor = `png:${lastPair?.to}`
    assert.deepEqual(firstPage.pagination, {
      limit: total - 1,
      hasMore: true,
      nextCursor: cursor,
      prevCursor: null,
    })
    assert.match(
      firstPage.link ?? '',
      /^<http:\/\/localhost:8080\/v1\/formats\/conversions\?.*>; rel="next"$/,
    )
    const nextPage = await ask({ ...query, cursor })
    assert.deepEqual(nextPage.pairs, pairs.slice(-1))
    const { prevCursor = null, ...rest } = nextPage.pagination ?? {}
    assert.deepEqual(rest, { limit: total - 1, hasMore: false, nextCursor: null })
    assert.match(nextPage.link ?? '', /; rel="prev"$/)
    assert.deepEqual((await ask({ ...query, cursor: prevCursor ?? '' })).pairs, firstPage.pairs)
    const wholePage = await ask({ from: 'png', limit: String(total) })
    assert.equal(wholePage.pagination?.hasMore, false)
    assert.equal((await ask({ from: 'png', cursor })).pagination?.limit, 500)
  })

  test('listing conversions with an unknown format, an unknown cursor or an invalid limit is refused', async () => {
    for (const [query, code, field] of [
      [{ from: 'nothing' }, 'FORMAT_NOT_FOUND', 'from'],
      [{ to: 'nothing' }, 'FORMAT_NOT_FOUND', 'to'],
      [{ cursor: 'png:nothing' }, 'INVALID_INPUT', 'cursor'],
      [{ limit: '1001' }, 'INVALID_INPUT', 'limit'],
      [{ limit: '0' }, 'INVALID_INPUT', 'limit'],
    ] as const) {
      const { error } = await ask(query)
      assert.deepEqual([error.code, error.details.field], [code, field])
    }
  })
})
