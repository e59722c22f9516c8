/**
 * What is held to a share of faults noticed, and the tests that can notice them, the quickest first. Tests that import a
 * file are found by themselves (find-tests.ts); here stand those that reach it through a running service.
 */
export type Area = {
  name: string
  files: readonly string[]
  tests: readonly string[]
  /** These tests are enough: few are added for what they import. */
  isWhole?: boolean
}

const tests = (folder: string, names: string) =>
  names.split(' ').map((name) => `test/${folder}/${name}.test.ts`)

export const areas: readonly Area[] = [
  {
    name: 'access',
    isWhole: true,
    // The adapter of better-auth is held by the suite of that library.
    files: [
      'lib/access/*.ts',
      'lib/access/oauth/*.ts',
      'lib/http/job-access.ts',
      'lib/http/upload-ids.ts',
      'lib/sealed.ts',
    ],
    tests: [
      'test/sealed.test.ts',
      ...tests('access', 'same-origin rate-limit-windows key-fields account-events who-may'),
      ...tests('http', 'owner wait requests api-keys limits'),
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
        'machine view task-graph delete-job lease lease-ends next-image events store job-lifecycle jobs task-completion chunk-completion settle-in-turn job-usage store-files writes zip-manifest pack-results run-transfer sign-work task-files prepare-task job list claimed run-message run-task convert-task parts-of slots run-pieces told command-log',
      ),
      'test/events.test.ts',
      'test/aws/signed-files.test.ts',
      ...tests('jobs', 'regressions ways cancel-and-delete'),
      ...tests('functions', 'convert pipeline'),
      ...tests('jobs', 'parts stragglers stops'),
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
        'render body form requests answers owner openapi described-operations option-view asyncapi accept-header wait response-cache app signed-download job-files read-body overwritten-uploads',
      ),
      ...tests('functions', 'uploads wrong-input convert core-api'),
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
        'wishes duration-stats source receive-upload imports uploads start-job earlier-jobs refused-jobs',
      ),
      ...tests('functions', 'convert wrong-input uploads merge pipeline pdf-tools webhooks'),
    ],
  },
  {
    name: 'tasks',
    isWhole: true,
    files: ['lib/tasks/*.ts'],
    tests: [...tests('tasks', 'operation fields'), ...tests('functions', 'wrong-input merge pipeline')],
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
        'record-metrics account-answers format-answers retry-job uploads results convert wrong-input cancel job-answers merge pipeline core-api batch list-jobs webhooks workflows',
      ),
      ...tests('access', 'oauth accounts'),
      ...tests('http', 'api-keys hostile-parts'),
      'test/usage/usage-meter.test.ts',
      'test/transfer/drives.test.ts',
    ],
  },
  {
    name: 'options',
    isWhole: true,
    files: [
      'lib/engines/**/*options.ts',
      'lib/engines/ffmpeg/{compress,trim,layouts,size,audio,codecs,thumbnail,watermark}.ts',
      'lib/engines/pdf/{page-range,render,text}.ts',
      'lib/engines/vips/{compress,convert,compress-to-size,image,merge,image-error,writers}.ts',
      'lib/engines/{libreoffice/page,chromium/{print,paper,running-text},calibre/{ebook,ebook-error},ghostscript/pages,imagemagick/targets}.ts',
    ],
    tests: tests(
      'engines',
      'option-limits option-tables options media-plans codec-plans film-filters sound-plans picture-options media-options imagemagick-targets calibre-errors pdf-docx-sections browser-paper picture-fitting pdf-render film-compress picture-colors pictures-together pdf',
    ),
  },
  {
    name: 'sandbox',
    isWhole: true,
    files: ['lib/engines/sandbox/*.ts', 'lib/engines/ffmpeg/demuxers.ts', 'lib/engines/seven-zip/limits.ts'],
    tests: tests(
      'engines',
      'filter launchers sandbox-rules isolation process-folder ffmpeg-inputs prestarted-process escape-test sandbox linking 7zip-hostile',
    ),
  },
]
