import type { FileBytes } from '../bytes.ts'
import { CountingStoppedError } from '../read-errors.ts'
import { decodeStream, UnreadablePdfError, undoPngPredictor } from './filters.ts'
import { type Dict, isDict, Name, Operator, PdfParser, Ref, type Value } from './objects.ts'

/** Maximum bytes that are read from a file; a file that needs more was probably crafted to be slow. */
const maxTotalReadBytes = 256 * 1024 * 1024

/** Files of up to this size are read with one call. */
const maxWholeReadBytes = 16 * 1024 * 1024

/** Letters in a cross-reference table for an object in use and for a free object. */
const [inUseMarker, freeMarker] = [110, 102]

interface ObjectLocation {
  /** Offset in the file, or index in the object stream. */
  readonly at: number
  /** Number of the object stream that contains the object, if any. */
  readonly objectStreamId?: number
}

interface PdfStream {
  readonly dict: Dict
  /** Decodes the content. @throws UnreadablePdfError, for example for images */
  content(): Promise<Buffer>
}

/** Objects of a PDF by number (ISO 32000-1, 7.5), each read on demand. */
export class PdfFile {
  readonly #bytes: FileBytes
  readonly #locations = new Map<number, ObjectLocation>()
  readonly #cached = new Map<number, Value | PdfStream>()
  readonly #objectStreams = new Map<number, { values: Buffer; offsets: readonly number[] }>()
  #root: Value | undefined
  #isEncrypted = false
  #bytesRead = 0

  private constructor(bytes: FileBytes) {
    this.#bytes = bytes
  }

  /** Reads the cross-reference tables. @throws UnreadablePdfError, RangeError */
  static async open(bytes: FileBytes): Promise<PdfFile> {
    const file = new PdfFile(bytes)
    // Reads a small file with one call, because its objects are scattered.
    if (bytes.size <= maxWholeReadBytes) await bytes.readWhole()
    const tail = await file.#readAt(Math.max(0, bytes.size - 2048), 2048)
    const start = /startxref\s+(\d+)/.exec(
      tail.toString('latin1', Math.max(0, tail.lastIndexOf('startxref'))),
    )?.[1]
    if (start === undefined) throw new UnreadablePdfError('startxref is missing')
    await file.#readTables(Number(start))
    if (file.#isEncrypted) throw new UnreadablePdfError('it is encrypted')
    return file
  }

  async catalog(): Promise<Dict> {
    return this.dict(this.#root)
  }

  /** Returns a dictionary, or that of a stream; an empty dictionary if the value is something else. */
  async dict(value: Value | undefined): Promise<Dict> {
    const foundValue = await this.get(value)
    if (foundValue !== undefined && isStream(foundValue)) return foundValue.dict
    return isDict(foundValue) ? foundValue : new Map()
  }

  /** Returns an array; a single stream counts as an array with one element. */
  async array(value: Value | undefined): Promise<readonly Value[]> {
    const foundValue = await this.get(value)
    if (Array.isArray(foundValue)) return foundValue
    return foundValue !== undefined && isStream(foundValue) && value !== undefined ? [value] : []
  }

  async stream(value: Value | undefined): Promise<PdfStream | undefined> {
    const foundValue = await this.get(value)
    return foundValue !== undefined && isStream(foundValue) ? foundValue : undefined
  }

  async get(value: Value | undefined): Promise<Value | PdfStream | undefined> {
    if (!(value instanceof Ref)) return value
    const knownObject = this.#cached.get(value.id)
    if (knownObject !== undefined) return knownObject
    const location = this.#locations.get(value.id)
    if (!location) return undefined
    const foundObject =
      location.objectStreamId === undefined
        ? await this.#readObjectAt(location.at)
        : await this.#readObjectInStream(location)
    if (foundObject !== undefined) this.#cached.set(value.id, foundObject)
    return foundObject
  }

  /** Counts bytes that were read or decompressed. @throws CountingStoppedError if there are too many */
  countBytes(bytes: number): void {
    this.#bytesRead += bytes
    if (this.#bytesRead > maxTotalReadBytes)
      throw new CountingStoppedError('it needs too much data to be read')
  }

  #readAt(position: number, length: number): Promise<Buffer> {
    this.countBytes(Math.min(length, this.#bytes.size))
    return this.#bytes.at(position, length)
  }

  async #readTables(start: number): Promise<void> {
    const seenOffsets = new Set<number>()
    const queue = [start]
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      if (seenOffsets.has(at) || seenOffsets.size > 500) continue
      seenOffsets.add(at)
      const head = await this.#readAt(at, 8)
      const isTable = /^\s*xref/.test(head.toString('latin1'))
      const trailer = isTable ? await this.#readTable(at) : await this.#readCrossReferenceStream(at)
      this.#root ??= trailer.get('Root')
      this.#isEncrypted ||= trailer.has('Encrypt')
      for (const name of ['XRefStm', 'Prev']) {
        const nextOffset = trailer.get(name)
        if (typeof nextOffset === 'number') queue.push(nextOffset)
      }
    }
  }

  /** Reads a cross-reference table (7.5.4) and returns its trailer. */
  async #readTable(start: number): Promise<Dict> {
    let length = 256 * 1024
    let bytes = await this.#readAt(start, length)
    // Reads more, because the table of a large file may be longer.
    while (bytes.lastIndexOf('trailer') < 0 && start + length < this.#bytes.size) {
      length *= 8
      bytes = await this.#readAt(start, length)
    }
    const end = bytes.indexOf('trailer')
    if (end < 0) throw new UnreadablePdfError('a table has no end')
    this.#readRows(bytes.subarray(0, end))
    const trailer = new PdfParser(bytes, end + 7).next()
    if (!isDict(trailer)) throw new UnreadablePdfError('a trailer is damaged')
    return trailer
  }

  /**
   * Reads rows of two numbers and a letter; two numbers alone start a subsection. There may be a hundred thousand rows,
   * and some writers use the wrong number of spaces.
   */
  #readRows(table: Buffer): void {
    let [id, firstOffset, numberCount, value] = [0, 0, 0, -1]
    for (let at = 0; at < table.length; at++) {
      const byte = table[at] ?? 0
      const digit = byte - 48
      if (digit >= 0 && digit <= 9) {
        value = Math.max(0, value) * 10 + digit
        continue
      }
      if (value >= 0) {
        if (numberCount === 2) [id, numberCount] = [firstOffset, 0]
        if (numberCount === 0) firstOffset = value
        numberCount++
        value = -1
      }
      if (numberCount === 2 && (byte === inUseMarker || byte === freeMarker)) {
        if (byte === inUseMarker) this.#addLocation(id, { at: firstOffset })
        id++
        numberCount = 0
      }
    }
  }

  /** Reads a cross-reference stream (7.5.8) and returns its dictionary. */
  async #readCrossReferenceStream(start: number): Promise<Dict> {
    const foundObject = await this.#readObjectAt(start)
    if (foundObject === undefined || !isStream(foundObject))
      throw new UnreadablePdfError('a table is missing')
    const { dict } = foundObject
    const data = await foundObject.content()
    const widths = toNumbers(dict.get('W'))
    const [typeBytes = 0, locationBytes = 0, lastBytes = 0] = widths
    const size = dict.get('Size')
    const index = dict.has('Index') ? toNumbers(dict.get('Index')) : [0, Number(size)]
    let at = 0
    const field = (length: number) => {
      const value = length === 0 ? 0 : data.readUIntBE(at, Math.min(6, length))
      at += length
      return value
    }
    for (let pairStart = 0; pairStart + 1 < index.length; pairStart += 2) {
      const [firstNumber = 0, count = 0] = [index[pairStart], index[pairStart + 1]]
      for (let id = firstNumber; id < firstNumber + count && at < data.length; id++) {
        const type = typeBytes === 0 ? 1 : field(typeBytes)
        const [location, lastField] = [field(locationBytes), field(lastBytes)]
        if (type === 1) this.#addLocation(id, { at: location })
        if (type === 2) this.#addLocation(id, { at: lastField, objectStreamId: location })
      }
    }
    return dict
  }

  /** Ignores objects that are already known: the newest of several tables is read first. */
  #addLocation(id: number, location: ObjectLocation): void {
    if (!this.#locations.has(id)) this.#locations.set(id, location)
  }

  async #readObjectAt(at: number): Promise<Value | PdfStream | undefined> {
    for (let length = 4096; ; length *= 16) {
      const bytes = await this.#readAt(at, length)
      const isWholeFile = at + bytes.length >= this.#bytes.size
      const values = new PdfParser(bytes)
      // Skips object number, generation and `obj`.
      values.next()
      values.next()
      values.next()
      const value = values.next()
      const following = values.next()
      if (following === undefined && !isWholeFile) continue
      if (!(following instanceof Operator) || following.word !== 'stream' || !isDict(value)) return value
      const start = at + values.skipLineEnd()
      return { dict: value, content: () => this.#readStream(value, start) }
    }
  }

  async #readStream(dict: Dict, start: number): Promise<Buffer> {
    const length = await this.get(dict.get('Length'))
    if (typeof length !== 'number') throw new UnreadablePdfError('a stream has no length')
    let data = await this.#readAt(start, length)
    for (const filter of toNames(await this.get(dict.get('Filter')))) {
      data = decodeStream(data, filter)
      this.countBytes(data.length)
    }
    return undoPngPredictor(data, await this.dict(dict.get('DecodeParms')))
  }

  /** Reads an object that is stored in an object stream (7.5.7). */
  async #readObjectInStream({ at, objectStreamId = 0 }: ObjectLocation): Promise<Value | undefined> {
    let objects = this.#objectStreams.get(objectStreamId)
    if (!objects) {
      const stream = await this.stream(new Ref(objectStreamId))
      if (!stream) return undefined
      const values = await stream.content()
      const firstOffset = Number(stream.dict.get('First'))
      const header = new PdfParser(values.subarray(0, firstOffset))
      const offsets: number[] = []
      for (let count = Number(stream.dict.get('N')); count > 0; count--) {
        header.next()
        offsets.push(firstOffset + Number(header.next()))
      }
      objects = { values, offsets }
      this.#objectStreams.set(objectStreamId, objects)
    }
    const offset = objects.offsets[at]
    return offset === undefined ? undefined : new PdfParser(objects.values, offset).next()
  }
}

const isStream = (value: Value | PdfStream): value is PdfStream =>
  typeof value === 'object' && value !== null && 'content' in value

const toNumbers = (value: Value | undefined): number[] => (Array.isArray(value) ? value.map(Number) : [])

const toNames = (value: Value | PdfStream | undefined): string[] => {
  const allNames = Array.isArray(value) ? value : [value]
  return allNames.flatMap((element: unknown) => (element instanceof Name ? [element.name] : []))
}
