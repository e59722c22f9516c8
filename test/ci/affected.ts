import { type EngineId, engineIds, type ImageId } from '../../lib/component-ids.ts'
import { type Category, categories } from '../../lib/formats/index.ts'

/** Slow checks for a part of the project. */
export interface Row {
  /** Folders and files. The longest path that contains a file decides which row the file belongs to. */
  readonly paths: readonly string[]
  /** Slow test files without their extension, relative to `test`, the most revealing first. */
  readonly slow?: readonly string[]
  /** Area of `test/mutate/areas.ts`. */
  readonly mutate?: string
  /** Conversions with a step of these engines are repeated. */
  readonly engines?: readonly EngineId[]
  /** Damaged and rare files of these categories are converted. */
  readonly sweep?: readonly Category[]
  readonly image?: ImageId
}

const inFolder = (folder: string, names: string) => names.split(' ').map((name) => `${folder}/${name}`)

/** What `.ci/run` checks beyond `npm test` and `npm run deploy:check`, by the files that a commit changes. */
export const rows: readonly Row[] = [
  {
    paths: ['lib/jobs', 'lib/model', 'lib/resources', 'lib/services', 'test/jobs'],
    slow: [
      ...inFolder('jobs', 'crash-points chunked-tasks'),
      'functions/pipeline-kills',
      ...inFolder('jobs', 'fallback-crash-points large-graphs'),
      ...inFolder('functions', 'chunks transfer-kills'),
    ],
    mutate: 'jobs',
  },
  {
    paths: [
      'lib/access',
      'lib/accounts',
      'lib/crypto',
      'lib/mail',
      'lib/plans.ts',
      'test/access',
      'test/crypto',
    ],
    slow: [...inFolder('access', 'authorization-matrix adapter fairness timing'), 'web/accounts'],
    mutate: 'access',
  },
  {
    paths: ['lib/http', 'lib/links', 'lib/uploads', 'lib/validation', 'test/http', 'test/validation'],
    slow: [...inFolder('functions', 'presigned zip'), 'access/authorization-matrix', 'web/uppy'],
    mutate: 'http',
  },
  {
    paths: ['lib/plan', 'lib/formats', 'test/plan', 'test/formats', 'test/conformance', 'test/sweep'],
    slow: ['functions/samples', 'engines/garbage'],
    mutate: 'plan',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/conversion', 'test/conversion'],
    slow: inFolder('functions', 'samples scan chunks'),
    mutate: 'conversion',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/tasks', 'lib/workflows', 'test/tasks', 'test/workflows'],
    slow: [...inFolder('functions', 'transfers video-merge zip'), 'web/pipelines'],
    mutate: 'tasks',
  },
  {
    paths: [
      'functions',
      'functions/routes',
      'functions/compat-v2',
      'events',
      'test/functions',
      'test/compat-v2',
    ],
    slow: ['functions/packages', 'permissions/service', 'access/authorization-matrix', 'functions/samples'],
    mutate: 'routes',
  },
  {
    paths: ['lib/engines/sandbox'],
    slow: [...inFolder('functions', 'confinement remote-links'), 'engines/garbage'],
    mutate: 'sandbox',
    sweep: ['archive'],
    image: 'archive',
  },
  {
    paths: ['lib/engines/ffmpeg', 'lib/engines/ffmpeg.ts'],
    slow: [
      ...inFolder('engines', 'ffmpeg-options ffmpeg-tracks ffmpeg-odd-sources ffmpeg-audio'),
      'functions/video',
      ...inFolder('engines', 'video-chunks merge-chunks ffmpeg-merge thumbnail watermark'),
      'functions/video-merge',
    ],
    mutate: 'options',
    engines: ['ffmpeg'],
    sweep: ['audio', 'video'],
    image: 'av',
  },
  {
    paths: ['lib/engines/pdf', 'lib/engines/pdf.ts', 'lib/engines/ghostscript', 'lib/engines/ghostscript.ts'],
    slow: [...inFolder('engines', 'pdf-docx-images ocr-chunks ocr-scripts'), 'functions/scan'],
    mutate: 'options',
    engines: ['pdf', 'ghostscript'],
    sweep: ['document'],
    image: 'pdf',
  },
  {
    paths: [
      ...['vips', 'imagemagick'].map((name) => `lib/engines/${name}`),
      ...['vips.ts', 'imagemagick.ts', 'vtracer.ts', 'potrace.ts'].map((name) => `lib/engines/${name}`),
    ],
    slow: inFolder('engines', 'imagemagick-colors metadata thumbnail watermark'),
    mutate: 'options',
    engines: ['vips', 'imagemagick', 'vtracer', 'potrace'],
    sweep: ['image'],
    image: 'image',
  },
  {
    paths: ['lib/engines/libreoffice', 'lib/engines/libreoffice.ts', 'lib/engines/strict-office.ts'],
    slow: inFolder('engines', 'libreoffice-pool office-locked odd-files'),
    engines: ['libreoffice'],
    sweep: ['document'],
    image: 'office',
  },
  {
    paths: ['pandoc', 'pandoc.ts', 'calibre', 'calibre.ts'].map((name) => `lib/engines/${name}`),
    slow: ['engines/epub-check', 'functions/remote-links'],
    engines: ['pandoc', 'calibre'],
    sweep: ['ebook'],
    image: 'document',
  },
  {
    paths: ['lib/engines/seven-zip', 'lib/engines/seven-zip.ts'],
    slow: inFolder('engines', '7zip-formats stored-zip'),
    engines: ['7zip'],
    sweep: ['archive'],
    image: 'archive',
  },
  {
    paths: ['lib/engines/fontforge', 'lib/engines/fontforge.ts'],
    engines: ['fontforge'],
    sweep: ['font'],
    image: 'font',
  },
  {
    paths: ['lib/engines/chromium', 'lib/engines/chromium.ts', 'lib/capture', 'test/capture'],
    slow: ['capture/capture', 'functions/remote-links'],
    engines: ['chromium'],
    image: 'browser',
  },
  {
    paths: ['lib/engines', 'lib/engines/shared', 'lib/binary', 'lib/decoders', 'test/binary', 'test/engines'],
    slow: inFolder('engines', 'garbage metadata odd-files'),
    mutate: 'options',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/fidelity', 'test/fidelity'],
    slow: ['engines/odd-files', 'functions/samples'],
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/transfer', 'lib/net', 'test/transfer'],
    slow: [
      ...inFolder('functions', 'transfers transfer-lost-replies'),
      ...inFolder('transfer', 'lost-connections sftp'),
      'functions/transfer-kills',
      'web/drives',
    ],
  },
  {
    paths: ['lib/webhooks', 'lib/usage', 'test/webhooks', 'test/usage'],
    slow: ['webhooks/load', 'functions/pipeline-kills'],
  },
  { paths: ['lib/live', 'test/live'], slow: ['live/sockets', 'web/interruptions'] },
  {
    paths: ['lib/embedded-aws', 'test/embedded-aws'],
    slow: ['sqs/kill', 'events/kill', 's3/awscli', 'dynamodb/kill'].map((name) => `embedded-aws/${name}`),
  },
  {
    paths: ['lib/embedded-aws/s3', 'lib/io', 'test/io'],
    slow: ['kill', 'file-exchange-power-loss', 'awscli'].map((name) => `embedded-aws/s3/${name}`),
  },
  { paths: ['lib/embedded-aws/sqs'], slow: ['embedded-aws/sqs/kill', 'embedded-aws/sqs/awscli'] },
  { paths: ['lib/embedded-aws/events'], slow: ['embedded-aws/events/kill'] },
  { paths: ['lib/embedded-aws/dynamodb'], slow: ['embedded-aws/dynamodb/kill'] },
  {
    paths: ['lib/local', 'test/local'],
    slow: [
      'functions/resource-failures',
      ...inFolder('local', 'backup embedded-command power-loss'),
      'functions/pipeline-kills',
    ],
  },
  {
    paths: ['lib/aws', 'lib/deployment', 'serverless.yml', 'test/aws', 'test/permissions', 'test/packages'],
    slow: ['functions/packages', ...inFolder('permissions', 'service engines'), 'functions/presigned'],
  },
  {
    paths: ['layers', 'test/layers'],
    slow: ['functions/confinement'],
    image: 'archive',
  },
  { paths: ['lib/client', 'test/client'], slow: ['client/package', 'web/uppy'] },
  {
    paths: ['functions/web', 'lib/page', 'test/web'],
    slow: inFolder(
      'web',
      'tools sections options tools-by-keyboard batch grid drawer interruptions accounts pipelines drives zoom-and-direction firefox uppy',
    ),
  },
  {
    paths: ['package.json', 'package-lock.json', '.npmrc'],
    slow: ['functions/packages', 'client/package', 'functions/samples', 'web/tools'],
    engines: engineIds,
    image: 'archive',
  },
  {
    paths: ['lib', 'lib/async', 'lib/names', 'test/async', 'test/names'],
    slow: ['jobs/crash-points', 'functions/samples', 'functions/resource-failures'],
  },
  // Covered by `npm test`.
  {
    paths: [
      'test',
      ...['bench', 'ci', 'expressions', 'fixtures', 'language', 'lint', 'mutate'].map(
        (name) => `test/${name}`,
      ),
      ...['.ci', '.githooks', '.github', '.gitignore', 'biome.json', 'tsconfig.json'],
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'NOTICE', 'README.md'],
    ],
  },
]
