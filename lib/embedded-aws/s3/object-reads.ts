// GetObject, HeadObject and GetObjectAttributes.
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { type Checksum, checksumElement, checksumHeaders } from './checksums.ts'
import { checkRead, type ObjectRange, readRange } from './conditions.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { expirationHeader } from './lifecycle.ts'
import { objectHeaders, overrideHeaders } from './object-metadata.ts'
import { listSegments, requireObject } from './objects.ts'
import { readCount, readPartNumber } from './paging.ts'
import type { S3Object, Segment } from './stored-object.ts'
import { toXml } from './xml.ts'

interface Slice extends ObjectRange {
  readonly partial: boolean
  readonly checksum: Checksum | undefined
  readonly headers: Readonly<Record<string, string | number>>
}

export function getObject(services: S3Services, call: S3Call): S3Reply {
  const object = requireObject(services.db, call)
  const segments = listSegments(services.db, object)
  const { reply, slice } = describeRead(services, call, object, segments)
  if (!slice) return reply
  // Held before the first await: from here on a delete waits for this reader.
  const release = services.blobs.hold(segments)
  return { ...reply, body: services.blobs.read(segments, slice.first, slice.last), done: release }
}

export function headObject(services: S3Services, call: S3Call): S3Reply {
  const object = requireObject(services.db, call)
  const segments = call.query.has('partNumber') ? listSegments(services.db, object) : []
  return describeRead(services, call, object, segments).reply
}

function describeRead({ db }: S3Services, call: S3Call, object: S3Object, segments: readonly Segment[]) {
  const headers = {
    ...objectHeaders(object),
    ...expirationHeader(db, object),
    ...overrideHeaders(call.query),
  }
  if (checkRead(call.headers, object) === 'not-modified') {
    // RFC 9110 15.4.5: no headers that describe a missing body.
    const { 'content-type': _, ...rest } = headers as Record<string, string | number>
    return { reply: { status: 304, headers: rest } }
  }
  const slice = chooseSlice(call, object, segments)
  const withChecksum = call.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'
  const reply: S3Reply = {
    status: slice.partial ? 206 : 200,
    headers: {
      ...headers,
      ...slice.headers,
      ...(withChecksum && checksumHeaders(slice.checksum)),
      'content-length': slice.last - slice.first + 1,
      ...(slice.partial && { 'content-range': `bytes ${slice.first}-${slice.last}/${object.size}` }),
    },
  }
  return { reply, slice }
}

function chooseSlice(call: S3Call, object: S3Object, segments: readonly Segment[]): Slice {
  if (call.query.has('partNumber')) {
    if (call.headers.has('range'))
      throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
    return choosePart(readPartNumber(call), object, segments)
  }
  const range = readRange(call.headers, object)
  // The checksum is of the whole object; a client that compares it with a range would fail.
  if (range) return { ...range, partial: true, checksum: undefined, headers: {} }
  return { first: 0, last: object.size - 1, partial: false, checksum: object.checksum, headers: {} }
}

function choosePart(wanted: number, object: S3Object, segments: readonly Segment[]): Slice {
  const index = segments.findIndex(({ number }) => number === wanted)
  const part = segments[index]
  if (!part)
    throw new S3Error('InvalidPartNumber', undefined, {
      PartNumberRequested: `${wanted}`,
      ActualPartCount: `${Math.max(object.parts, 1)}`,
    })
  const first = segments.slice(0, index).reduce((sum, { size }) => sum + size, 0)
  const algorithm = object.checksum?.algorithm
  return {
    first,
    last: first + part.size - 1,
    partial: object.size > 0,
    checksum:
      algorithm && part.checksum !== ''
        ? { algorithm, type: 'FULL_OBJECT', value: part.checksum }
        : undefined,
    headers: object.parts > 0 ? { 'x-amz-mp-parts-count': object.parts } : {},
  }
}

const knownAttributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']

export function getObjectAttributes({ db }: S3Services, call: S3Call): S3Reply {
  const text = call.headers.get('x-amz-object-attributes') ?? ''
  const wanted = new Set(text.split(',').map((name) => name.trim()))
  if ([...wanted].some((name) => !knownAttributes.includes(name)))
    throw invalidArgument('Invalid attribute name specified.', 'x-amz-object-attributes', text)
  const object = requireObject(db, call)
  if (checkRead(call.headers, object) === 'not-modified') return { status: 304 }
  const { checksum } = object
  const xml = toXml('GetObjectAttributesResponse', {
    ETag: wanted.has('ETag') ? object.etag : undefined,
    Checksum:
      wanted.has('Checksum') && checksum
        ? {
            [checksumElement(checksum.algorithm)]: checksum.value.replace(/-\d+$/, ''),
            ChecksumType: checksum.type,
          }
        : undefined,
    ObjectParts:
      wanted.has('ObjectParts') && object.parts > 0
        ? listParts(call, object, listSegments(db, object))
        : undefined,
    StorageClass: wanted.has('StorageClass') ? 'STANDARD' : undefined,
    ObjectSize: wanted.has('ObjectSize') ? object.size : undefined,
  })
  return { xml, headers: { 'last-modified': new Date(object.modified).toUTCString() } }
}

function listParts({ headers }: S3Call, object: S3Object, segments: readonly Segment[]) {
  const most = readCount('x-amz-max-parts', headers.get('x-amz-max-parts'), 1000)
  const marker = readCount(
    'x-amz-part-number-marker',
    headers.get('x-amz-part-number-marker'),
    0,
    Number.MAX_SAFE_INTEGER,
  )
  const algorithm = object.checksum?.algorithm
  const rest = segments.filter(({ number }) => number > marker)
  const page = rest.slice(0, most)
  return {
    PartsCount: object.parts,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? marker,
    MaxParts: most,
    IsTruncated: rest.length > page.length,
    Part: page.map(({ number, size, checksum }) => ({
      PartNumber: number,
      Size: size,
      ...(algorithm && checksum !== '' && { [checksumElement(algorithm)]: checksum }),
    })),
  }
}
