import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import type { Files } from '../../lib/aws/files.ts'
import { engines } from '../../lib/engines/index.ts'
import { getFormatViews } from '../../lib/http/openapi/format-view.ts'
import { getValueLabel } from '../../lib/http/openapi/option-value-labels.ts'
import { createOptionViews, OptionSets } from '../../lib/http/openapi/option-view.ts'
import { acceptsGzip, compression, toGzipEtag, toPlainEtag } from '../../lib/http/replies/compression.ts'
import { createFileLink, getReprDigest } from '../../lib/links/file-link.ts'
import { canShowInline } from '../../lib/links/inline-types.ts'
import { operations } from '../../lib/model/operations.ts'
import { createOptionsSchema } from '../../lib/plan/index.ts'
import { file } from '../jobs/records.ts'
import { conversions, planRoute } from '../plan/with-all-engines.ts'

const requestWith = (headers: Record<string, string>) => ({ headers })

describe('compression of replies', () => {
  const long = 'x'.repeat(64 * 1024)
  function compress(response: Record<string, unknown>, accept = 'br, gzip') {
    // Middy's request has more fields, which are not read.
    const request = { event: requestWith({ 'accept-encoding': accept }), response } as never
    void compression().after?.(request)
    return response as { body: string; isBase64Encoded?: boolean; headers?: Record<string, string> }
  }

  test('a large reply is compressed for clients that accept gzip, and its ETag ends with -gzip', () => {
    const { body, isBase64Encoded, headers } = compress({ body: long, headers: { etag: '"a"', other: 'x' } })
    assert.equal(isBase64Encoded, true)
    assert.equal(gunzipSync(Buffer.from(body, 'base64')).toString(), long)
    assert.deepEqual(headers, {
      etag: '"a-gzip"',
      other: 'x',
      vary: 'accept-encoding',
      'content-encoding': 'gzip',
    })
    assert.equal(compress({ body: long }).headers?.['etag'], undefined)
  })

  test('a large reply is not compressed for clients that do not accept gzip, but has Vary: accept-encoding', () => {
    for (const accept of ['', 'br', 'xgzipx']) {
      const { body, headers, isBase64Encoded } = compress({ body: long, headers: { etag: '"a"' } }, accept)
      assert.deepEqual([body, isBase64Encoded], [long, undefined])
      assert.deepEqual(headers, { etag: '"a"', vary: 'accept-encoding' })
    }
    assert.equal(acceptsGzip(requestWith({ 'accept-encoding': 'gzip;q=1.0, identity' })), true)
    assert.equal(acceptsGzip(requestWith({ 'accept-encoding': 'br, GZIP ; q=0.1' })), true)
    for (const refusedEncoding of ['gzip;q=0', 'br, gzip; q=0.000', 'x-gzip'])
      assert.equal(acceptsGzip(requestWith({ 'accept-encoding': refusedEncoding })), false, refusedEncoding)
  })

  test('a short or binary reply is not compressed', () => {
    assert.deepEqual(compress({ body: long.slice(1) }), { body: long.slice(1) })
    assert.deepEqual(compress({ body: long, isBase64Encoded: true }), { body: long, isBase64Encoded: true })
    assert.deepEqual(compress({}), {})
  })

  test('the ETag of a compressed reply is converted to that of the plain reply, and back', () => {
    assert.equal(toGzipEtag('"a"'), '"a-gzip"')
    assert.equal(toPlainEtag('"a-gzip"'), '"a"')
    assert.equal(toPlainEtag('"a"'), '"a"')
  })
})

describe('presigned file links', () => {
  const signedLinks: Record<string, unknown>[] = []
  const files = {
    downloadUrl: async (urlOptions: Record<string, unknown>) => {
      signedLinks.push(urlOptions)
      return 'https://a.test/'
    },
  } as unknown as Files // a stub with only the method that is called
  const link = async (moreFields: object, linkOptions?: Parameters<typeof createFileLink>[2]) => {
    await createFileLink(
      { ...file('ü.png', 'k'), sha256: 'ff'.repeat(32), ...moreFields },
      { files },
      linkOptions,
    )
    return signedLinks.at(-1)
  }

  test('a presigned file link contains the name, type and digest of the file, and the lifetime of the link', async () => {
    const { disposition, ...rest } = (await link({})) ?? {}
    assert.match(String(disposition), /^attachment; filename="[^"]*\.png"; filename\*=utf-8''%C3%BC\.png$/i)
    const digest = `sha-256=:${Buffer.alloc(32, 255).toString('base64')}:`
    assert.deepEqual(rest, { key: 'k', contentType: 'image/png', digest, expiresS: 3600, method: 'GET' })
    assert.equal((await link({}, { method: 'HEAD' }))?.['method'], 'HEAD')
    assert.equal(getReprDigest({ sha256: '' }), undefined)
  })

  test('only files of types that cannot run scripts are shown inline', async () => {
    const getDisposition = async (mimeType: string) =>
      String((await link({ mimeType }, { inline: true }))?.['disposition'])
    for (const type of [
      'image/png',
      'image/jpeg',
      'video/mp4',
      'audio/mpeg',
      'audio/x-flac',
      'text/plain',
      'application/json',
    ])
      assert.match(await getDisposition(type), /^inline/, type)
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'application/pdf',
      '',
    ])
      assert.match(await getDisposition(type), /^attachment/, type)
    assert.equal(canShowInline('Image/PNG ; charset=x'), true)
  })
})

describe('views of options and formats in replies', () => {
  test('option views contain the types, limits, defaults and values of the option schemas', () => {
    const schema = z.object({
      quality: z
        .union([z.enum(['low', 'high']), z.int().min(1).max(100)])
        .default('high')
        .describe('How good'),
      dpi: z.coerce.number().min(10.5).optional().describe('Dots'),
      name: z.string().regex(/^a+$/).optional().describe('A name').meta({ deprecated: true }),
      gray: z.boolean().default(false).describe('No colors'),
      many: z.int().optional().describe('Unbounded'),
    })
    assert.deepEqual(createOptionViews(schema), [
      {
        name: 'quality',
        label: 'Quality',
        group: 'basics',
        widget: 'slider',
        type: 'enum',
        description: 'How good',
        default: 'high',
        enum: ['low', 'high'],
        enumLabels: { low: 'Low', high: 'High' },
        number: { type: 'integer', min: 1, max: 100 },
        min: 1,
        max: 100,
      },
      {
        name: 'dpi',
        label: 'Resolution',
        group: 'basics',
        widget: 'number',
        unit: 'dpi',
        type: 'number',
        description: 'Dots',
        min: 10.5,
      },
      {
        name: 'name',
        label: 'name',
        group: 'more',
        widget: 'text',
        type: 'string',
        description: 'A name',
        pattern: '^a+$',
        deprecated: true,
      },
      {
        name: 'gray',
        label: 'gray',
        group: 'more',
        widget: 'switch',
        type: 'boolean',
        description: 'No colors',
        default: false,
      },
      {
        name: 'many',
        label: 'many',
        group: 'more',
        widget: 'number',
        type: 'integer',
        description: 'Unbounded',
      },
    ])
  })

  const listAllViews = () =>
    new Set(
      operations.flatMap((operation) =>
        conversions(engines, operation).flatMap(({ route }) => createOptionViews(createOptionsSchema(route))),
      ),
    )

  test('option values are labeled with the value itself, the capitalized value or a known name', () => {
    const labels = [...listAllViews()].flatMap(({ enumLabels = {} }) => Object.entries(enumLabels))
    const listValues = (matchesValue: (value: string, label: string) => boolean) =>
      [...new Set(labels.filter(([value, label]) => matchesValue(value, label)).map(([value]) => value))]
        .sort()
        .join(' ')
    assert.equal(
      listValues((value, label) => value === label),
      '1080p 1440p 240p 360p 480p 4k 720p A3 A4 A5 Legal Letter Page {page} {page} {page} of {pages}',
    )
    assert.equal(
      listValues(
        (value, label) => value !== label && label === value.charAt(0).toUpperCase() + value.slice(1),
      ),
      'black blue bottom center color comma default diagonal fast faster galaxy gray green grid high highest keep kindle kobo left low medium mobipocket none nook opus orange pipe purple red right semicolon slow slower speex tab tablet theora top vorbis white xvid yellow',
    )
    for (const [option, value, label] of [
      ...[
        ['metadata', 'keep', 'Keep'],
        ['outline', 'keep', 'Keep and join'],
      ],
      ...[
        ['outline', 'none', 'None'],
        ['hinting', 'none', 'Remove'],
      ],
      ...[
        ['mode', 'fast', 'Fast, without text recognition'],
        ['preset', 'fast', 'Fast'],
      ],
      ...[
        ['fit', 'max', 'Fit inside, never enlarge'],
        ['profile', 'max', 'Smallest file'],
      ],
    ] as [string, string, string][])
      assert.equal(getValueLabel(option, value), label)
  })

  test('every option of every format pair has a readable label and value labels', () => {
    const badLabelPattern = /_|:|[a-z][A-Z]/
    // Names with unusual capitalization.
    const properNamePattern =
      /^(?:PCM, 8 kHz|i[A-Z][a-z]|aptX|WavPack|PocketBook|PDF\/A|ProRes|RealVideo|TrueHD|JetBook|sRGB|iRex DR)/
    const views = listAllViews()
    assert.ok(views.size > 200)
    for (const { name, label, enum: words = [], suggestions = [], enumLabels = {} } of views) {
      assert.ok(/^[A-Z]/.test(label) && !badLabelPattern.test(label), `${name} has the label ${label}`)
      for (const word of [...words, ...suggestions]) {
        const enumLabel = enumLabels[word] ?? ''
        assert.ok(
          enumLabel && (!badLabelPattern.test(enumLabel) || properNamePattern.test(enumLabel)),
          `${name}: ${word} has the label ${enumLabel}`,
        )
      }
    }
  })

  test('format pairs with the same options share an option set', () => {
    const sets = new OptionSets()
    const pairs = conversions(engines, 'convert')
    const setIndexes = pairs.map(({ route }) => sets.getIndex(route))
    const optionSets = sets.all()
    for (const [at, { from, to, route }] of pairs.entries()) {
      const expectedViews = createOptionViews(createOptionsSchema(route))
      const sharedSet = optionSets[setIndexes[at] ?? -1] ?? []
      const isSame =
        sharedSet.length === expectedViews.length &&
        expectedViews.every((expectedView, index) => expectedView === sharedSet[index])
      assert.ok(isSame || JSON.stringify(sharedSet) === JSON.stringify(expectedViews), `${from} to ${to}`)
    }
    assert.equal(new Set(optionSets.map((set) => JSON.stringify(set))).size, optionSets.length)
    assert.equal(new Set(setIndexes).size, optionSets.length)
    assert.ok(optionSets.length < pairs.length / 10, `${optionSets.length} lists of ${pairs.length} pairs`)
  })

  test('the pattern of a color option matches the colors that the option accepts, and no other texts', () => {
    const colors = [
      ['convert', 'png', 'jpg', 'background'],
      ['add-watermark-pdf', 'pdf', 'pdf', 'watermarkColor'],
    ] as const
    for (const [operation, from, to, name] of colors) {
      const schema = createOptionsSchema(planRoute({ operation, from, to, engines })).shape[name] as z.ZodType
      const [view] = createOptionViews(z.object({ [name]: schema }))
      for (const color of ['#ff8800', '#FF8800', 'FF8800', 'white', '#zzzzzz', 'url(x)'])
        assert.equal(
          new RegExp(view?.pattern ?? '').test(color) || view?.enum?.includes(color) === true,
          schema.safeParse(color).success,
          `${name} ${color}`,
        )
    }
  })

  test('a format view contains the targets of the format, and whether the format can be read and written', () => {
    const views = getFormatViews(engines)
    const findView = (id: string) => views.find((view) => view.id === id)
    const jpg = findView('jpg')
    assert.deepEqual([jpg?.category, jpg?.canRead, jpg?.canWrite, jpg?.lossy], ['image', true, true, true])
    assert.ok(jpg?.extensions.includes('jpeg') || jpg?.aliases.includes('jpeg'))
    assert.ok(jpg?.mimeTypes.includes('image/jpeg'))
    assert.ok(jpg?.targets.includes('png'))
    assert.deepEqual(
      [findView('png')?.lossy, findView('tiff')?.multiPage, findView('gif')?.animated],
      [false, true, true],
    )
    assert.deepEqual([findView('png')?.multiPage, findView('jpg')?.animated], [false, false])
    assert.equal(
      views.some(({ canRead, canWrite }) => !canRead && !canWrite),
      false,
    )
    assert.ok(views.some(({ canRead, canWrite }) => canRead && !canWrite))
    assert.equal(getFormatViews(engines), views)
  })
})
