// Receipt handles. Each identifies one receive of a message; with it, a client deletes the message or keeps it hidden.
import { hash } from 'node:crypto'
import { SqsError } from './errors.ts'

interface Receipt {
  readonly queueId: number
  readonly seq: number
  /** Random number, which differs for each receive of the message. */
  readonly token: number
}

const version = 1
const handleBytes = 23

export function writeReceipt({ queueId, seq, token }: Receipt): string {
  const bytes = Buffer.alloc(handleBytes)
  bytes.writeUInt8(version, 0)
  bytes.writeUIntBE(queueId, 1, 6)
  bytes.writeUIntBE(seq, 7, 6)
  bytes.writeUIntBE(token, 13, 6)
  computeChecksum(bytes).copy(bytes, 19)
  return bytes.toString('base64')
}

export function readReceipt(handle: string, queueId: number): Receipt {
  const bytes = Buffer.from(handle, 'base64')
  const isOwn =
    bytes.length === handleBytes &&
    bytes.readUInt8(0) === version &&
    bytes.toString('base64') === handle &&
    computeChecksum(bytes).equals(bytes.subarray(19))
  const receipt = isOwn && {
    queueId: bytes.readUIntBE(1, 6),
    seq: bytes.readUIntBE(7, 6),
    token: bytes.readUIntBE(13, 6),
  }
  if (!receipt || receipt.queueId !== queueId)
    throw new SqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle.slice(0, 1024)}" is not a valid receipt handle.`,
    )
  return receipt
}

/** Returns a checksum that detects typos. It is no secret, because the request's signature controls access. */
function computeChecksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes.subarray(0, 19), 'buffer').subarray(0, 4)
}
