// GetObject and HeadObject.
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { type Checksum, createChecksumHeaders } from './checksums.ts'
import { checkRead, type ObjectRange, readRange } from './conditions.ts'
import { S3Error } from './errors.ts'
import { createExpirationHeader } from './lifecycle.ts'
import { createObjectHeaders, overrideHeaders } from './object-metadata.ts'
import { listSegments, requireObject } from './objects.ts'
import { readPartNumber } from './paging.ts'
import type { S3Object, Segment } from './stored-object.ts'

interface Slice extends ObjectRange {
  readonly isPartial: boolean
  readonly checksum: Checksum | undefined
  readonly headers: Readonly<Record<string, string | number>>
}

export function getObject(services: S3Services, call: S3Call): S3Reply {
  const object = requireObject(services.db, call)
  const segments = listSegments(services.db, object)
  const { reply, slice } = describeRead(services, call, object, segments)
  if (!slice) return reply
  // The bytes are held before the first await, so that a delete waits for this reader.
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
    ...createObjectHeaders(object),
    ...createExpirationHeader(db, object),
    ...overrideHeaders(call.query),
  }
  if (checkRead(call.headers, object) === 'not-modified') {
    // The reply has no body, so it has no headers that describe one (RFC 9110, 15.4.5).
    const { 'content-type': _, ...rest } = headers as Record<string, string | number>
    return { reply: { status: 304, headers: rest } }
  }
  const slice = chooseSlice(call, object, segments)
  const wantsChecksum = call.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'
  const reply: S3Reply = {
    status: slice.isPartial ? 206 : 200,
    headers: {
      ...headers,
      ...slice.headers,
      ...(wantsChecksum && createChecksumHeaders(slice.checksum)),
      'content-length': slice.last - slice.first + 1,
      ...(slice.isPartial && { 'content-range': `bytes ${slice.first}-${slice.last}/${object.size}` }),
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
  // The checksum covers the whole object; a client that compared it with a range would fail.
  if (range) return { ...range, isPartial: true, checksum: undefined, headers: {} }
  return { first: 0, last: object.size - 1, isPartial: false, checksum: object.checksum, headers: {} }
}

function choosePart(wantedNumber: number, object: S3Object, segments: readonly Segment[]): Slice {
  const index = segments.findIndex(({ number }) => number === wantedNumber)
  const chosenSegment = segments[index]
  if (!chosenSegment)
    throw new S3Error('InvalidPartNumber', undefined, {
      PartNumberRequested: `${wantedNumber}`,
      ActualPartCount: `${Math.max(object.parts, 1)}`,
    })
  const firstByte = segments.slice(0, index).reduce((sum, { size }) => sum + size, 0)
  const algorithm = object.checksum?.algorithm
  return {
    first: firstByte,
    last: firstByte + chosenSegment.size - 1,
    isPartial: object.size > 0,
    checksum:
      algorithm && chosenSegment.checksum !== ''
        ? { algorithm, type: 'FULL_OBJECT', value: chosenSegment.checksum }
        : undefined,
    headers: object.parts > 0 ? { 'x-amz-mp-parts-count': object.parts } : {},
  }
}
