/**
 * A part of the code with a minimum mutation score, and the tests that can detect faults in it, fastest first. Tests
 * that import a file are found automatically (find-tests.ts); these lists add the tests that use it through a running
 * service.
 */
export type Area = {
  name: string
  files: readonly string[]
  tests: readonly string[]
  /** These tests suffice: only the closest of the tests that import a file is added. */
  isWhole?: boolean
}

const tests = (folder: string, names: string) =>
  names.split(' ').map((name) => `test/${folder}/${name}.test.ts`)

export const areas: readonly Area[] = [
  {
    name: 'access',
    isWhole: true,
    // The adapter for better-auth is tested with the suite of that library.
    files: [
      'lib/access/*.ts',
      'lib/access/oauth/*.ts',
      'lib/access/job-access.ts',
      'lib/http/upload-ids.ts',
      'lib/crypto/sealed.ts',
    ],
    tests: [
      'test/crypto/sealed.test.ts',
      ...tests('access', 'same-origin rate-limit-windows api-key-fields account-events authorization'),
      ...tests('http', 'owner wait requests api-keys rate-limits'),
      ...tests('access', 'records oauth accounts delete-account'),
      ...tests('functions', 'uploads list-jobs convert'),
    ],
  },
  {
    name: 'jobs',
    isWhole: true,
    files: ['lib/jobs/**/*.ts'],
    tests: [
      ...tests(
        'jobs',
        'job-state-machine view task-graph delete-job lease lease-ends next-image events store job-lifecycle jobs task-completion chunk-completion completion-order job-usage store-files writes zip-manifest pack-results run-transfer presign-work find-task-files prepare-task job list claimed-task run-message run-task convert-task chunks concurrency-slots run-inputs scenario-records command-log',
      ),
      'test/events.test.ts',
      'test/aws/signed-files.test.ts',
      ...tests('jobs', 'regressions fallback-crash-points cancel-and-delete'),
      ...tests('functions', 'convert pipeline'),
      ...tests('jobs', 'chunked-tasks stragglers crash-points'),
      'test/http/rate-limits.test.ts',
    ],
  },
  {
    name: 'http',
    isWhole: true,
    files: ['lib/http/*.ts'],
    tests: [
      ...tests(
        'http',
        'render body multipart-form requests replies owner openapi openapi-operations option-view asyncapi accept-header wait response-cache app signed-download job-files read-body overwritten-uploads',
      ),
      ...tests('functions', 'uploads invalid-input convert core-api'),
      ...tests('http', 'idempotency'),
    ],
  },
  {
    name: 'plan',
    isWhole: true,
    files: ['lib/plan/*.ts'],
    tests: [
      ...tests('plan', 'content-level route fallback-search conversions'),
      ...tests('formats', 'registry'),
      ...tests('functions', 'core-api'),
    ],
  },
  {
    name: 'conversion',
    isWhole: true,
    files: ['lib/conversion/*.ts'],
    tests: [
      ...tests(
        'conversion',
        'conversion-spec duration-stats source receive-upload imports uploads start-job earlier-jobs refused-jobs',
      ),
      ...tests('functions', 'convert invalid-input uploads merge pipeline pdf-tools webhooks'),
    ],
  },
  {
    name: 'tasks',
    isWhole: true,
    files: ['lib/tasks/*.ts'],
    tests: [...tests('tasks', 'operation fields'), ...tests('functions', 'invalid-input merge pipeline')],
  },
  {
    name: 'routes',
    isWhole: true,
    files: ['functions/routes/*.ts', 'functions/*.ts'],
    tests: [
      'test/functions/api-snapshot.test.ts',
      'test/client/generated-types.test.ts',
      ...tests(
        'functions',
        'record-metrics account-replies format-replies retry-job uploads results convert invalid-input cancel job-replies merge pipeline core-api batch list-jobs webhooks workflows',
      ),
      ...tests('access', 'oauth accounts'),
      ...tests('http', 'api-keys multipart-edge-cases'),
      'test/usage/usage-meter.test.ts',
      'test/transfer/drives.test.ts',
    ],
  },
  {
    name: 'options',
    isWhole: true,
    files: [
      'lib/engines/**/*options.ts',
      'lib/engines/ffmpeg/{compress,trim,channel-layouts,video-filters,audio-stream,codecs,thumbnail,watermark}.ts',
      'lib/engines/pdf/{page-range,render,text}.ts',
      'lib/engines/vips/{compress,convert,compress-to-size,image,merge,image-error,encoders}.ts',
      'lib/engines/{libreoffice/page-setup,chromium/{print,paper,header-footer},calibre/{ebook,ebook-error},ghostscript/pages,imagemagick/targets}.ts',
    ],
    tests: tests(
      'engines',
      'option-limits option-tables options media-plans codec-plans video-filters audio-plans image-options media-options imagemagick-targets calibre-errors pdf-docx-sections browser-paper-size compress-to-size pdf-render video-compress image-colors merge-and-compress-images pdf',
    ),
  },
  {
    name: 'sandbox',
    isWhole: true,
    files: ['lib/engines/sandbox/*.ts', 'lib/engines/ffmpeg/demuxers.ts', 'lib/formats/archive-limits.ts'],
    tests: tests(
      'engines',
      'seccomp-filter launchers sandbox-rules isolation process-folder ffmpeg-demuxers prestarted-process escape-test sandbox preloaded-libraries 7zip-hostile',
    ),
  },
]
