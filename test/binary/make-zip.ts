import { crc32, deflateRawSync } from 'node:zlib'

/** A file in a ZIP, whose headers may be wrong. */
export interface ZipEntrySpec {
  readonly name: string
  readonly content?: Buffer
  /** Compression method; 8 is Deflate. */
  readonly method?: number
  readonly flags?: number
  /** Checksum in both headers. */
  readonly crc?: number
  readonly uncompressedSize?: number
  /** Compressed size in the directory only. */
  readonly compressedSize?: number
  /** Index of another entry whose data this entry shares. */
  readonly sharesDataWith?: number
}

/**
 * Makes a ZIP (PKWARE's APPNOTE 6.3.10) with hostile headers.
 * @param count number of entries that the end record declares
 */
export function makeZip(entries: readonly ZipEntrySpec[], count = entries.length): Buffer {
  const parts: Buffer[] = []
  const records: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const entry of entries) {
    const { content = Buffer.alloc(0), method = 8, sharesDataWith } = entry
    const data = method === 8 ? deflateRawSync(content) : content
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(entry.flags ?? 0, 2)
    header.writeUInt16LE(method, 4)
    header.writeUInt32LE(entry.crc ?? crc32(content), 10)
    header.writeUInt32LE(data.length, 14)
    header.writeUInt32LE(entry.uncompressedSize ?? content.length, 18)
    const name = Buffer.from(entry.name)
    header.writeUInt16LE(name.length, 22)
    offsets.push(sharesDataWith === undefined ? at : (offsets[sharesDataWith] ?? 0))
    if (sharesDataWith === undefined) {
      const localEntry = Buffer.concat([Buffer.from('PK\x03\x04'), header, name, data])
      parts.push(localEntry)
      at += localEntry.length
    }
    const record = Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), header, Buffer.alloc(14), name])
    record.writeUInt32LE(entry.compressedSize ?? data.length, 20)
    record.writeUInt32LE(offsets.at(-1) ?? 0, 42)
    records.push(record)
  }
  const directory = Buffer.concat(records)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}
