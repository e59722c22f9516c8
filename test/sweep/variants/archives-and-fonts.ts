import type { Variant } from './variant.ts'

const archiveVariant = (name: string, ...command: string[]): Variant => ({
  area: 'archive',
  name,
  commands: [['sh', '-c', `cd "$0" && shift 0 && exec "$@"`, '{in}', ...command]],
})
const sevenZipVariant = (name: string, type: string, ...switches: string[]) =>
  archiveVariant(name, '7zz', 'a', '-bd', '-y', '-mmt=1', `-t${type}`, ...switches, '{out}', '.')
const pipedVariant = (name: string, format: string, compressor: string) =>
  archiveVariant(
    name,
    'sh',
    '-c',
    `tar --format=${format} --owner=0 --group=0 --mtime=2026-01-01 -cf - * | ${compressor} > "$0"`,
    '{out}',
  )

const withPassword = { options: { password: 'secret' } } as const

export const archives: readonly Variant[] = [
  ...['Copy', 'LZMA', 'LZMA2', 'PPMd', 'BZip2', 'Deflate', 'Deflate64'].map((method) =>
    sevenZipVariant(`${method}.7z`, '7z', `-m0=${method}`),
  ),
  sevenZipVariant('bcj.7z', '7z', '-mf=BCJ'),
  sevenZipVariant('delta.7z', '7z', '-mf=Delta:4'),
  sevenZipVariant('not-solid.7z', '7z', '-ms=off'),
  sevenZipVariant('plain-header.7z', '7z', '-mhc=off'),
  ...[
    sevenZipVariant('aes.7z', '7z', '-psecret'),
    sevenZipVariant('hidden-names.7z', '7z', '-psecret', '-mhe=on'),
  ].flatMap((archiveFormat) => [
    { ...archiveFormat, ...withPassword },
    { ...archiveFormat, name: `closed-${archiveFormat.name}` },
  ]),
  ...['Copy', 'Deflate', 'Deflate64', 'BZip2', 'LZMA', 'PPMd', 'XZ'].map((method) =>
    sevenZipVariant(`${method}.zip`, 'zip', `-mm=${method}`),
  ),
  ...['ZipCrypto', 'AES128', 'AES256'].flatMap((method) => {
    const zipVariant = sevenZipVariant(`${method}.zip`, 'zip', '-psecret', `-mem=${method}`)
    return [
      { ...zipVariant, ...withPassword },
      { ...zipVariant, name: `closed-${method}.zip` },
    ]
  }),
  archiveVariant('info-zip.zip', 'zip', '-q', '-r', '-X', '{out}', '.'),
  archiveVariant('stored.zip', 'zip', '-q', '-0', '-r', '{out}', '.'),
  archiveVariant('streamed.zip', 'sh', '-c', 'zip -q -r -fd - . > "$0"', '{out}'),
  archiveVariant('zip64.zip', 'sh', '-c', 'zip -q -r -fz- - . > "$0"', '{out}'),
  archiveVariant('comment.zip', 'sh', '-c', 'zip -q -r "$0" . && echo a remark | zip -q -z "$0"', '{out}'),
  archiveVariant(
    'program.zip',
    'sh',
    '-c',
    'zip -q -r "$0".x . && (head -c 5000 /bin/ls; cat "$0".x) > "$0" && zip -q -A "$0"',
    '{out}',
  ),
  ...['v7', 'ustar', 'gnu', 'pax'].flatMap((format) => [
    pipedVariant(`${format}.tar`, format, 'cat'),
    pipedVariant(`${format}.tgz`, format, 'gzip -n'),
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
  ).map(([extension, compressor]) => pipedVariant(`packed.${extension}`, 'gnu', compressor)),
  pipedVariant('check-none.txz', 'gnu', 'xz --check=none'),
  pipedVariant('sha.txz', 'gnu', 'xz --check=sha256 --block-size=1000'),
  pipedVariant('fast.tgz', 'gnu', 'gzip -1 -n'),
  archiveVariant(
    'two-streams.tgz',
    'sh',
    '-c',
    'tar -cf "$0".x * && (head -c 700 "$0".x | gzip -n; tail -c +701 "$0".x | gzip -n) > "$0"',
    '{out}',
  ),
  pipedVariant('long-window.tzst', 'gnu', 'zstd -q --long=27 --ultra -20'),
  ...['odc', 'newc', 'bin'].map((format) =>
    archiveVariant(
      `${format}.cpio`,
      'bsdtar',
      `--format=${format === 'odc' ? 'cpio' : format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  ...['iso9660', 'xar', 'mtree'].map((format) =>
    archiveVariant(
      `${format}.${format === 'iso9660' ? 'iso' : format}`,
      'bsdtar',
      `--format=${format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  archiveVariant('flat.ar', 'sh', '-c', 'ar rcD "$0" *.txt', '{out}'),
  sevenZipVariant('one.wim', 'wim'),
  ...['gzip', 'xz', 'zstd', 'lz4', 'lzo'].map((compressor) =>
    archiveVariant(
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
  archiveVariant('one.gz', 'sh', '-c', 'gzip -nc letters.txt > "$0"', '{out}'),
  archiveVariant('one.xz', 'sh', '-c', 'xz -c letters.txt > "$0"', '{out}'),
  archiveVariant('one.bz2', 'sh', '-c', 'bzip2 -c letters.txt > "$0"', '{out}'),
  archiveVariant('one.zst', 'sh', '-c', 'zstd -qc letters.txt > "$0"', '{out}'),
  archiveVariant('one.lz4', 'sh', '-c', 'lz4 -qc letters.txt > "$0"', '{out}'),
  archiveVariant('empty.tar', 'tar', '-cf', '{out}', '-T', '/dev/null'),
  archiveVariant(
    'empty.zip',
    'sh',
    '-c',
    'printf "PK\\005\\006\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000" > "$0"',
    '{out}',
  ),
]

const sansFont = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
const cubic = '/usr/share/fonts/opentype/urw-base35/NimbusRoman-Regular.otf'

const subsetVariant = (name: string, source: string, ...args: string[]): Variant => ({
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
const scriptVariant = (
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
const fontForgeVariant = (name: string, source: string): Variant => ({
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
  ...[['sans', sansFont, 'ttf'] as const, ['cubic', cubic, 'otf'] as const].flatMap(
    ([name, source, extension]) => [
      subsetVariant(`${name}.${extension}`, source),
      subsetVariant(
        `${name}-bare.${extension}`,
        source,
        '--no-hinting',
        '--layout-features=',
        '--desubroutinize',
      ),
      subsetVariant(`${name}-no-names.${extension}`, source, '--glyph-names', '--name-IDs='),
      subsetVariant(`${name}-kept-ids.${extension}`, source, '--retain-gids'),
      subsetVariant(`${name}.woff`, source, '--flavor=woff'),
      subsetVariant(`${name}.woff2`, source, '--flavor=woff2'),
      scriptVariant(
        `${name}-small-em.${extension}`,
        source,
        'from fontTools.ttLib.scaleUpem import scale_upem\nscale_upem(font, 500)',
      ),
      scriptVariant(
        `${name}-wide-cmap.${extension}`,
        source,
        'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID == 3][-1:]',
      ),
      scriptVariant(
        `${name}-mac-cmap.${extension}`,
        source,
        'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID != 3] or font["cmap"].tables',
      ),
      scriptVariant(`${name}-no-os2.${extension}`, source, 'del font["OS/2"]'),
      scriptVariant(`${name}-no-post-names.${extension}`, source, 'font["post"].formatType = 3.0'),
      scriptVariant(
        `${name}-collection.ttc`,
        source,
        'from fontTools.ttLib import TTCollection\nc = TTCollection(); c.fonts = [font, TTFont(sys.argv[1])]',
        'c.save(sys.argv[2])',
      ),
    ],
  ),
  scriptVariant(
    'sans-no-glyf-order.ttf',
    sansFont,
    'font["head"].indexToLocFormat = 1\nfont["name"].names = font["name"].names[:1]',
  ),
  ...['pfb', 'pfa', 'sfd', 'dfont', 'ttf', 'otf', 'woff', 't42'].map((extension) =>
    fontForgeVariant(`forged.${extension}`, cubic),
  ),
]
