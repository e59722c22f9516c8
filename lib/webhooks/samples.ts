import type { EventName } from '../../events/index.ts'

/** What a test sends: bodies as those of real events, by name. */

const jobId = 'job_01JZZZZZZZZZZZZZZZZZZZZZZZ'
const moments = {
  createdAt: '2026-01-02T03:04:05.678Z',
  queuedAt: '2026-01-02T03:04:05.678Z',
  startedAt: '2026-01-02T03:04:06.000Z',
}
const endedAt = '2026-01-02T03:04:07.500Z'
const job = {
  ...{ id: jobId, tag: null },
  source: { filename: 'photo.png', format: 'png', size: 48_213 },
  target: { format: 'webp' },
}
const url = `/v1/download/${jobId}`
const tasks = (status: string) => ({
  'import-file': { operation: 'import/upload', status: 'completed' },
  'convert-file': { operation: 'convert', status },
  'export-file': { operation: 'export/url', status: status === 'processing' ? 'pending' : status },
})
const file = { jobId, filename: 'photo.webp', size: 20_480 }

const samples: Partial<Readonly<Record<EventName | (string & {}), object>>> = {
  'job.created': { job: { ...job, status: 'pending', tasks: tasks('pending'), ...moments } },
  'job.queued': { job: { ...job, status: 'queued', tasks: tasks('pending'), ...moments } },
  'job.started': { job: { ...job, status: 'processing', tasks: tasks('processing'), ...moments } },
  'job.progress': {
    job: {
      ...{ id: jobId, status: 'processing', tag: null },
      progress: { percent: 40, stage: 'convert', taskName: 'convert-file' },
    },
  },
  'job.completed': {
    job: {
      ...{ ...job, status: 'completed', ...moments, endedAt, durationMs: 1500, engine: 'vips', warnings: [] },
      tasks: {
        ...tasks('completed'),
        'export-file': { operation: 'export/url', status: 'completed', result: { url } },
      },
      files: [{ filename: 'photo.webp', size: 20_480, mimeType: 'image/webp', url }],
    },
  },
  'job.failed': {
    job: {
      ...{ ...job, status: 'failed', tasks: tasks('failed'), ...moments, endedAt },
      error: { code: 'CORRUPT_FILE', message: 'The picture is damaged.' },
    },
  },
  'job.cancelled': {
    job: { id: jobId, status: 'cancelled', tag: null, cancelledBy: 'user', cancelledAt: endedAt },
  },
  'job.expired': {
    job: { id: jobId, status: 'expired', expiredAt: '2026-01-03T03:04:07.500Z', reason: 'retention' },
  },
  'file.downloaded': { file: { ...file, signed: true, ip: '203.0.113.0/24' } },
  'file.deleted': { file: { jobId, filename: 'photo.webp', role: 'output', reason: 'retention' } },
}

export const sampleOf = (event: string): object => samples[event] ?? {}
