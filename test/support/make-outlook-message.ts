import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js'

/** Field values by property tag, in hexadecimal as in the names of streams ([MS-OXMSG] 2.1). */
export type OutlookFields = Readonly<Record<string, string | number | boolean | Date | Buffer>>

interface OutlookParts {
  readonly recipients?: readonly OutlookFields[]
  readonly attachments?: readonly OutlookFields[]
}

const [storageType, streamType, rootType] = [1, 2, 5]
/** Milliseconds between the epochs of Windows and Unix. */
const windowsEpochMs = 11_644_473_600_000n

/** Makes an Outlook message ([MS-OXMSG]) with these fields. */
export function makeOutlookMessage(
  fields: OutlookFields,
  { recipients = [], attachments = [] }: OutlookParts = {},
): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: rootType, length: 0, children: [] }]
  const add = (parent: number, name: string, content?: Buffer): number => {
    const type = content ? streamType : storageType
    entries[parent]?.children?.push(entries.length)
    entries.push({
      name,
      type,
      length: content?.length ?? 0,
      ...(content ? { binaryProvider: () => Uint8Array.from(content) } : { children: [] }),
    })
    return entries.length - 1
  }
  const addFields = (parent: number, header: Buffer, values: OutlookFields) => {
    const list = Object.entries(values).map(([tag, value]) => {
      const entry = Buffer.alloc(16)
      entry.writeUInt32LE(Number.parseInt(tag, 16))
      entry.writeUInt32LE(6, 4)
      const content = encodeValue(tag, value)
      if (content.isFixed) content.bytes.copy(entry, 8)
      else {
        entry.writeUInt32LE(content.bytes.length + (tag.endsWith('1F') ? 2 : 0), 8)
        add(parent, `__substg1.0_${tag}`, content.bytes)
      }
      return entry
    })
    add(parent, '__properties_version1.0', Buffer.concat([header, ...list]))
  }
  const header = Buffer.alloc(32)
  for (const [at, value] of [
    [8, recipients.length],
    [12, attachments.length],
    [16, recipients.length],
    [20, attachments.length],
  ] as const)
    header.writeUInt32LE(value, at)
  addFields(0, header, fields)
  const names = add(0, '__nameid_version1.0')
  for (const tag of ['00020102', '00030102', '00040102']) add(names, `__substg1.0_${tag}`, Buffer.alloc(0))
  const addAll = (prefix: string, lists: readonly OutlookFields[]) => {
    for (const [index, values] of lists.entries())
      addFields(add(0, `${prefix}_#${String(index).padStart(8, '0')}`), Buffer.alloc(8), values)
  }
  addAll('__recip_version1.0', recipients)
  addAll('__attach_version1.0', attachments)
  return Buffer.from(burn(entries))
}

function encodeValue(tag: string, value: OutlookFields[string]): { bytes: Buffer; isFixed: boolean } {
  if (Buffer.isBuffer(value)) return { bytes: value, isFixed: false }
  if (typeof value === 'string')
    return { bytes: Buffer.from(value, tag.endsWith('001F') ? 'utf16le' : 'latin1'), isFixed: false }
  const bytes = Buffer.alloc(8)
  if (value instanceof Date) bytes.writeBigUInt64LE((BigInt(value.getTime()) + windowsEpochMs) * 10_000n)
  else bytes.writeUInt32LE(Number(value))
  return { bytes, isFixed: true }
}

/** Returns RTF as Outlook stores it, in its uncompressed form ([MS-OXRTFCP] 2.1.3.1). */
export function storeRtf(rtf: string): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt32LE(rtf.length + 12)
  header.writeUInt32LE(rtf.length, 4)
  header.write('MELA', 8)
  return Buffer.concat([header, Buffer.from(rtf, 'latin1')])
}
