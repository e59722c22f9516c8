import { type EngineId, engineIds, type ImageId } from '../../lib/component-ids.ts'
import { type Category, categories } from '../../lib/formats/index.ts'

/** Slow checks for a part of the project. */
export interface Row {
  /**
   * Folders and files. The longest path that contains a file decides which row the file belongs to. A folder of `test`
   * belongs to the row of the same folder of `lib`.
   */
  readonly paths: readonly string[]
  /** Slow test files, the most revealing first. */
  readonly slow?: readonly string[]
  /** Area of `test/mutate/areas.ts`. */
  readonly mutate?: string
  /** Engines whose conversions are run. */
  readonly engines?: readonly EngineId[]
  /** Categories whose damaged and rare files are converted. */
  readonly sweep?: readonly Category[]
  readonly image?: ImageId
}

/** What `.ci/run` checks beyond `npm test` and `npm run deploy:check`, by the files that a commit changes. */
export const rows: readonly Row[] = [
  {
    paths: ['lib/jobs', 'lib/model', 'lib/resources', 'lib/services'],
    slow: [
      'test/jobs/crash-points.slow.ts',
      'test/jobs/chunked-tasks.slow.ts',
      'test/functions/pipeline-kills.slow.ts',
      'test/jobs/fallback-crash-points.slow.ts',
      'test/jobs/large-graphs.slow.ts',
      'test/functions/chunks.slow.ts',
      'test/functions/transfer-kills.slow.ts',
    ],
    mutate: 'jobs',
  },
  {
    paths: ['lib/access', 'lib/accounts', 'lib/crypto', 'lib/mail', 'lib/plans.ts'],
    slow: [
      'test/access/authorization-matrix.slow.ts',
      'test/access/adapter.slow.ts',
      'test/access/fairness.slow.ts',
      'test/access/timing.slow.ts',
      'test/web/accounts.slow.ts',
    ],
    mutate: 'access',
  },
  {
    paths: ['lib/http', 'lib/links', 'lib/uploads', 'lib/validation'],
    slow: [
      'test/functions/presigned.slow.ts',
      'test/functions/zip.slow.ts',
      'test/access/authorization-matrix.slow.ts',
      'test/web/uppy.slow.ts',
    ],
    mutate: 'http',
  },
  {
    paths: ['lib/plan', 'lib/formats', 'test/conformance', 'test/sweep'],
    slow: ['test/functions/samples.slow.ts', 'test/engines/garbage.slow.ts'],
    mutate: 'plan',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/conversion'],
    slow: ['test/functions/samples.slow.ts', 'test/functions/scan.slow.ts', 'test/functions/chunks.slow.ts'],
    mutate: 'conversion',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/tasks', 'lib/workflows'],
    slow: [
      'test/functions/transfers.slow.ts',
      'test/functions/video-merge.slow.ts',
      'test/functions/zip.slow.ts',
      'test/web/pipelines.slow.ts',
    ],
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
    slow: [
      'test/functions/packages.slow.ts',
      'test/permissions/service.slow.ts',
      'test/access/authorization-matrix.slow.ts',
      'test/functions/samples.slow.ts',
    ],
    mutate: 'routes',
  },
  {
    paths: ['lib/engines/sandbox'],
    slow: [
      'test/functions/confinement.slow.ts',
      'test/functions/remote-links.slow.ts',
      'test/engines/garbage.slow.ts',
    ],
    mutate: 'sandbox',
    sweep: ['archive'],
    image: 'archive',
  },
  {
    paths: ['lib/engines/ffmpeg', 'lib/engines/ffmpeg.ts'],
    slow: [
      'test/engines/ffmpeg/options.slow.ts',
      'test/engines/ffmpeg/tracks.slow.ts',
      'test/engines/ffmpeg/odd-sources.slow.ts',
      'test/engines/ffmpeg/audio.slow.ts',
      'test/functions/video.slow.ts',
      'test/engines/ffmpeg/video-chunks.slow.ts',
      'test/engines/ffmpeg/merge-chunks.slow.ts',
      'test/engines/ffmpeg/merge.slow.ts',
      'test/engines/shared/thumbnail.slow.ts',
      'test/engines/shared/watermark.slow.ts',
      'test/functions/video-merge.slow.ts',
    ],
    mutate: 'options',
    engines: ['ffmpeg'],
    sweep: ['audio', 'video'],
    image: 'av',
  },
  {
    paths: [
      ...['lib/engines/pdf', 'lib/engines/pdf.ts'],
      ...['lib/engines/ghostscript', 'lib/engines/ghostscript.ts'],
    ],
    slow: [
      'test/engines/pdf/docx-images.slow.ts',
      'test/fidelity/pdf-to-word.slow.ts',
      'test/engines/pdf/ocr-chunks.slow.ts',
      'test/engines/pdf/ocr-scripts.slow.ts',
      'test/functions/scan.slow.ts',
    ],
    mutate: 'options',
    engines: ['pdf', 'ghostscript'],
    sweep: ['document'],
    image: 'pdf',
  },
  {
    paths: [
      ...['lib/engines/vips', 'lib/engines/vips.ts'],
      ...['lib/engines/imagemagick', 'lib/engines/imagemagick.ts'],
      ...['lib/engines/vtracer.ts', 'lib/engines/potrace.ts', 'test/engines/vtracer'],
    ],
    slow: [
      'test/engines/imagemagick/colors.slow.ts',
      'test/engines/shared/metadata.slow.ts',
      'test/engines/shared/thumbnail.slow.ts',
      'test/engines/shared/watermark.slow.ts',
    ],
    mutate: 'options',
    engines: ['vips', 'imagemagick', 'vtracer', 'potrace'],
    sweep: ['image'],
    image: 'image',
  },
  {
    paths: ['lib/engines/libreoffice', 'lib/engines/libreoffice.ts', 'lib/engines/strict-office.ts'],
    slow: [
      'test/engines/libreoffice/pool.slow.ts',
      'test/engines/libreoffice/office-locked.slow.ts',
      'test/engines/odd-files.slow.ts',
    ],
    engines: ['libreoffice'],
    sweep: ['document'],
    image: 'office',
  },
  {
    paths: [
      ...['lib/engines/pandoc', 'lib/engines/pandoc.ts'],
      ...['lib/engines/calibre', 'lib/engines/calibre.ts'],
    ],
    slow: ['test/engines/calibre/epub-check.slow.ts', 'test/functions/remote-links.slow.ts'],
    engines: ['pandoc', 'calibre'],
    sweep: ['ebook'],
    image: 'document',
  },
  {
    paths: ['lib/engines/seven-zip', 'lib/engines/seven-zip.ts'],
    slow: ['test/engines/seven-zip/formats.slow.ts', 'test/engines/pdf/stored-zip.slow.ts'],
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
    paths: ['lib/engines/chromium', 'lib/engines/chromium.ts', 'lib/capture'],
    slow: ['test/capture/capture.slow.ts', 'test/functions/remote-links.slow.ts'],
    engines: ['chromium'],
    image: 'browser',
  },
  {
    paths: ['lib/engines', 'lib/engines/shared', 'lib/binary', 'lib/decoders'],
    slow: [
      'test/engines/garbage.slow.ts',
      'test/engines/shared/metadata.slow.ts',
      'test/engines/odd-files.slow.ts',
    ],
    mutate: 'options',
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/fidelity'],
    slow: ['test/engines/odd-files.slow.ts', 'test/functions/samples.slow.ts'],
    engines: engineIds,
    sweep: categories,
  },
  {
    paths: ['lib/transfer', 'lib/net'],
    slow: [
      'test/functions/transfers.slow.ts',
      'test/functions/transfer-lost-replies.slow.ts',
      'test/transfer/lost-connections.slow.ts',
      'test/transfer/sftp.slow.ts',
      'test/functions/transfer-kills.slow.ts',
      'test/web/drives.slow.ts',
    ],
  },
  {
    paths: ['lib/webhooks', 'lib/usage'],
    slow: ['test/webhooks/load.slow.ts', 'test/functions/pipeline-kills.slow.ts'],
  },
  {
    paths: ['lib/live'],
    slow: ['test/live/sockets.slow.ts', 'test/live/many-sockets.slow.ts', 'test/web/interruptions.slow.ts'],
  },
  {
    paths: ['lib/embedded-aws'],
    slow: [
      'test/embedded-aws/sqs/kill.slow.ts',
      'test/embedded-aws/events/kill.slow.ts',
      'test/embedded-aws/s3/awscli.slow.ts',
      'test/embedded-aws/dynamodb/kill.slow.ts',
    ],
  },
  {
    paths: ['lib/embedded-aws/s3', 'lib/io'],
    slow: [
      'test/embedded-aws/s3/kill.slow.ts',
      'test/embedded-aws/s3/file-exchange-power-loss.slow.ts',
      'test/embedded-aws/s3/awscli.slow.ts',
    ],
  },
  {
    paths: ['lib/embedded-aws/sqs'],
    slow: ['test/embedded-aws/sqs/kill.slow.ts', 'test/embedded-aws/sqs/awscli.slow.ts'],
  },
  { paths: ['lib/embedded-aws/events'], slow: ['test/embedded-aws/events/kill.slow.ts'] },
  { paths: ['lib/embedded-aws/dynamodb'], slow: ['test/embedded-aws/dynamodb/kill.slow.ts'] },
  {
    paths: ['lib/local'],
    slow: [
      'test/functions/resource-failures.slow.ts',
      'test/local/backup.slow.ts',
      'test/local/clock.slow.ts',
      'test/local/embedded-command.slow.ts',
      'test/local/power-loss.slow.ts',
      'test/local/random-kills.slow.ts',
      'test/local/flood.slow.ts',
      'test/local/many-jobs.slow.ts',
      'test/functions/pipeline-kills.slow.ts',
    ],
  },
  {
    paths: ['lib/aws', 'lib/deployment', 'serverless.yml', 'test/permissions', 'test/packages'],
    slow: [
      'test/functions/packages.slow.ts',
      'test/functions/packaged-flow.slow.ts',
      'test/permissions/service.slow.ts',
      'test/permissions/engines.slow.ts',
      'test/functions/presigned.slow.ts',
    ],
  },
  {
    paths: ['layers', 'test/layers'],
    slow: ['test/functions/confinement.slow.ts'],
    image: 'archive',
  },
  { paths: ['lib/client'], slow: ['test/client/package.slow.ts', 'test/web/uppy.slow.ts'] },
  {
    paths: ['functions/web', 'lib/page', 'test/web'],
    slow: [
      'test/web/clicks.slow.ts',
      'test/web/tools.slow.ts',
      'test/web/sections.slow.ts',
      'test/web/options.slow.ts',
      'test/web/tools-by-keyboard.slow.ts',
      'test/web/batch.slow.ts',
      'test/web/grid.slow.ts',
      'test/web/drawer.slow.ts',
      'test/web/interruptions.slow.ts',
      'test/web/accounts.slow.ts',
      'test/web/pipelines.slow.ts',
      'test/web/drives.slow.ts',
      'test/web/zoom-and-direction.slow.ts',
      'test/web/firefox.slow.ts',
      'test/web/uppy.slow.ts',
    ],
  },
  {
    paths: ['package.json', 'package-lock.json', '.npmrc'],
    slow: [
      'test/functions/packages.slow.ts',
      'test/client/package.slow.ts',
      'test/functions/samples.slow.ts',
      'test/web/tools.slow.ts',
    ],
    engines: engineIds,
    image: 'archive',
  },
  {
    paths: ['lib', 'lib/async', 'lib/names'],
    slow: [
      'test/jobs/crash-points.slow.ts',
      'test/functions/samples.slow.ts',
      'test/functions/resource-failures.slow.ts',
    ],
  },
  // Covered by `npm test`.
  {
    paths: [
      'test',
      ...['bench', 'ci', 'expressions', 'fixtures', 'interface', 'language', 'lint', 'mutate'].map(
        (name) => `test/${name}`,
      ),
      ...['.ci', '.githooks', '.github', '.gitignore', 'biome.json', 'tsconfig.json'],
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'NOTICE', 'README.md'],
    ],
  },
]
