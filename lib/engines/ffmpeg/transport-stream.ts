import type { RandomAccess } from '../../binary/random-access.ts'

/** Streams of an MPEG transport stream (ISO 13818-1), as its first program map lists them. */
interface TransportStreams {
  /**
   * Codec names: `ts-` followed by the stream type, or `ts-ac4`, because AC-4 has no stream type of its own (ETSI EN
   * 300 468, 6.4).
   */
  readonly codecs: readonly string[]
  readonly encryption: string | undefined
}

const syncByte = 0x47
const packetBytes = 188
/** Number of bytes that are searched for a program map, which is repeated several times per second. */
const searchedBytes = 512 * 1024
const privateDataType = 0x06
const extensionTag = 0x7f
const ac4Extension = 0x15

/** Camcorders write a timestamp of four bytes before each packet. */
const packetSpacings = [packetBytes, packetBytes + 4] as const

export async function readTransportStreams(file: RandomAccess): Promise<TransportStreams> {
  const bytes = await file.at(0, Math.min(file.size, searchedBytes))
  const packets = splitPackets(bytes)
  const associationTable = findSection(packets, 0)
  const programMapPid = associationTable && readProgramMapPid(associationTable)
  const programMap = programMapPid === undefined ? undefined : findSection(packets, programMapPid)
  const streams = programMap ? readProgramMap(programMap) : []
  const isScrambled = streams.some(({ pid }) => isMostlyScrambled(packets, pid))
  return {
    codecs: streams.map(({ codec }) => codec),
    encryption: isScrambled ? 'scrambled packets' : undefined,
  }
}

/** Whether most packets are scrambled. A single packet may be marked as scrambled because of a transmission error. */
function isMostlyScrambled(packets: readonly Buffer[], pid: number): boolean {
  const pidPackets = packets.filter((packet) => readPid(packet) === pid)
  const scrambledPackets = pidPackets.filter((packet) => (packet.readUInt8(3) & 0xc0) !== 0)
  return scrambledPackets.length > pidPackets.length / 2
}

const readPid = (packet: Buffer) => packet.readUInt16BE(1) & 0x1fff

function splitPackets(bytes: Buffer): Buffer[] {
  for (const packetSpacing of packetSpacings) {
    const first = packetSpacing - packetBytes
    const packets: Buffer[] = []
    for (let at = first; at + packetBytes <= bytes.length && bytes[at] === syncByte; at += packetSpacing)
      packets.push(bytes.subarray(at, at + packetBytes))
    if (packets.length > 1) return packets
  }
  return []
}

/** Returns the first section of a stream, but only the part that is in the packet in which the section starts. */
function findSection(packets: readonly Buffer[], pid: number): Buffer | undefined {
  const packet = packets.find(
    (candidate) => readPid(candidate) === pid && (candidate.readUInt8(1) & 0x40) !== 0,
  )
  if (!packet) return undefined
  const hasAdaptation = (packet.readUInt8(3) & 0x20) !== 0
  const payloadOffset = 4 + (hasAdaptation ? 1 + packet.readUInt8(4) : 0)
  return packet.subarray(payloadOffset + 1 + packet.readUInt8(payloadOffset))
}

function readProgramMapPid(associationTable: Buffer): number | undefined {
  const end = findSectionEnd(associationTable)
  for (let at = 8; at + 4 <= end; at += 4)
    if (associationTable.readUInt16BE(at) !== 0) return associationTable.readUInt16BE(at + 2) & 0x1fff
  return undefined
}

/** Returns the end of a section without its checksum. */
const findSectionEnd = (section: Buffer) =>
  Math.min(section.length, 3 + (section.readUInt16BE(1) & 0xfff) - 4)

function readProgramMap(programMap: Buffer): { readonly pid: number; readonly codec: string }[] {
  const streams: { pid: number; codec: string }[] = []
  const end = findSectionEnd(programMap)
  for (let at = 12 + (programMap.readUInt16BE(10) & 0xfff); at + 5 <= end; ) {
    const [type, pid] = [programMap.readUInt8(at), programMap.readUInt16BE(at + 1) & 0x1fff]
    const descriptorsEnd = at + 5 + (programMap.readUInt16BE(at + 3) & 0xfff)
    const isAc4 =
      type === privateDataType && hasAc4(programMap.subarray(at + 5, Math.min(end, descriptorsEnd)))
    streams.push({ pid, codec: isAc4 ? 'ts-ac4' : `ts-${type.toString(16).padStart(2, '0')}` })
    at = descriptorsEnd
  }
  return streams
}

function hasAc4(descriptors: Buffer): boolean {
  for (let at = 0; at + 3 <= descriptors.length; at += 2 + descriptors.readUInt8(at + 1))
    if (descriptors[at] === extensionTag && descriptors[at + 2] === ac4Extension) return true
  return false
}
