import type { Variant } from './variant.ts'

const createArchiveVariant = (name: string, ...command: string[]): Variant => ({
  area: 'archive',
  name,
  commands: [['sh', '-c', `cd "$0" && shift 0 && exec "$@"`, '{in}', ...command]],
})
const createSevenZipVariant = (name: string, type: string, ...switches: string[]) =>
  createArchiveVariant(name, '7zz', 'a', '-bd', '-y', '-mmt=1', `-t${type}`, ...switches, '{out}', '.')
const createPipedVariant = (name: string, format: string, compressor: string) =>
  createArchiveVariant(
    name,
    'sh',
    '-c',
    `tar --format=${format} --owner=0 --group=0 --mtime=2026-01-01 -cf - * | ${compressor} > "$0"`,
    '{out}',
  )

const withPassword = { options: { password: 'secret' } } as const

export const archives: readonly Variant[] = [
  ...['Copy', 'LZMA', 'LZMA2', 'PPMd', 'BZip2', 'Deflate', 'Deflate64'].map((method) =>
    createSevenZipVariant(`${method}.7z`, '7z', `-m0=${method}`),
  ),
  createSevenZipVariant('bcj.7z', '7z', '-mf=BCJ'),
  createSevenZipVariant('delta.7z', '7z', '-mf=Delta:4'),
  createSevenZipVariant('not-solid.7z', '7z', '-ms=off'),
  createSevenZipVariant('plain-header.7z', '7z', '-mhc=off'),
  ...[
    createSevenZipVariant('aes.7z', '7z', '-psecret'),
    createSevenZipVariant('hidden-names.7z', '7z', '-psecret', '-mhe=on'),
  ].flatMap((archiveFormat) => [
    { ...archiveFormat, ...withPassword },
    { ...archiveFormat, name: `closed-${archiveFormat.name}` },
  ]),
  ...['Copy', 'Deflate', 'Deflate64', 'BZip2', 'LZMA', 'PPMd', 'XZ'].map((method) =>
    createSevenZipVariant(`${method}.zip`, 'zip', `-mm=${method}`),
  ),
  ...['ZipCrypto', 'AES128', 'AES256'].flatMap((method) => {
    const zipVariant = createSevenZipVariant(`${method}.zip`, 'zip', '-psecret', `-mem=${method}`)
    return [
      { ...zipVariant, ...withPassword },
      { ...zipVariant, name: `closed-${method}.zip` },
    ]
  }),
  createArchiveVariant('info-zip.zip', 'zip', '-q', '-r', '-X', '{out}', '.'),
  createArchiveVariant('stored.zip', 'zip', '-q', '-0', '-r', '{out}', '.'),
  createArchiveVariant('streamed.zip', 'sh', '-c', 'zip -q -r -fd - . > "$0"', '{out}'),
  createArchiveVariant('zip64.zip', 'sh', '-c', 'zip -q -r -fz- - . > "$0"', '{out}'),
  createArchiveVariant(
    'comment.zip',
    'sh',
    '-c',
    'zip -q -r "$0" . && echo a remark | zip -q -z "$0"',
    '{out}',
  ),
  createArchiveVariant(
    'program.zip',
    'sh',
    '-c',
    'zip -q -r "$0".x . && (head -c 5000 /bin/ls; cat "$0".x) > "$0" && zip -q -A "$0"',
    '{out}',
  ),
  ...['v7', 'ustar', 'gnu', 'pax'].flatMap((format) => [
    createPipedVariant(`${format}.tar`, format, 'cat'),
    createPipedVariant(`${format}.tgz`, format, 'gzip -n'),
  ]),
  ...(
    [
      ['tbz2', 'bzip2'],
      ['txz', 'xz -T1'],
      ['tzst', 'zstd -q'],
      ['tlz', 'xz --format=lzma'],
      ['tar.lz', 'lzip'],
      ['tar.lz4', 'lz4 -q'],
      ['tar.lzo', 'lzop'],
    ] as const
  ).map(([extension, compressor]) => createPipedVariant(`packed.${extension}`, 'gnu', compressor)),
  createPipedVariant('check-none.txz', 'gnu', 'xz --check=none'),
  createPipedVariant('sha.txz', 'gnu', 'xz --check=sha256 --block-size=1000'),
  createPipedVariant('fast.tgz', 'gnu', 'gzip -1 -n'),
  createArchiveVariant(
    'two-streams.tgz',
    'sh',
    '-c',
    'tar -cf "$0".x * && (head -c 700 "$0".x | gzip -n; tail -c +701 "$0".x | gzip -n) > "$0"',
    '{out}',
  ),
  createPipedVariant('long-window.tzst', 'gnu', 'zstd -q --long=27 --ultra -20'),
  ...['odc', 'newc', 'bin'].map((format) =>
    createArchiveVariant(
      `${format}.cpio`,
      'bsdtar',
      `--format=${format === 'odc' ? 'cpio' : format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  ...['iso9660', 'xar', 'mtree'].map((format) =>
    createArchiveVariant(
      `${format}.${format === 'iso9660' ? 'iso' : format}`,
      'bsdtar',
      `--format=${format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  createArchiveVariant('flat.ar', 'sh', '-c', 'ar rcD "$0" *.txt', '{out}'),
  createSevenZipVariant('one.wim', 'wim'),
  ...['gzip', 'xz', 'zstd', 'lz4', 'lzo'].map((compressor) =>
    createArchiveVariant(
      `${compressor}.squashfs`,
      'mksquashfs',
      '.',
      '{out}',
      '-quiet',
      '-no-progress',
      '-comp',
      compressor,
      '-all-root',
    ),
  ),
  createArchiveVariant('one.gz', 'sh', '-c', 'gzip -nc letters.txt > "$0"', '{out}'),
  createArchiveVariant('one.xz', 'sh', '-c', 'xz -c letters.txt > "$0"', '{out}'),
  createArchiveVariant('one.bz2', 'sh', '-c', 'bzip2 -c letters.txt > "$0"', '{out}'),
  createArchiveVariant('one.zst', 'sh', '-c', 'zstd -qc letters.txt > "$0"', '{out}'),
  createArchiveVariant('one.lz4', 'sh', '-c', 'lz4 -qc letters.txt > "$0"', '{out}'),
  createArchiveVariant('empty.tar', 'tar', '-cf', '{out}', '-T', '/dev/null'),
  createArchiveVariant(
    'empty.zip',
    'sh',
    '-c',
    'printf "PK\\005\\006\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000" > "$0"',
    '{out}',
  ),
]

const sansFont = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
const cubicFont = '/usr/share/fonts/opentype/urw-base35/NimbusRoman-Regular.otf'

const createSubsetVariant = (name: string, source: string, ...args: string[]): Variant => ({
  area: 'font',
  name,
  commands: [
    [
      '/usr/bin/python3',
      '-m',
      'fontTools.subset',
      source,
      '--unicodes=20-17F,391-3C9,410-44F',
      '--output-file={out}',
      ...args,
    ],
  ],
})
const createScriptVariant = (
  name: string,
  source: string,
  changeText: string,
  save = 'font.save(sys.argv[2])',
): Variant => ({
  area: 'font',
  name,
  commands: [
    [
      '/usr/bin/python3',
      '-c',
      `import sys\nfrom fontTools.ttLib import TTFont\nfont = TTFont(sys.argv[1])\n${changeText}\n${save}`,
      source,
      '{out}',
    ],
  ],
})
const createFontForgeVariant = (name: string, source: string): Variant => ({
  area: 'font',
  name,
  commands: [
    [
      '/usr/bin/python3',
      '-c',
      'import fontforge, sys; fontforge.open(sys.argv[1]).%s(sys.argv[2])'.replace(
        '%s',
        name.endsWith('.sfd') ? 'save' : 'generate',
      ),
      source,
      '{out}',
    ],
  ],
})

export const fonts: readonly Variant[] = [
  ...[['sans', sansFont, 'ttf'] as const, ['cubic', cubicFont, 'otf'] as const].flatMap(
    ([name, source, extension]) => [
      createSubsetVariant(`${name}.${extension}`, source),
      createSubsetVariant(
        `${name}-bare.${extension}`,
        source,
        '--no-hinting',
        '--layout-features=',
        '--desubroutinize',
      ),
      createSubsetVariant(`${name}-no-names.${extension}`, source, '--glyph-names', '--name-IDs='),
      createSubsetVariant(`${name}-kept-ids.${extension}`, source, '--retain-gids'),
      createSubsetVariant(`${name}.woff`, source, '--flavor=woff'),
      createSubsetVariant(`${name}.woff2`, source, '--flavor=woff2'),
      createScriptVariant(
        `${name}-small-em.${extension}`,
        source,
        'from fontTools.ttLib.scaleUpem import scale_upem\nscale_upem(font, 500)',
      ),
      createScriptVariant(
        `${name}-wide-cmap.${extension}`,
        source,
        'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID == 3][-1:]',
      ),
      createScriptVariant(
        `${name}-mac-cmap.${extension}`,
        source,
        'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID != 3] or font["cmap"].tables',
      ),
      createScriptVariant(`${name}-no-os2.${extension}`, source, 'del font["OS/2"]'),
      createScriptVariant(`${name}-no-post-names.${extension}`, source, 'font["post"].formatType = 3.0'),
      createScriptVariant(
        `${name}-collection.ttc`,
        source,
        'from fontTools.ttLib import TTCollection\nc = TTCollection(); c.fonts = [font, TTFont(sys.argv[1])]',
        'c.save(sys.argv[2])',
      ),
    ],
  ),
  createScriptVariant(
    'sans-no-glyf-order.ttf',
    sansFont,
    'font["head"].indexToLocFormat = 1\nfont["name"].names = font["name"].names[:1]',
  ),
  ...['pfb', 'pfa', 'sfd', 'dfont', 'ttf', 'otf', 'woff', 't42'].map((extension) =>
    createFontForgeVariant(`forged.${extension}`, cubicFont),
  ),
]
