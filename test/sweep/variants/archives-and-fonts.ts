import type { Variant } from './variant.ts'

const archive = (name: string, ...command: string[]): Variant => ({
  area: 'archive',
  name,
  commands: [['sh', '-c', `cd "$0" && shift 0 && exec "$@"`, '{in}', ...command]],
})
const seven = (name: string, type: string, ...switches: string[]) =>
  archive(name, '7zz', 'a', '-bd', '-y', '-mmt=1', `-t${type}`, ...switches, '{out}', '.')
const piped = (name: string, format: string, packer: string) =>
  archive(
    name,
    'sh',
    '-c',
    `tar --format=${format} --owner=0 --group=0 --mtime=2026-01-01 -cf - * | ${packer} > "$0"`,
    '{out}',
  )

const open = { options: { password: 'secret' } } as const

export const archives: readonly Variant[] = [
  ...['Copy', 'LZMA', 'LZMA2', 'PPMd', 'BZip2', 'Deflate', 'Deflate64'].map((method) =>
    seven(`${method}.7z`, '7z', `-m0=${method}`),
  ),
  seven('bcj.7z', '7z', '-mf=BCJ'),
  seven('delta.7z', '7z', '-mf=Delta:4'),
  seven('not-solid.7z', '7z', '-ms=off'),
  seven('plain-header.7z', '7z', '-mhc=off'),
  ...[seven('aes.7z', '7z', '-psecret'), seven('hidden-names.7z', '7z', '-psecret', '-mhe=on')].flatMap(
    (one) => [
      { ...one, ...open },
      { ...one, name: `closed-${one.name}` },
    ],
  ),
  ...['Copy', 'Deflate', 'Deflate64', 'BZip2', 'LZMA', 'PPMd', 'XZ'].map((method) =>
    seven(`${method}.zip`, 'zip', `-mm=${method}`),
  ),
  ...['ZipCrypto', 'AES128', 'AES256'].flatMap((method) => {
    const one = seven(`${method}.zip`, 'zip', '-psecret', `-mem=${method}`)
    return [
      { ...one, ...open },
      { ...one, name: `closed-${method}.zip` },
    ]
  }),
  archive('info-zip.zip', 'zip', '-q', '-r', '-X', '{out}', '.'),
  archive('stored.zip', 'zip', '-q', '-0', '-r', '{out}', '.'),
  archive('streamed.zip', 'sh', '-c', 'zip -q -r -fd - . > "$0"', '{out}'),
  archive('zip64.zip', 'sh', '-c', 'zip -q -r -fz- - . > "$0"', '{out}'),
  archive('comment.zip', 'sh', '-c', 'zip -q -r "$0" . && echo a remark | zip -q -z "$0"', '{out}'),
  archive(
    'program.zip',
    'sh',
    '-c',
    'zip -q -r "$0".x . && (head -c 5000 /bin/ls; cat "$0".x) > "$0" && zip -q -A "$0"',
    '{out}',
  ),
  ...['v7', 'ustar', 'gnu', 'pax'].flatMap((format) => [
    piped(`${format}.tar`, format, 'cat'),
    piped(`${format}.tgz`, format, 'gzip -n'),
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
  ).map(([ending, packer]) => piped(`packed.${ending}`, 'gnu', packer)),
  piped('check-none.txz', 'gnu', 'xz --check=none'),
  piped('sha.txz', 'gnu', 'xz --check=sha256 --block-size=1000'),
  piped('fast.tgz', 'gnu', 'gzip -1 -n'),
  archive(
    'two-streams.tgz',
    'sh',
    '-c',
    'tar -cf "$0".x * && (head -c 700 "$0".x | gzip -n; tail -c +701 "$0".x | gzip -n) > "$0"',
    '{out}',
  ),
  piped('long-window.tzst', 'gnu', 'zstd -q --long=27 --ultra -20'),
  ...['odc', 'newc', 'bin'].map((format) =>
    archive(
      `${format}.cpio`,
      'bsdtar',
      `--format=${format === 'odc' ? 'cpio' : format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  ...['iso9660', 'xar', 'mtree'].map((format) =>
    archive(
      `${format}.${format === 'iso9660' ? 'iso' : format}`,
      'bsdtar',
      `--format=${format}`,
      '-cf',
      '{out}',
      '.',
    ),
  ),
  archive('flat.ar', 'sh', '-c', 'ar rcD "$0" *.txt', '{out}'),
  seven('one.wim', 'wim'),
  ...['gzip', 'xz', 'zstd', 'lz4', 'lzo'].map((packer) =>
    archive(
      `${packer}.squashfs`,
      'mksquashfs',
      '.',
      '{out}',
      '-quiet',
      '-no-progress',
      '-comp',
      packer,
      '-all-root',
    ),
  ),
  archive('one.gz', 'sh', '-c', 'gzip -nc letters.txt > "$0"', '{out}'),
  archive('one.xz', 'sh', '-c', 'xz -c letters.txt > "$0"', '{out}'),
  archive('one.bz2', 'sh', '-c', 'bzip2 -c letters.txt > "$0"', '{out}'),
  archive('one.zst', 'sh', '-c', 'zstd -qc letters.txt > "$0"', '{out}'),
  archive('one.lz4', 'sh', '-c', 'lz4 -qc letters.txt > "$0"', '{out}'),
  archive('empty.tar', 'tar', '-cf', '{out}', '-T', '/dev/null'),
  archive(
    'empty.zip',
    'sh',
    '-c',
    'printf "PK\\005\\006\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000" > "$0"',
    '{out}',
  ),
]

const sans = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
const cubic = '/usr/share/fonts/opentype/urw-base35/NimbusRoman-Regular.otf'

const subset = (name: string, source: string, ...args: string[]): Variant => ({
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
const script = (name: string, source: string, change: string, save = 'font.save(sys.argv[2])'): Variant => ({
  area: 'font',
  name,
  commands: [
    [
      '/usr/bin/python3',
      '-c',
      `import sys\nfrom fontTools.ttLib import TTFont\nfont = TTFont(sys.argv[1])\n${change}\n${save}`,
      source,
      '{out}',
    ],
  ],
})
const fontForge = (name: string, source: string): Variant => ({
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
  ...[['sans', sans, 'ttf'] as const, ['cubic', cubic, 'otf'] as const].flatMap(([name, source, ending]) => [
    subset(`${name}.${ending}`, source),
    subset(`${name}-bare.${ending}`, source, '--no-hinting', '--layout-features=', '--desubroutinize'),
    subset(`${name}-no-names.${ending}`, source, '--glyph-names', '--name-IDs='),
    subset(`${name}-kept-ids.${ending}`, source, '--retain-gids'),
    subset(`${name}.woff`, source, '--flavor=woff'),
    subset(`${name}.woff2`, source, '--flavor=woff2'),
    script(
      `${name}-small-em.${ending}`,
      source,
      'from fontTools.ttLib.scaleUpem import scale_upem\nscale_upem(font, 500)',
    ),
    script(
      `${name}-wide-cmap.${ending}`,
      source,
      'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID == 3][-1:]',
    ),
    script(
      `${name}-mac-cmap.${ending}`,
      source,
      'font["cmap"].tables = [t for t in font["cmap"].tables if t.platformID != 3] or font["cmap"].tables',
    ),
    script(`${name}-no-os2.${ending}`, source, 'del font["OS/2"]'),
    script(`${name}-no-post-names.${ending}`, source, 'font["post"].formatType = 3.0'),
    script(
      `${name}-collection.ttc`,
      source,
      'from fontTools.ttLib import TTCollection\nc = TTCollection(); c.fonts = [font, TTFont(sys.argv[1])]',
      'c.save(sys.argv[2])',
    ),
  ]),
  script(
    'sans-no-glyf-order.ttf',
    sans,
    'font["head"].indexToLocFormat = 1\nfont["name"].names = font["name"].names[:1]',
  ),
  ...['pfb', 'pfa', 'sfd', 'dfont', 'ttf', 'otf', 'woff', 't42'].map((ending) =>
    fontForge(`forged.${ending}`, cubic),
  ),
]
