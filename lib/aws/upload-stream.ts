import type { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'

interface UploadOptions {
  readonly partBytes: number
  /** Maximum number of parts in memory. */
  readonly maxConcurrentParts: number
  readonly signal?: AbortSignal
  /** Called with the number of bytes sent since the last call. */
  readonly onSent?: (bytes: number) => void
}

type Target = Omit<PutObjectCommandInput, 'Body'> & { readonly Body: Readable }

/** Commands that send bytes or create the object; the signal aborts them. */
const abortableCommands = [PutObjectCommand, UploadPartCommand, CompleteMultipartUploadCommand]

/**
 * Stores a stream of any length in the service's bucket or a user's. If the upload fails or the signal fires, nothing
 * is left in the bucket. The SDK's own `abort` returns immediately and leaves parts that are in flight, for which the
 * owner of the bucket pays; so the signal aborts the requests themselves, and the SDK cleans up as after any failure.
 */
export async function uploadStream(
  client: S3Client,
  params: Target,
  { partBytes, maxConcurrentParts, signal, onSent = () => {} }: UploadOptions,
): Promise<void> {
  const abortableClient = {
    config: client.config,
    send: (command: Parameters<S3Client['send']>[0]) =>
      abortableCommands.some((kind) => command instanceof kind) && signal
        ? client.send(command, { abortSignal: signal })
        : client.send(command),
  }
  const upload = new Upload({
    client: abortableClient as unknown as S3Client, // the only members that the upload uses
    queueSize: maxConcurrentParts,
    partSize: partBytes,
    params,
  })
  let reportedBytes = 0
  upload.on('httpUploadProgress', ({ loaded = 0 }) => {
    onSent(Math.max(0, loaded - reportedBytes))
    reportedBytes = Math.max(reportedBytes, loaded)
  })
  const { Body } = params
  const onAbort = () => void Body.destroy(signal?.reason instanceof Error ? signal.reason : undefined)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    signal?.throwIfAborted()
    await upload.done()
  } finally {
    signal?.removeEventListener('abort', onAbort)
    Body.destroy()
  }
}
